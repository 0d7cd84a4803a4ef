package io.ntrail.programs.unwind;

/**
 * Limits of the stack of a thread. Addresses are unsigned.
 *
 * @param low lowest address
 * @param high address past the highest byte; a stack pointer of the outermost frame can be there
 */
public record StackLimits(long low, long high) {
  /** Limits that hold whatever the stack pointer is. */
  public static final StackLimits UNKNOWN = new StackLimits(0, -1);

  /** Returns true if these are limits, and not all addresses. */
  public boolean isKnown() {
    return !equals(UNKNOWN);
  }

  /** Returns true if a stack pointer lies within. */
  public boolean contains(long stackPointer) {
    return Long.compareUnsigned(stackPointer, low) >= 0
        && Long.compareUnsigned(stackPointer, high) <= 0;
  }

  /**
   * Returns true if all of some bytes lie within.
   *
   * @param bytes number of them, from 1 to the size of the stack
   */
  public boolean holds(long address, int bytes) {
    return contains(address) && Long.compareUnsigned(high - address, bytes) >= 0;
  }
}
