package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.FrameRegisters;
import java.util.OptionalInt;

/**
 * Result of following the prologue of a function from its first instruction up to an address.
 *
 * @param depth bytes that were put on the stack below the return address
 * @param state registers and stack in terms of those at the first instruction
 */
record Prologue(int depth, SymbolicState state) {
  /**
   * Returns where a register was saved, as an offset from the return address, below 0; empty if it
   * was not.
   */
  OptionalInt savedAt(int register) {
    return state.savedAt(register);
  }

  /** Returns true if the register has the value that it had at the first instruction. */
  boolean isUnchanged(int register) {
    return state.get(register).equals(SymbolicValue.of(register));
  }

  /** Returns true if the frame pointer was set up. */
  boolean hasFramePointer() {
    SymbolicValue value = state.get(FrameRegisters.BP);
    return value.isSum() && value.base() == FrameRegisters.SP;
  }
}
