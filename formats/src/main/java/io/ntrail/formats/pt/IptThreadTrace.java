package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputBuilder;
import io.ntrail.formats.bytes.InputFile;

/**
 * Ring of one thread in a file of ipt.sys, with the fields of its IPT_TRACE_HEADER.
 *
 * @param threadId the traced thread
 * @param timingSettings 0 none, 1 MTC, 2 CYC
 * @param mtcFrequency RTIT_CTL[17:14]
 * @param ratio {@code FrequencyToTscRatio}, as it is: how it is encoded is not known
 * @param ringOffset where the next packet would have been written
 * @param ringBytes size of the ring
 * @param at offset of the ring in the file
 * @param present bytes of it that are in the file: fewer if the file is cut
 */
public record IptThreadTrace(
    long threadId,
    long timingSettings,
    long mtcFrequency,
    long ratio,
    long ringOffset,
    long ringBytes,
    long at,
    long present) {
  private static final int CHUNK = 1 << 20;

  /** Returns true if the whole ring is in the file. */
  public boolean isWhole() {
    return present == ringBytes;
  }

  /** Returns how many bytes {@link #inOrder} has. */
  public long bytes() {
    return isWhole() ? ringBytes : Math.min(ringOffset, present);
  }

  /**
   * Returns the trace with its oldest byte first: zeros first if the ring was never full. Of a ring
   * that is cut only the newer part is given: between it and the older part packets are missing.
   *
   * @param file the file that it was found in
   */
  public InputFile inOrder(InputFile file) {
    try (InputBuilder stream = new InputBuilder(file.name() + " (thread " + threadId + ")")) {
      if (isWhole()) {
        append(stream, file, at + ringOffset, ringBytes - ringOffset);
        append(stream, file, at, ringOffset);
      } else {
        append(stream, file, at, bytes());
      }
      return stream.finish();
    }
  }

  private static void append(InputBuilder stream, InputFile file, long from, long length) {
    for (long done = 0; done < length; ) {
      int size = (int) Math.min(CHUNK, length - done);
      Bytes window = file.window(from + done, size);
      stream.append(window.array(0, size), 0, size);
      done += size;
    }
  }
}
