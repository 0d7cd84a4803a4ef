package io.ntrail.programs.unwind.x64;

import io.ntrail.programs.unwind.StackWalk;

/** Answer to the question how a frame at an address is undone: a rule, or why there is none. */
public sealed interface UnwindDecision permits UnwindRule, UnwindDecision.NoRule {
  /**
   * No rule.
   *
   * @param end kind of the reason
   * @param why in words, with addresses
   */
  record NoRule(StackWalk.End end, String why) implements UnwindDecision {}
}
