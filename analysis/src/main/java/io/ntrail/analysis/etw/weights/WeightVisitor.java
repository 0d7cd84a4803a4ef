package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;

/** Turns the events of a recording, in time order, into weighted stacks. */
interface WeightVisitor {
  /** Looks at an event. */
  void visit(EventContext event);

  /** Looks at what is left when the recording is over. */
  default void finish(ProfileDiagnostics diagnostics) {}
}
