package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Measures what of a recording was read before reading was stopped. */
final class StoppedParts {
  private StoppedParts() {}

  /**
   * Returns what was read.
   *
   * @param end key of the first record that was not read
   * @param leftOut buffers that a survey left out, by number over all files; if there are none, a
   *     pass in time order was stopped
   */
  static StoppedReading of(EtwRecording recording, long end, Set<Integer> leftOut) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    long read = 0;
    int number = 0;
    List<Gap> gaps = new ArrayList<>();
    for (EtlFile file : recording.files()) {
      BufferIndex buffers = file.buffers();
      long offset = Long.MAX_VALUE;
      long bytes = 0;
      for (int b = 0; b < buffers.count(); b++) {
        long key = recording.key(file, buffers.firstTicks(b));
        // The record of the header may be from long before the events: those of a ring.
        first = buffers.isHeader(b) ? first : Math.min(first, key);
        last = Math.max(last, key);
        boolean isOut = leftOut.isEmpty() ? key >= end : leftOut.contains(number);
        if (isOut) {
          offset = Math.min(offset, buffers.fileOffset(b));
          bytes += buffers.fileBytes(b);
        } else {
          read += buffers.fileBytes(b);
        }
        number++;
      }
      if (bytes > 0) {
        gaps.add(new Gap(file.name(), offset, bytes, "buffers", "reading was stopped"));
      }
    }
    return new StoppedReading(
        recording.nanosOf(Math.min(first, end)),
        recording.nanosOf(end),
        recording.nanosOf(Math.max(last, end)),
        read,
        recording.size(),
        gaps);
  }
}
