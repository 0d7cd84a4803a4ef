package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.CopiedGaps;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;

/**
 * Rules of any cut, whatever the file is: each record that can be read in it and is selected is in
 * the new file, with its time and processor and in that order; each other one there is of the
 * whole, too; what could not be read is told by it, and nothing else in it is damaged.
 */
final class CutRules {
  private final Path scratch;

  /** Rules that are checked with a file of their own. */
  CutRules(Path folder) {
    this.scratch = folder.resolve("cut-rules.etl");
  }

  private record Line(long nanos, int cpu, int session, String bytes) {}

  /**
   * Part of a recording.
   *
   * @param from share of its time where the part begins, in 255ths
   * @param length share of its time that the part has, in 255ths
   * @param cpu whose records are kept; negative for all
   */
  record Part(int from, int length, int cpu) {}

  /**
   * Checks the rules.
   *
   * @return false if the file is refused
   */
  boolean check(byte[] file, Part part, boolean isCompressed) throws IOException {
    EtwRecording opened;
    try {
      opened = EtwRecording.of(List.of(InputFile.of(file, "in.etl")));
    } catch (CannotGoOn e) {
      return false;
    }
    try (EtwRecording recording = opened) {
      Events events =
          Events.of(recording, new SchemaSources(UserSchemas.NONE), 1, Events.Learn.SWITCHES);
      List<Line> whole = records(recording);
      long first = whole.isEmpty() ? 0 : whole.getFirst().nanos;
      long span = whole.isEmpty() ? 0 : whole.getLast().nanos - first;
      long from = first + (long) ((double) span * part.from / 255);
      long to = from + (long) ((double) span * part.length / 255) + 1;
      EventFilter.Builder filter = new EventFilter.Builder();
      if (part.cpu >= 0) {
        BitSet only = new BitSet();
        only.set(part.cpu);
        filter.cpus(only);
      }
      byte[] cut;
      try {
        cut = cut(events, from, to, filter.build(), isCompressed);
      } catch (CannotGoOn e) {
        assertTrue(!e.message().isEmpty());
        return false;
      }
      try (EtwRecording written = EtwRecording.of(List.of(InputFile.of(cut, "out.etl")))) {
        List<Line> kept = records(written);
        assertEquals(selected(whole, from, to, part.cpu), selected(kept, from, to, part.cpu));
        areOf(whole, kept);
        assertEquals(
            MergeRules.withoutTimes(recording.gaps()), MergeRules.withoutTimes(written.gaps()));
        assertEquals(recording.losses().any(), written.losses().any());
      }
      return true;
    }
  }

  private byte[] cut(Events events, long from, long to, EventFilter filter, boolean isCompressed)
      throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            scratch,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      RecordingCut.write(
          events,
          new RecordingCut.Request(from, to, filter, 1, "some"),
          channel,
          isCompressed,
          RecordRewriter.NONE);
    }
    return Files.readAllBytes(scratch);
  }

  private static List<Line> selected(List<Line> all, long from, long to, int cpu) {
    return all.stream()
        .filter(one -> one.nanos >= from && one.nanos < to && (cpu < 0 || one.cpu == cpu))
        .toList();
  }

  /** Checks that all records of a part are those of the whole, in that order. */
  private static void areOf(List<Line> whole, List<Line> part) {
    Iterator<Line> left = whole.iterator();
    for (Line one : part) {
      boolean isFound = false;
      while (!isFound && left.hasNext()) {
        isFound = left.next().equals(one);
      }
      assertTrue(isFound, () -> "not of the whole, or not in its order: " + one);
    }
  }

  /**
   * Returns the records in time order, but for those of the header buffer. Sessions have no order
   * among their records of one processor and time.
   */
  private static List<Line> records(EtwRecording recording) {
    List<Line> all = new ArrayList<>();
    recording.survey(1);
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        if (record.buffer() != 0 && !CopiedGaps.isOne(record)) {
          byte[] bytes = record.bytes().array(record.offset(), record.size());
          int session = record.file().buffers().loggerId(record.buffer());
          String hex = HexFormat.of().formatHex(bytes);
          all.add(new Line(cursor.nanos(), record.cpu(), session, hex));
        }
      }
    }
    all.sort(
        Comparator.comparingLong(Line::nanos)
            .thenComparingInt(Line::cpu)
            .thenComparingInt(Line::session));
    return all;
  }
}
