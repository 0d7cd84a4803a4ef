package io.ntrail.analysis.profile;

/** Thing that an event is about, which weights can be told apart by. */
public enum WeightSubject {
  /** Weights are not told apart by what their events are about. */
  NONE,
  /** The file that is read, written or mapped. */
  FILE,
  /** The type of the objects that are allocated. */
  TYPE
}
