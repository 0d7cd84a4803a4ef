package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;

/**
 * Result of a rule.
 *
 * @param trust how the caller was found
 * @param registers of the caller, after the return address was taken from the stack
 * @param parameters bytes of parameters of the function that was left, or -1 if not known
 */
record Caller(FrameTrust trust, FrameRegisters registers, int parameters) {
  /** Parameters of a function about which nothing says how many there are. */
  static final int UNKNOWN_PARAMETERS = -1;

  /** Returns true if both lead to the same place. */
  boolean isSamePlace(Caller other) {
    return registers.ip() == other.registers.ip() && registers.sp() == other.registers.sp();
  }
}
