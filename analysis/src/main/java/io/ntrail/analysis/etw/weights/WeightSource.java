package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;

/** Something that turns events, in time order, into weighted stacks. */
interface WeightSource {
  /** Looks at an event. */
  void visit(EventContext moment);

  /** Whether it must know which thread runs on each CPU. */
  default boolean followsThreads() {
    return true;
  }

  /** The recording is over. */
  default void finish(ProfileDiagnostics remarks) {}
}
