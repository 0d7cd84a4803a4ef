package io.ntrail.testkit.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BigRecordingTest {
  @TempDir private Path folder;

  @Test
  void totalsAreThoseOfTheFile() throws IOException {
    Path path = folder.resolve("big.etl");
    BigRecording.Totals totals = BigRecording.write(path, 8_000_000, 65536, 3);
    byte[] file = Files.readAllBytes(path);
    assertEquals(totals.bytes(), file.length);
    assertTrue(file.length >= 8_000_000);
    List<Integer> buffers = Damage.bufferOffsets(file);
    assertEquals(totals.buffers(), buffers.size());
    assertEquals(totals.buffers(), LittleEndian.getU32(file, 72 + 32 + 36));
    Map<String, Long> kinds = new TreeMap<>();
    long first = Long.MAX_VALUE;
    long last = 0;
    boolean disordered = false;
    for (int i = 0; i < buffers.size(); i++) {
      disordered |= LittleEndian.getU64(file, buffers.get(i) + 0x18) != i;
      for (int at : Damage.recordOffsets(file, i)) {
        int type = file[at + 2];
        kinds.merge(type == 2 ? "SYSTEM64" : type == 17 ? "PERFINFO64" : "EVENT64", 1L, Long::sum);
        if (i > 0) {
          long time = LittleEndian.getU64(file, at + (type == 17 ? 8 : 16));
          first = Math.min(first, time);
          last = Math.max(last, time);
        }
      }
    }
    assertEquals(totals.recordsByHeader(), kinds);
    assertEquals(totals.records(), kinds.values().stream().mapToLong(Long::longValue).sum());
    assertEquals(totals.firstTime(), first);
    assertEquals(totals.lastTime(), last);
    assertTrue(disordered);
    double average = (double) totals.bytes() / totals.records();
    assertTrue(average > 60 && average < 100, () -> "bytes a record: " + average);
    Path again = folder.resolve("again.etl");
    assertEquals(totals, BigRecording.write(again, 8_000_000, 65536, 3));
    assertArrayEquals(file, Files.readAllBytes(again));
  }
}
