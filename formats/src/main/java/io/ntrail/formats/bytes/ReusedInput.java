package io.ntrail.formats.bytes;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory for short inputs that are put together out of stretches, one after the other: each is
 * valid until the next one is made. The memory is freed when nothing uses it any more. For one
 * thread.
 */
public final class ReusedInput {
  private MemorySegment memory = MemorySegment.NULL;

  /** No input yet. */
  public ReusedInput() {}

  /**
   * Returns an input of a window's bytes from {@code first} to its end, then those before it.
   *
   * @param first offset in the window; 0 or the length keep the order
   */
  public InputFile rotated(Bytes source, int first) {
    int length = source.length();
    if (memory.byteSize() < length) {
      memory = Arena.ofAuto().allocate(length, Long.BYTES);
    }
    memory.asByteBuffer().put(0, source.buffer(), first, length - first);
    memory.asByteBuffer().put(length - first, source.buffer(), 0, first);
    return InputFile.held(memory.asSlice(0, length), source.name(), () -> {});
  }
}
