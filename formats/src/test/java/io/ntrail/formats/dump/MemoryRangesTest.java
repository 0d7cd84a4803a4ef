package io.ntrail.formats.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.dump.MinidumpBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The memory of a dump by address, whatever its lists say. */
class MemoryRangesTest {
  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static Minidump open(MinidumpBuilder writer) {
    return Minidump.open(InputFile.of(writer.toByteArray(), "a.dmp"), new Gaps());
  }

  @Test
  void ofOverlappingRangesTheFirstCounts() {
    MinidumpBuilder writer =
        new MinidumpBuilder()
            .memory(0x1010, filled(0x10, 1))
            .memory(0x1000, filled(0x40, 2))
            .memory(0x1018, filled(0x10, 3));
    try (Minidump dump = open(writer)) {
      MemoryRanges memory = dump.memory();
      assertEquals(2, memory.overlapping());
      assertEquals(0x40, memory.bytes());
      Bytes bytes = memory.readUpTo(0x1000, 0x100);
      assertEquals(0x40, bytes.length());
      assertEquals(List.of(2, 1, 1, 2, 2), values(bytes, 0x0F, 0x10, 0x1F, 0x20, 0x3F));
    }
  }

  private static List<Integer> values(Bytes bytes, int... places) {
    return Arrays.stream(places).map(bytes::u8).boxed().toList();
  }

  @Test
  void theListOfLargeDumpsComesBeforeTheOtherAndBothBeforeStacks() {
    MinidumpBuilder writer =
        new MinidumpBuilder()
            .thread(1, 0, 0x1000, filled(0x30, 3), new byte[0])
            .memory(0x1000, filled(0x20, 2))
            .memory64(0x1000, filled(0x10, 1));
    try (Minidump dump = open(writer)) {
      Bytes bytes = dump.memory().readUpTo(0x1000, 0x30);
      assertEquals(List.of(1, 2, 3), values(bytes, 0, 0x10, 0x20));
      assertEquals(0x30, dump.memory().bytes());
    }
  }

  @Test
  void aRangeThatIsListedTwiceOverlapsNothing() {
    byte[] stack = filled(0x20, 5);
    MinidumpBuilder writer = new MinidumpBuilder();
    int place = writer.put(stack);
    writer.memory(0x1000, 0x20, place).memory(0x1008, 0x10, place + 8);
    try (Minidump dump = open(writer)) {
      assertEquals(0, dump.memory().overlapping());
      assertEquals(0x20, dump.memory().bytes());
      assertEquals(-1, dump.memory().at(0xFFF));
      assertEquals(-1, dump.memory().at(0x1020));
      assertEquals(0, dump.memory().at(0x101F));
    }
  }

  @Test
  void aReadGoesOnFromRangeToRangeAndEndsWhereNothingIs() {
    MinidumpBuilder writer =
        new MinidumpBuilder()
            .memory(0x2000, filled(0x10, 2))
            .memory(0x1FF0, filled(0x10, 1))
            .memory(0x2020, filled(0x10, 3));
    try (Minidump dump = open(writer)) {
      MemoryRanges memory = dump.memory();
      assertEquals(0x20, memory.readUpTo(0x1FF0, 0x1000).length());
      assertEquals(List.of(1, 2), values(memory.readUpTo(0x1FF8, 0x10), 7, 8));
      assertEquals(0, memory.readUpTo(0x2010, 0x10).length());
      assertEquals(0, memory.readUpTo(0x1FEF, 0x10).length());
      assertEquals(5, memory.readUpTo(0x2000, 5).length());
      assertEquals(0, memory.readUpTo(0x2000, 0).length());
    }
  }

  @Test
  void theLastAddressesCanBeSaved() {
    MinidumpBuilder writer =
        new MinidumpBuilder().memory(-0x10, filled(0x20, 9)).memory(-0x20, filled(0x18, 8));
    try (Minidump dump = open(writer)) {
      MemoryRanges memory = dump.memory();
      assertEquals(0x20, memory.bytes());
      assertEquals(0x20, memory.readUpTo(-0x20, 0x100).length());
      assertEquals(-1, memory.at(0));
      assertTrue(memory.at(-1) >= 0);
    }
  }

  @Test
  void whatTheFileDoesNotHaveIsAGap() {
    MinidumpBuilder writer =
        new MinidumpBuilder()
            .memory64(0x1000, filled(0x10, 1))
            .memory64(0x10_0000, 45L << 30)
            .memory64(0x7FFF_0000_0000L, 0x1000);
    Gaps gaps = new Gaps();
    try (Minidump dump = Minidump.open(InputFile.of(writer.toByteArray(), "a.dmp"), gaps)) {
      assertEquals(1, dump.memory().count());
      assertEquals(0x10, dump.memory().bytes());
      Gap gap = gaps.list().getFirst();
      assertEquals((45L << 30) + 0x1000, gap.bytes());
      assertEquals("the file ends before the memory of 2 ranges", gap.why());
    }
  }

  @Test
  void placesThatCannotBeAddedUpAreNoPlaces() {
    MinidumpBuilder writer =
        new MinidumpBuilder()
            .memory64(0x1000, Long.MAX_VALUE)
            .memory64(0x2000, Long.MAX_VALUE)
            .memory64(0x3000, -1L)
            .memory64(0x4000, 0x10);
    Gaps gaps = new Gaps();
    try (Minidump dump = Minidump.open(InputFile.of(writer.toByteArray(), "a.dmp"), gaps)) {
      assertEquals(0, dump.memory().bytes());
      assertEquals(1, gaps.list().size());
    }
  }

  /** A model that holds each byte by itself. */
  @Test
  void anyListsGiveWhatAddressByAddressIsFirst() {
    Property.check(
        100,
        gen -> {
          MinidumpBuilder writer = new MinidumpBuilder();
          TreeMap<Long, Integer> model = new TreeMap<>();
          List<long[]> rows = gen.list(12, g -> new long[] {g.below(60), g.below(20)});
          int value = 0;
          for (long[] row : new ArrayList<>(rows)) {
            value++;
            writer.memory(0x1000 + row[0], filled((int) row[1], value));
            for (long i = 0; i < row[1]; i++) {
              model.putIfAbsent(0x1000 + row[0] + i, value);
            }
          }
          try (Minidump dump = open(writer)) {
            MemoryRanges memory = dump.memory();
            assertEquals(model.size(), memory.bytes());
            for (long address = 0xFF0; address < 0x1060; address++) {
              Integer expected = model.get(address);
              Bytes bytes = memory.readUpTo(address, 1);
              assertEquals(expected == null ? 0 : 1, bytes.length());
              if (expected != null) {
                assertEquals(expected, bytes.u8(0));
              }
            }
            for (int i = 1; i < memory.count(); i++) {
              assertTrue(memory.start(i) >= memory.start(i - 1) + memory.length(i - 1));
            }
          }
        });
  }
}
