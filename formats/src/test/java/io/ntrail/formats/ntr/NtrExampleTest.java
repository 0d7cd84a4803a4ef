package io.ntrail.formats.ntr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The example of docs/ntr.md section 10: what its text says, and what its bytes say. */
class NtrExampleTest {
  private static byte[] example() throws IOException {
    LittleEndian out = new LittleEndian();
    for (String line : Files.readAllLines(Path.of("..", "docs", "ntr.md"))) {
      if (line.matches("[0-9a-f]{4} ( [0-9a-f]{2})+")) {
        assertEquals(out.size(), Integer.parseInt(line.substring(0, 4), 16));
        out.bytes(HexFormat.ofDelimiter(" ").parseHex(line.substring(6)));
      }
    }
    return out.toByteArray();
  }

  private static ReferenceNtrReader.Event event(
      long number, int kind, long ticks, long function, int slot, long key, long value) {
    return new ReferenceNtrReader.Event(
        number, kind, ticks, function, 0, slot, key, value, List.of());
  }

  @Test
  void theBytesAreThoseOfTheText() throws IOException {
    Reading reading = Reading.compared(example());
    assertNotNull(reading);
    List<ReferenceNtrReader.Event> events =
        List.of(
            event(0, 2, 0x10064, 1, 0, 0x7000, 0x400500),
            event(1, 2, 0x10078, 2, 1, 0x6FC0, 0x401010),
            event(2, 3, 0x100A0, 2, 1, 0x6FC0, 5),
            event(3, 2, 0x100C8, 2, 1, 0x6FC0, 0x401010),
            event(4, 3, 0x100F0, 2, 1, 0x6FC0, 5),
            event(5, 4, 0x102F0, 1, 0, 0x7000, 0xE06D7363L));
    assertEquals(Map.of(1L, events), reading.events());
    assertEquals(
        Map.of("function 1", "0 4198400 main", "function 2", "0 4202496 f"), reading.definitions());
    assertEquals(
        new ReferenceNtrReader.Recording(
            List.of(1L, 1_000_000_000L, 0x10000L, 0L, 0x8664L, 8L, 1L), "ntrail 1"),
        reading.recording());
    assertEquals(List.of(), reading.holes());
  }

  @Test
  void theWriterWritesTheseBytes() throws IOException {
    NtrHeader header = new NtrHeader(1, 1_000_000_000L, 0x10000, 0, 0x8664, 8, 1, "ntrail 1");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 0x1122_3344, NtrWriter.Packing.FAST, 1000)) {
      writer.function(new TracedFunction(1, 0, 0x401000, "main", List.of()));
      writer.function(new TracedFunction(2, 0, 0x402000, "f", List.of()));
      ThreadEventWriter thread = writer.events(1);
      thread.entry(0x10064, 1, 0, 0, 0x7000, 0x400500);
      thread.entry(0x10078, 2, 0, 1, 0x6FC0, 0x401010);
      thread.exit(0x100A0, 2, 0, 1, 0x6FC0, 5);
      thread.entry(0x100C8, 2, 0, 1, 0x6FC0, 0x401010);
      thread.exit(0x100F0, 2, 0, 1, 0x6FC0, 5);
      thread.unwind(0x102F0, 1, 0, 0, 0x7000, 0xE06D7363L);
      writer.flush();
      assertArrayEquals(example(), out.toByteArray());
    }
  }
}
