package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;

/** Turns the events of a recording, in time order, into weighted stacks. */
interface WeightVisitor {
  /** Looks at an event. */
  void visit(EventContext event);

  /** Handles unfinished items at the end of the recording. */
  default void finish(ProfileDiagnostics diagnostics) {}
}
