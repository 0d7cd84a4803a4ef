package io.ntrail.analysis.profile;

/** Something that turns events, in time order, into weighted stacks. */
interface WeightSource {
  /** Looks at an event. */
  void visit(Moment moment);

  /** The recording is over. */
  default void finish(Remarks remarks) {}
}
