package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.recording.SessionTimes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.CopiedGaps;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Rules of any merge, whatever the files are: each record that can be read in them is in the new
 * file, with its time and processor and in that order; what could not be read is told by it, and
 * nothing else in it is damaged; merged once more, it has the same bytes.
 */
final class MergeRules {
  private final Path scratch;

  /** Rules that are checked with a file of their own. */
  MergeRules(Path folder) {
    this.scratch = folder.resolve("merge-rules.etl");
  }

  /**
   * Checks the rules.
   *
   * @return false if the files are refused
   */
  boolean check(List<byte[]> files, boolean isCompressed) throws IOException {
    List<InputFile> inputs = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      inputs.add(InputFile.of(files.get(i), "in" + i + ".etl"));
    }
    EtwRecording opened;
    try {
      opened = EtwRecording.of(inputs);
    } catch (CannotGoOn e) {
      return false;
    }
    try (EtwRecording recording = opened) {
      byte[] to;
      try {
        to = merged(recording, isCompressed);
      } catch (CannotGoOn e) {
        assertTrue(!e.message().isEmpty());
        return false;
      }
      boolean isOne = files.size() == 1;
      List<String> before = records(recording, isOne);
      try (EtwRecording written = EtwRecording.of(List.of(InputFile.of(to, "out.etl")))) {
        assertEquals(before, records(written, isOne));
        assertEquals(withoutTimes(recording.gaps()), withoutTimes(written.gaps()));
        assertEquals(recording.losses().any(), written.losses().any());
        assertArrayEquals(to, merged(written, isCompressed));
      }
      return true;
    }
  }

  private byte[] merged(EtwRecording recording, boolean isCompressed) throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            scratch,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      RecordingMerge.write(recording, channel, isCompressed, List.of(), MachineRecords.without(""));
    }
    return Files.readAllBytes(scratch);
  }

  /**
   * Returns time, processor and bytes of each record in time order, but for header records and what
   * stands behind that of the first file.
   *
   * @param isOne false if several files have no order among records of one time: sorted by bytes
   */
  private static List<String> records(EtwRecording recording, boolean isOne) {
    List<Timed> all = new ArrayList<>();
    recording.survey(1);
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        boolean isOfHeader =
            record.buffer() == 0
                && (cursor.fileNumber() == 0 || record.kind().isHook() && record.hookId() == 0);
        if (!isOfHeader && !CopiedGaps.isOne(record)) {
          byte[] bytes = record.bytes().array(record.offset(), record.size());
          all.add(new Timed(cursor.nanos(), record.cpu() + " " + HexFormat.of().formatHex(bytes)));
        }
      }
    }
    if (!isOne) {
      all.sort(Comparator.comparingLong(Timed::nanos).thenComparing(Timed::text));
    }
    return all.stream().map(one -> one.nanos + " " + one.text).toList();
  }

  private record Timed(long nanos, String text) {}

  /** Wild times and payloads are found again in the records that were written, in other buffers. */
  static List<Gap> withoutTimes(List<Gap> gaps) {
    return gaps.stream()
        .filter(gap -> !SessionTimes.isOne(gap) && !gap.what().equals(RecordCursor.PAYLOAD))
        .toList();
  }
}
