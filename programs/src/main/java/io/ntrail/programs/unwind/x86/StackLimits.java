package io.ntrail.programs.unwind.x86;

/**
 * The addresses of a thread's stack.
 *
 * @param low first address
 * @param high address past the last one
 */
public record StackLimits(long low, long high) {
  /** A stack whose limits are not known: the lower 4 GiB. */
  public static final StackLimits UNKNOWN = new StackLimits(0, 1L << 32);

  /** Returns true if these are limits, and not all addresses. */
  public boolean isKnown() {
    return !equals(UNKNOWN);
  }

  /** Returns true if 4 bytes at an address are in it. */
  public boolean holdsWord(long address) {
    return address >= low && address <= high - 4;
  }
}
