package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.FrameRegisters;
import java.util.List;

/**
 * Result of following code up to a return.
 *
 * @param returnAddress address of the word that the return takes
 * @param saved values that registers have after the return, by number
 * @param popped bytes that the return removes besides: parameters of the function
 * @param isStraight true if nothing lies between but instructions of a prologue or an epilogue
 * @param isGuessed true if it was guessed what a call on the way removed from the stack
 */
record PathToReturn(
    SymbolicValue returnAddress,
    List<SymbolicValue> saved,
    int popped,
    boolean isStraight,
    boolean isGuessed) {
  PathToReturn {
    saved = List.copyOf(saved);
  }

  /** Returns true if the return address is found from the stack pointer. */
  boolean usesStackPointer() {
    return returnAddress.base() == FrameRegisters.SP;
  }

  /** Returns the value that a register has after the return. */
  SymbolicValue register(int number) {
    return saved.get(number);
  }
}
