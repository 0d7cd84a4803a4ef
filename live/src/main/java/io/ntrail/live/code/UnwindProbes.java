package io.ntrail.live.code;

/**
 * Code in front of functions of the system that leave frames: it records the frame that they go to,
 * and continues with them. Where unwinding follows function tables it is not needed.
 */
public interface UnwindProbes {
  /** Function that leaves frames. */
  enum Unwinder {
    /** {@code RtlUnwind}, for exceptions. */
    RTL_UNWIND,
    /** {@code longjmp} of a C runtime. */
    LONGJMP
  }

  /**
   * Code in front of a function.
   *
   * @param body offset of the function's own first instructions, at its end
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Probe(byte[] bytes, int body) {}

  /**
   * Returns the code. It needs a jump of 5 bytes at the function.
   *
   * @param function its unit has all bytes that the jump overwrites
   * @param at where the code will lie
   */
  Probe code(Unwinder unwinder, TracedCode function, long at);

  /** Returns the size of the code for a function at most. */
  int most();
}
