package io.ntrail.formats.bytes;

import java.util.BitSet;

/** An input that counts which of its blocks anybody has asked for a window on. */
public final class CountedInput {
  private final int blockSize;
  private final BitSet blocks = new BitSet();
  private final InputFile file;

  /**
   * Counts from now on.
   *
   * @param blockSize bytes of what is counted
   */
  public CountedInput(InputFile input, int blockSize) {
    this.blockSize = blockSize;
    this.file = input.watched(this::count);
  }

  private void count(long offset, int length) {
    if (length > 0) {
      int last = (int) ((offset + length - 1) / blockSize);
      blocks.set((int) (offset / blockSize), last + 1);
    }
  }

  /** Returns the input to read. */
  public InputFile file() {
    return file;
  }

  /**
   * Returns the number of different blocks that were in a window: an upper bound of the blocks
   * read.
   */
  public int touched() {
    return blocks.cardinality();
  }

  /** Returns the number of blocks. */
  public int total() {
    return (int) ((file.size() + blockSize - 1) / blockSize);
  }
}
