package io.ntrail.analysis.profile;

/** What has to be said beside a profile: what was not summed, and why. */
public final class ProfileDiagnostics {
  long unfinished;
  long broken;
  long breaks;
  boolean intervalUnknown;
  long unattributed;

  ProfileDiagnostics() {}

  /** Waits and operations whose end the recording does not tell. */
  public long unfinished() {
    return unfinished;
  }

  /** Ends without a beginning, and beginnings that were forgotten because another one came. */
  public long broken() {
    return broken;
  }

  /** Places where context switches of a CPU do not follow from each other: some were lost. */
  public long breaks() {
    return breaks;
  }

  /** Whether nothing told the sampling interval, so that 1 ms, or 1 event, was taken. */
  public boolean intervalUnknown() {
    return intervalUnknown;
  }

  /** Weights of which nobody knows the process. */
  public long unattributed() {
    return unattributed;
  }
}
