package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collections.LongIntMap;
import java.util.Optional;

/**
 * Finds buffers that are a copy of an earlier one, as a misplaced write leaves them: their records
 * would be counted twice, and what had been in their place is lost. Two buffers of a recorder
 * differ at least in their sequence number or the times of their records.
 */
final class BufferCopies {
  private static final int WINDOW = 1 << 20;

  /** Buffers that are remembered: those of 64 GB at the usual size, in 32 MB of memory. */
  private static final int MOST = 1 << 20;

  private final InputFile input;
  private final BufferIndex index;

  /** Number of the first buffer by a hash of its header. */
  private final LongIntMap known = new LongIntMap();

  BufferCopies(InputFile input, BufferIndex index) {
    this.input = input;
    this.index = index;
  }

  /**
   * Looks at the next buffer.
   *
   * @param bytes those that are in the file
   * @return why it is to be left out; empty if it is not a copy
   */
  Optional<Gap> add(BufferHeader header, long at, int bytes) {
    if (header.savedOffset() <= EtlLayout.BUFFER_HEADER || bytes <= EtlLayout.BUFFER_HEADER) {
      return Optional.empty();
    }
    long key =
        (header.sequenceNumber() * 31 + header.timeStamp()) * 31
            + header.processorIndex()
            + header.savedOffset();
    int first = known.get(key);
    if (first < 0) {
      if (known.size() < MOST) {
        known.put(key, index.count());
      }
      return Optional.empty();
    }
    long original = index.fileOffset(first);
    if (index.fileBytes(first) != bytes || !areEqual(original, at, bytes)) {
      return Optional.empty();
    }
    String why =
        "it is a copy of the buffer at offset "
            + original
            + ", and anything else that was here is missing";
    return Optional.of(new Gap(input.name(), at, bytes, "buffer", why));
  }

  private boolean areEqual(long a, long b, int bytes) {
    for (int done = 0; done < bytes; done += WINDOW) {
      int length = Math.min(WINDOW, bytes - done);
      if (!input.window(a + done, length).equalsBytes(input.window(b + done, length))) {
        return false;
      }
    }
    return true;
  }
}
