package io.ntrail.analysis.merge.calls;

/** Numbers of records of a cut: those that are in it, and those that are not, by the reason. */
final class CutTally {
  long written;
  long outsideTime;
  long ofOtherThreads;
  long ofOtherFunctions;
  private long from = Long.MIN_VALUE;
  private long to = Long.MAX_VALUE;

  /** Sets the stretch of time that is asked for. */
  void choose(long first, long end) {
    from = first;
    to = end;
  }

  /** Counts records of a time that are left out. */
  void leaveOut(long time, long records) {
    if (time >= from && time < to) {
      ofOtherFunctions += records;
    } else {
      outsideTime += records;
    }
  }

  /** Returns the number of records of the threads that are copied. */
  long read() {
    return written + outsideTime + ofOtherFunctions;
  }
}
