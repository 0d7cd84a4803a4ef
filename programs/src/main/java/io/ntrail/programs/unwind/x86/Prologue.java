package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.FrameRegisters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Registers and stack after the first instructions of a function, in terms of those before.
 *
 * @param state with the stack pointer of the first instruction, at which the return address is
 */
record Prologue(SymbolicState state) {
  /**
   * Returns the bytes that were put on the stack below the return address; empty if that is not
   * known, as after an alignment.
   */
  OptionalInt depth() {
    SymbolicValue top = state.get(FrameRegisters.SP);
    return top.isAddress() && top.base() == FrameRegisters.SP && top.offset() <= 0
        ? OptionalInt.of(-top.offset())
        : OptionalInt.empty();
  }

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

  /**
   * Returns the way to the return address from where the prologue has come to; empty if the depth
   * is not known.
   */
  Optional<PathToReturn> back() {
    OptionalInt depth = depth();
    if (depth.isEmpty()) {
      return Optional.empty();
    }
    SymbolicValue returnAddress = SymbolicValue.of(FrameRegisters.SP).plus(depth.getAsInt());
    List<SymbolicValue> registers = new ArrayList<>(8);
    for (int i = 0; i < 8; i++) {
      OptionalInt saved = savedAt(i);
      registers.add(
          isUnchanged(i)
              ? SymbolicValue.of(i)
              : saved.isPresent()
                  ? returnAddress.plus(saved.getAsInt()).word()
                  : SymbolicValue.UNKNOWN);
    }
    registers.set(FrameRegisters.SP, returnAddress);
    return Optional.of(new PathToReturn(returnAddress, registers, 0, true, false));
  }
}
