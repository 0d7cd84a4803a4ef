package io.ntrail.analysis.profile;

/** Counts of what a profile could not sum, and why. */
public final class ProfileDiagnostics {
  private long unfinished;
  private long broken;
  private long breaks;
  private boolean intervalUnknown;
  private long unattributed;
  private long stackRecords;
  private long tooLarge;

  /** Creates counts of 0. */
  public ProfileDiagnostics() {}

  /** Adds the counts of another part of the recording. */
  void add(ProfileDiagnostics other) {
    unfinished += other.unfinished;
    broken += other.broken;
    breaks += other.breaks;
    intervalUnknown |= other.intervalUnknown;
    unattributed += other.unattributed;
    stackRecords += other.stackRecords;
    tooLarge += other.tooLarge;
  }

  /** Counts waits or operations without a recorded end. */
  public void addUnfinished(long count) {
    unfinished += count;
  }

  /** Counts an end without a beginning, or a beginning that another one replaced. */
  public void addBroken() {
    broken++;
  }

  /** Counts a context switch that does not follow from the one before on its CPU. */
  public void addBreak() {
    breaks++;
  }

  /** Notes whether a sampling interval was missing. */
  public void noteInterval(boolean unknown) {
    intervalUnknown |= unknown;
  }

  /** Counts a record that was selected by name and is no event, but a stack of one. */
  public void addStackRecord() {
    stackRecords++;
  }

  /** Returns how many of the selected records are stacks of events. */
  public long stackRecords() {
    return stackRecords;
  }

  /** Counts a weight that no event can have, or that the sum has no room for. */
  void addTooLarge() {
    tooLarge++;
  }

  /** Adds a weight of no known process. */
  void addUnattributed(long weight) {
    boolean hasRoom = weight <= Long.MAX_VALUE - unattributed;
    unattributed = hasRoom ? unattributed + weight : Long.MAX_VALUE;
  }

  /** Returns how many waits and operations have no end in the recording. */
  public long unfinished() {
    return unfinished;
  }

  /** Returns how many ends have no beginning, and how many beginnings another one replaced. */
  public long broken() {
    return broken;
  }

  /**
   * Returns at how many places context switches of a CPU do not follow from each other: some were
   * lost.
   */
  public long breaks() {
    return breaks;
  }

  /**
   * Returns true if the sampling interval was not recorded, so that 1 ms, or 1 event, was taken.
   */
  public boolean intervalUnknown() {
    return intervalUnknown;
  }

  /**
   * Returns how many weights are in no sum since they are negative or too large to be added up, as
   * in damaged events.
   */
  public long tooLarge() {
    return tooLarge;
  }

  /** Returns the weights of no known process. */
  public long unattributed() {
    return unattributed;
  }
}
