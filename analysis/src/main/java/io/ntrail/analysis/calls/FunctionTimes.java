package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.IntList;

/**
 * Calls of a routine, counted by their ends, and their times, added up. Times are in the unit of
 * the source's clock, and of the {@link #timed()} calls alone.
 */
public final class FunctionTimes {
  /** Classes of durations: 16 for each power of two. */
  private static final int STEPS = 16;

  private final long function;
  private final IntList durations = new IntList();
  private final long[] ends = new long[CallEnd.values().length];
  private long lostEntries;
  private long timed;
  private long total;
  private long self;
  private long max;
  private boolean touched;

  FunctionTimes(long function) {
    this.function = function;
  }

  /** Adds a call whose entry is recorded. */
  void add(CallEnd end) {
    ends[end.ordinal()]++;
    touched |= end == CallEnd.INFERRED;
  }

  /** Adds a call whose entry is missing. */
  void addLostEntry() {
    lostEntries++;
    touched = true;
  }

  /** Notes that one of its calls is in a thread of which records were lost. */
  void touch() {
    touched = true;
  }

  /** Adds the duration of a call. */
  void addTime(long duration) {
    timed++;
    total += duration;
    self += duration;
    max = Math.max(max, duration);
    int step = step(duration);
    durations.extend(step + 1, 0);
    durations.set(step, durations.get(step) + 1);
  }

  void child(long duration) {
    self -= duration;
  }

  private static int step(long duration) {
    if (duration < STEPS) {
      return (int) duration;
    }
    int power = 63 - Long.numberOfLeadingZeros(duration);
    return STEPS * (power - 3) + (int) (duration >>> power - 4 & STEPS - 1);
  }

  /** The routine, as {@link CallSource#function} knows it. */
  public long function() {
    return function;
  }

  /**
   * Returns the numbers of its calls by their ends; recursion is counted each time. Roots and
   * depths are not known.
   */
  public CallCounts counts() {
    return CallCounts.of(ends, lostEntries, 0, 0, 0);
  }

  /**
   * Returns whether losses touch its figures: a record of one of its calls is missing, or records
   * were lost of a thread that called it.
   */
  public boolean isTouched() {
    return touched;
  }

  /** Returns the number of its calls that are not open. */
  public long calls() {
    CallCounts counts = counts();
    return counts.calls() - counts.open();
  }

  /** Returns the number of calls with a duration: those with a recorded entry and an end. */
  public long timed() {
    return timed;
  }

  /** Returns the sum of their durations, each with all that it called. */
  public long total() {
    return total;
  }

  /** Returns the sum of their durations without the recorded calls in them. */
  public long self() {
    return Math.max(0, self);
  }

  /** The longest. */
  public long max() {
    return max;
  }

  /**
   * Returns a duration that so many of 100 calls had at most. Durations are kept in classes, 16 for
   * each power of two: the figure is the longest one of its class, so it is never too small, up to
   * a sixteenth too large, and exact below 32.
   *
   * @param percent from 1 to 100
   */
  public long percentile(int percent) {
    long wanted = timed - timed / 100 * (100 - percent) - timed % 100 * (100 - percent) / 100;
    long seen = 0;
    for (int i = 0; i < durations.size(); i++) {
      seen += durations.get(i);
      if (seen >= wanted) {
        return Math.min(max, highest(i));
      }
    }
    return max;
  }

  private static long highest(int step) {
    if (step < STEPS) {
      return step;
    }
    int power = step / STEPS + 3;
    return (STEPS + step % STEPS + 1L << power - 4) - 1;
  }
}
