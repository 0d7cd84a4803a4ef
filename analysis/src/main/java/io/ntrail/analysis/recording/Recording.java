package io.ntrail.analysis.recording;

/** A recording. */
public final class Recording {
  /** Empty. */
  public Recording() {}
}
