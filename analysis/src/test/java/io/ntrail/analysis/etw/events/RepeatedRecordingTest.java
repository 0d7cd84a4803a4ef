package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RepeatedRecording;
import io.ntrail.testkit.etl.BigProfile;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Recordings in which all happens several times. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepeatedRecordingTest {
  private static final int TIMES = 3;

  private Path once = Path.of("");
  private Path repeated = Path.of("");

  @BeforeAll
  void write(@TempDir Path folder) throws IOException {
    once = folder.resolve("once.etl");
    repeated = folder.resolve("repeated.etl");
    BigProfile.write(once, 1_000_000, 500, 7);
    try (EtlFile file = EtlFile.open(input(once), new Gaps());
        OutputStream out = Files.newOutputStream(repeated)) {
      assertTrue(RepeatedRecording.isRepeatable(file));
      RepeatedRecording.write(file, out, TIMES);
    }
  }

  private static InputFile input(Path file) throws IOException {
    return InputFile.map(file, file.getFileName().toString());
  }

  private static EtwRecording open(Path file) throws IOException {
    return EtwRecording.of(List.of(input(file)));
  }

  /** Numbers of events and of those with a stack, by name. */
  private static Map<String, List<Long>> counts(Path file) throws IOException {
    Map<String, List<Long>> counts = new TreeMap<>();
    try (EtwRecording recording = open(file)) {
      for (EventCounts.Row row : EventCounts.of(recording, 2).rows()) {
        counts.put(row.text(), List.of(row.count(), row.withStack()));
      }
      assertEquals(List.of(), recording.gaps());
    }
    return counts;
  }

  @Test
  void allEventsAndTheirStacksHappenSeveralTimes() throws IOException {
    Map<String, List<Long>> expected = new TreeMap<>();
    // The header buffer is there once.
    counts(once)
        .forEach((name, row) ->
            expected.put(
                name,
                name.startsWith("EventTrace/")
                    ? row
                    : row.stream().map(count -> count * TIMES).toList()));
    assertEquals(expected, counts(repeated));
    assertTrue(expected.values().stream().anyMatch(row -> row.get(1) > 1000), expected::toString);
  }

  @Test
  void eachTimeIsLaterThanTheOneBefore() throws IOException {
    long first;
    try (EtwRecording recording = open(once)) {
      first = recording.covered(1, Long.MIN_VALUE, Long.MAX_VALUE);
    }
    try (EtwRecording recording = open(repeated);
        OrderedCursor cursor = recording.inOrder()) {
      long covered = recording.covered(1, Long.MIN_VALUE, Long.MAX_VALUE);
      assertTrue(covered >= 2 * first && covered <= TIMES * first + 1_000_000, () -> "" + covered);
      long before = Long.MIN_VALUE;
      int same = 0;
      while (cursor.next()) {
        same += cursor.nanos() == before ? 1 : 0;
        before = cursor.nanos();
      }
      // As in the recording itself, hardly any events have one time.
      assertTrue(same < 100, () -> "events at the time of another");
    }
  }

  @Test
  void compressedOnesAreRefused() {
    byte[] sample = SampleRecording.make().toByteArray();
    try (EtlFile file = EtlFile.open(InputFile.of(sample, "sample"), new Gaps())) {
      assertFalse(RepeatedRecording.isRepeatable(file));
      assertThrows(
          IllegalArgumentException.class,
          () -> RepeatedRecording.write(file, OutputStream.nullOutputStream(), 2));
    }
  }
}
