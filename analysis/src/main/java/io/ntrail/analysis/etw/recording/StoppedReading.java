package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.bytes.Gap;
import java.util.List;

/**
 * The part of a recording that was read before reading was stopped on request. An answer in time
 * order is about exactly the records before {@code endNanos}; sums of all records also have some
 * later ones, of buffers that were read already.
 *
 * @param firstNanos time at which the events begin
 * @param endNanos time before which all records were read
 * @param lastNanos about the time at which they end
 * @param readBytes bytes of the buffers that were read
 * @param wholeBytes bytes of the recording
 * @param gaps the parts that were not read, one a file
 */
public record StoppedReading(
    long firstNanos,
    long endNanos,
    long lastNanos,
    long readBytes,
    long wholeBytes,
    List<Gap> gaps) {
  public StoppedReading {
    gaps = List.copyOf(gaps);
  }

  /** Returns the nanoseconds that were read. */
  public long readNanos() {
    return Math.max(0, endNanos - firstNanos);
  }

  /** Returns the nanoseconds that the recording lasts, about. */
  public long wholeNanos() {
    return Math.max(0, lastNanos - firstNanos);
  }

  /** Returns the percentage of the time that was read. */
  public int percent() {
    return wholeNanos() == 0 ? 0 : (int) Math.clamp(100.0 * readNanos() / wholeNanos(), 0, 99);
  }
}
