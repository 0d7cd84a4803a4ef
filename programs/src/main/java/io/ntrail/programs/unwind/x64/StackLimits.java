package io.ntrail.programs.unwind.x64;

/**
 * Limits of the stack of a thread.
 *
 * @param low lowest address
 * @param high address past the highest byte; a stack pointer of the outermost frame can be there
 */
public record StackLimits(long low, long high) {
  /** Limits that hold whatever the stack pointer is. */
  public static final StackLimits UNKNOWN = new StackLimits(0, -1);

  /** Returns true if a stack pointer lies within. */
  boolean contains(long stackPointer) {
    return Long.compareUnsigned(stackPointer, low) >= 0
        && Long.compareUnsigned(stackPointer, high) <= 0;
  }
}
