package io.ntrail.cli.selftest;

import io.ntrail.cli.selftest.StepSkipped.Need;
import java.io.IOException;

/**
 * A step of the checklist.
 *
 * @param group heading of the checklist
 * @param title what is tried
 * @param type what a person types to do the same; empty if the body does it
 * @param seconds time limit
 * @param body does it
 */
record Step(String group, String title, String type, int seconds, Body body) {
  private static final int SECONDS = 60;

  /** Work of a step. */
  interface Body {
    /**
     * Does it.
     *
     * @return what is worth knowing besides that it passed; may be empty
     * @throws StepFailed if something else was seen than expected
     * @throws StepSkipped if it cannot be done here
     */
    String run(Bench bench) throws IOException, InterruptedException;
  }

  /** A step that the command does itself. */
  static Step of(String group, String title, Body body) {
    return new Step(group, title, "", SECONDS, body);
  }

  /** A step that only a person can do. */
  static Step person(String group, String title, Need need, String why, String type) {
    return new Step(
        group,
        title,
        type,
        SECONDS,
        _ -> {
          throw new StepSkipped(need, why);
        });
  }
}
