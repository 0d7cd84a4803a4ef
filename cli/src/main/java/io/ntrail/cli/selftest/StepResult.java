package io.ntrail.cli.selftest;

import io.ntrail.cli.selftest.StepSkipped.Need;
import org.jspecify.annotations.Nullable;

/**
 * Result of a step.
 *
 * @param step the step
 * @param state what became of it
 * @param needs of one that was skipped: what it needs; else null
 * @param command the last one of a step that failed; what a person types for one that was skipped;
 *     may be empty
 * @param note what is worth knowing of one that passed, the reason of one that was skipped
 * @param expected of one that failed
 * @param seen of one that failed
 * @param nanos how long it took
 */
record StepResult(
    Step step,
    State state,
    @Nullable Need needs,
    String command,
    String note,
    String expected,
    String seen,
    long nanos) {
  /** State of a step. */
  enum State {
    PASSED("passed"),
    FAILED("failed"),
    SKIPPED("skipped");

    private final String word;

    State(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  static StepResult passed(Step step, String note, long nanos) {
    return new StepResult(step, State.PASSED, null, "", note, "", "", nanos);
  }

  static StepResult skipped(Step step, StepSkipped why) {
    return new StepResult(step, State.SKIPPED, why.need(), step.type(), why.why(), "", "", 0);
  }

  static StepResult failed(Step step, String command, String expected, String seen, long nanos) {
    return new StepResult(step, State.FAILED, null, command, "", expected, seen, nanos);
  }
}
