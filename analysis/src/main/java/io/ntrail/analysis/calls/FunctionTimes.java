package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.IntList;

/**
 * Times of the calls of a routine, added up. Times are in the unit of the source's clock, and of
 * the {@link #timed()} calls alone.
 */
public final class FunctionTimes {
  /** Classes of durations: 16 for each power of two. */
  private static final int STEPS = 16;

  private final long function;
  private final IntList durations = new IntList();
  private long calls;
  private long timed;
  private long unwinds;
  private long total;
  private long self;
  private long max;

  FunctionTimes(long function) {
    this.function = function;
  }

  void add(long duration, boolean unwound) {
    calls++;
    timed++;
    unwinds += unwound ? 1 : 0;
    total += duration;
    self += duration;
    max = Math.max(max, duration);
    int step = step(duration);
    durations.extend(step + 1, 0);
    durations.set(step, durations.get(step) + 1);
  }

  /** Adds a call of unknown duration. */
  void addUntimed() {
    calls++;
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

  /** Its calls that are not open; recursion is counted each time. */
  public long calls() {
    return calls;
  }

  /**
   * Returns the number of calls with a duration: all but those of which only the entry is recorded.
   */
  public long timed() {
    return timed;
  }

  /** Returns the number of calls that an exception left. */
  public long unwinds() {
    return unwinds;
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
   * So long at most were 99 of 100 calls. Durations are kept in classes, 16 for each power of two:
   * the figure is the longest one of its class, so it is never too small, up to a sixteenth too
   * large, and exact below 32.
   */
  public long ninetyNinth() {
    long wanted = timed - timed / 100;
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
