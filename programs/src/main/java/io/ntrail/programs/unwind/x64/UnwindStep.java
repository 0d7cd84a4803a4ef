package io.ntrail.programs.unwind.x64;

import io.ntrail.programs.unwind.StackWalk;

/** Result of undoing one frame. */
public sealed interface UnwindStep {
  /**
   * The registers are those of the caller, or of the interrupted code.
   *
   * @param rule that was run
   * @param establisherFrame address by which handlers know the frame that was left
   */
  record Caller(UnwindRule rule, long establisherFrame) implements UnwindStep {}

  /**
   * The registers are of no frame any more.
   *
   * @param end kind of the reason
   * @param why in words, with addresses
   */
  record Failed(StackWalk.End end, String why) implements UnwindStep {}
}
