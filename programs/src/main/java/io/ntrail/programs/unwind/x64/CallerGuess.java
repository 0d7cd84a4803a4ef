package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import java.util.Optional;

/**
 * Guesses at the caller of code that no unwind data describe: jumps through bad pointers, code made
 * at run time whose tables are not known, modules without an image.
 *
 * <ol>
 *   <li>Nothing was executed there: a call through a bad pointer. The return address is at the
 *       stack pointer, and the registers are the caller's.
 *   <li>A chain of frame pointers, as makers of code at run time like to keep one.
 *   <li>The first word of the stack that can be a return address.
 * </ol>
 *
 * <p>Every guess needs a return address behind a call. Breakpad and dbghelp guess the same way; the
 * registers that they keep are forgotten here, where nothing speaks for their values.
 */
final class CallerGuess {
  private static final int WORD = 8;

  /** Words that are looked at: a frame of unknown code is seldom larger than a kilobyte. */
  private static final int MOST_WORDS = 160;

  private final AddressSpace code;
  private final ReturnAddresses returns;

  CallerGuess(VirtualUnwinder unwinder) {
    this.code = unwinder.code();
    this.returns = new ReturnAddresses(code, unwinder.lookup().modules());
  }

  /**
   * Returns a frame that may be the caller of another.
   *
   * @param interrupted whether the frame is one that ran, and not one that waits for a return
   */
  Optional<StackFrame> callerOf(FrameRegisters frame, boolean interrupted, StackMemory stack) {
    try {
      Optional<StackFrame> found = Optional.empty();
      if (interrupted && code.readUpTo(frame.ip(), 1).length() == 0) {
        found = atStackPointer(frame, stack);
      }
      return found.or(() -> byFramePointer(frame, stack)).or(() -> byScan(frame, stack));
    } catch (DamagedInput _) {
      // The stack ends here: nothing to guess from.
      return Optional.empty();
    }
  }

  private Optional<StackFrame> atStackPointer(FrameRegisters frame, StackMemory stack) {
    long word = stack.word(frame.sp());
    if (!returns.isPlausible(word)) {
      return Optional.empty();
    }
    FrameRegisters caller = frame.copy();
    caller.keepOnly(UnwindRuleBuilder.NONVOLATILE, UnwindRuleBuilder.NONVOLATILE_XMM);
    caller.setIp(word);
    caller.setSp(frame.sp() + WORD);
    return Optional.of(new StackFrame(FrameTrust.SCAN, caller));
  }

  private Optional<StackFrame> byFramePointer(FrameRegisters frame, StackMemory stack) {
    long pointer = frame.get(FrameRegisters.BP);
    boolean possible =
        frame.isKnown(FrameRegisters.BP)
            && (pointer & WORD - 1) == 0
            && Long.compareUnsigned(pointer, frame.sp()) >= 0
            && stack.has(pointer)
            && stack.has(pointer + WORD);
    if (!possible) {
      return Optional.empty();
    }
    long word = stack.word(pointer + WORD);
    if (!returns.isPlausible(word) && !continues(stack, pointer, word)) {
      return Optional.empty();
    }
    FrameRegisters caller = FrameRegisters.x64();
    caller.setIp(word);
    caller.setSp(pointer + 2 * WORD);
    caller.set(FrameRegisters.BP, stack.word(pointer));
    return Optional.of(new StackFrame(FrameTrust.FRAME, caller));
  }

  /**
   * Returns true if a caller outside of all modules has a frame pointer itself, which leads to
   * another return address: code made at run time calls code made at run time.
   */
  private boolean continues(StackMemory stack, long pointer, long word) {
    long next = stack.word(pointer);
    return code.readUpTo(word, 1).length() == 1
        && (next & WORD - 1) == 0
        && Long.compareUnsigned(next, pointer) > 0
        && stack.has(next + WORD)
        && (returns.isPlausible(stack.word(next + WORD))
            || code.readUpTo(stack.word(next + WORD), 1).length() == 1);
  }

  private Optional<StackFrame> byScan(FrameRegisters frame, StackMemory stack) {
    for (int i = 0; i < MOST_WORDS; i++) {
      long at = frame.sp() + (long) i * WORD;
      long word = stack.word(at);
      if (returns.isPlausible(word)) {
        FrameRegisters caller = FrameRegisters.x64();
        caller.setIp(word);
        caller.setSp(at + WORD);
        keepFramePointer(frame, caller);
        return Optional.of(new StackFrame(FrameTrust.SCAN, caller));
      }
    }
    return Optional.empty();
  }

  /** A frame pointer further up than the caller's stack pointer is likely to be the caller's. */
  private static void keepFramePointer(FrameRegisters frame, FrameRegisters caller) {
    long pointer = frame.get(FrameRegisters.BP);
    if (frame.isKnown(FrameRegisters.BP)
        && Long.compareUnsigned(pointer, caller.sp()) >= 0
        && Long.compareUnsigned(pointer - caller.sp(), 1 << 20) < 0) {
      caller.set(FrameRegisters.BP, pointer);
    }
  }
}
