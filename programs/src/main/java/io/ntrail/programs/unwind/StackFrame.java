package io.ntrail.programs.unwind;

/**
 * A frame of a stack.
 *
 * @param trust how it was found
 * @param registers values in this frame as far as they are known: the instruction pointer (in
 *     callers the return address) and the stack pointer always are. Not to be changed
 */
public record StackFrame(FrameTrust trust, FrameRegisters registers) {
  /** Returns the instruction pointer; in the frame of a caller, the return address. */
  public long ip() {
    return registers.ip();
  }

  /** Returns the stack pointer while control is in this frame. */
  public long sp() {
    return registers.sp();
  }
}
