package io.ntrail.analysis.flow;

/** Times of what a flow hands on, while it does. */
public interface FlowTimes {
  /** Returns true if the time of what is handed on can be told in nanoseconds. */
  boolean knowsNanos();

  /**
   * Returns the time of an event or error, or of an instruction of a run, in nanoseconds: since the
   * first time stamp of a stream, or since the start of a recording.
   *
   * @param index of the instruction; 0 for the others
   * @throws IllegalStateException if it is not known, see {@link #knowsNanos}
   */
  long nanos(int index);

  /** Returns how the time of an instruction is known; of an event or error for 0. */
  TimedFlow.Trust trust(int index);

  /** Returns the time of the event or error, or of the first instruction of the run. */
  default long nanos() {
    return nanos(0);
  }

  /** Returns how the time of the event or error, or of the first instruction, is known. */
  default TimedFlow.Trust trust() {
    return trust(0);
  }
}
