package io.ntrail.analysis.dumps;

/**
 * The stack of a thread.
 *
 * @param low lowest address that is committed, or that was saved
 * @param high address past the highest byte
 * @param reserved lowest address that is reserved for it; equal to {@code low} if unknown
 */
public record StackBounds(long low, long high, long reserved) {
  /** Returns true if an address is in it, committed or not. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - reserved, high - reserved) < 0;
  }

  /** Returns the bytes that are reserved for it. */
  public long size() {
    return high - reserved;
  }
}
