package io.ntrail.analysis.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Memory of arguments, as events of a recording have it. */
class ArgumentMemoryTest {
  private static long[] values(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    long[] values = new long[1 + (bytes.length + 7) / 8];
    values[0] = bytes.length;
    for (int i = 0; i < bytes.length; i++) {
      values[1 + i / 8] |= (bytes[i] & 0xFFL) << 8 * (i % 8);
    }
    return values;
  }

  private static String read(ArgumentMemory memory, long address, int length) {
    return new String(memory.read(address, length), StandardCharsets.ISO_8859_1);
  }

  @Test
  void memoryIsReadByItsAddressAsFarAsItGoes() {
    ArgumentMemory.Collector collector = new ArgumentMemory.Collector();
    collector.add(5, 7, 0x1000, values("hello, wor"));
    collector.add(5, 7, 0x100A, values("ld"));
    collector.add(5, 7, 0xFFFF_FFFF_FFFF_FFF0L, values("end"));
    ArgumentMemory memory = collector.take(5, 7);
    assertEquals("lo, world", read(memory, 0x1003, 9));
    assertEquals("ld", read(memory, 0x100A, 100));
    assertEquals("nd", read(memory, 0xFFFF_FFFF_FFFF_FFF1L, 8));
    assertEquals("", read(memory, 0x100C, 1));
    assertEquals("", read(memory, 0xFFF, 1));
  }

  @Test
  void memoryOfAnEntryThatWasLostIsNobodysElse() {
    ArgumentMemory.Collector collector = new ArgumentMemory.Collector();
    collector.add(5, 7, 0x1000, values("first"));
    assertEquals(ArgumentMemory.NONE, collector.take(6, 7));
    assertEquals(ArgumentMemory.NONE, collector.take(5, 7));
    collector.add(8, 7, 0x1000, values("second"));
    collector.add(9, 7, 0x1000, values("third"));
    assertEquals("third", read(collector.take(9, 7), 0x1000, 10));
  }

  @Test
  void damagedEventsHaveNoBytesAndManyHaveALimit() {
    ArgumentMemory.Collector collector = new ArgumentMemory.Collector();
    collector.add(1, 1, 0x1000, new long[0]);
    collector.add(1, 1, 0x1000, new long[] {9, 0x41});
    collector.add(1, 1, 0x1000, new long[] {-1, 0x41});
    assertEquals("", read(collector.take(1, 1), 0x1000, 1));
    for (int i = 0; i < 1_000_000; i++) {
      collector.add(1, 1, 0x1000 + 16L * i, values("0123456789abcde"));
    }
    ArgumentMemory memory = collector.take(1, 1);
    assertEquals("0123", read(memory, 0x1000, 4));
    assertTrue(read(memory, 0x1000 + 16L * 999_999, 4).isEmpty());
  }
}
