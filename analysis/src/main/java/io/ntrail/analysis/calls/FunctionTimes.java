package io.ntrail.analysis.calls;

import io.ntrail.formats.ntr.CallTotals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Calls of a routine, counted by their ends, and their times, added up. Times are in the unit of
 * the source's clock, and of the {@link #timed()} calls alone.
 */
public final class FunctionTimes {
  /** Classes of durations: 16 for each power of two. */
  private static final int STEPS = 16;

  /**
   * Calls of similar duration: of one power of two.
   *
   * @param from the shortest duration that belongs here
   * @param to the longest
   * @param calls how many took so long
   */
  public record Class(long from, long to, long calls) {}

  private final long function;

  /** Number of calls of each class of durations, as far as any was that long. */
  private long[] durations = {};

  /** Calls that returned, which most do: beside what else each of them changes. */
  private long returns;

  /** Numbers of the other calls by their ends. */
  private final long[] ends = new long[CallEnd.values().length];

  private long lostEntries;
  private long timed;
  private long total;
  private long self;
  private long min = Long.MAX_VALUE;
  private long max;
  private boolean touched;

  FunctionTimes(long function) {
    this.function = function;
  }

  /** Adds a call whose entry is recorded. */
  void add(CallEnd end) {
    if (end == CallEnd.RETURN) {
      returns++;
      return;
    }
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

  /**
   * Returns the sums of calls that were added up where they happened.
   *
   * @param duration takes ticks to the unit of the source's clock
   */
  static FunctionTimes of(CallTotals totals, LongUnaryOperator duration) {
    FunctionTimes sums = new FunctionTimes(totals.function());
    CallTotals.Times times = totals.times();
    if (!times.measured()) {
      sums.ends[CallEnd.ENTRY_ONLY.ordinal()] = limited(totals.calls());
      return sums;
    }
    long known = times.entryOnly() + times.exits() + times.unwinds() + times.abandoned();
    sums.ends[CallEnd.ENTRY_ONLY.ordinal()] = limited(times.entryOnly());
    sums.returns = limited(times.exits());
    sums.ends[CallEnd.UNWIND.ordinal()] = limited(times.unwinds());
    sums.ends[CallEnd.LEFT.ordinal()] = limited(times.abandoned());
    sums.ends[CallEnd.OPEN.ordinal()] = totals.calls() - known;
    sums.timed = limited(times.ended());
    sums.total = duration.applyAsLong(times.total());
    sums.self = duration.applyAsLong(times.self());
    sums.min = sums.timed > 0 ? duration.applyAsLong(times.shortest()) : Long.MAX_VALUE;
    sums.max = duration.applyAsLong(times.longest());
    for (int power = 0; power < times.histogram().size(); power++) {
      // The longest one of its class, so that a percentile is never too small.
      long most = power >= 63 ? Long.MAX_VALUE : (2L << power) - 1;
      sums.count(duration.applyAsLong(most), limited(times.histogram().get(power)));
    }
    return sums;
  }

  /** Limits counts: those of a hostile file may exceed the range. */
  private static long limited(long count) {
    return count < 0 ? Long.MAX_VALUE : count;
  }

  /** Adds the calls of others of the same routine. */
  void add(FunctionTimes other) {
    for (int end = 0; end < ends.length; end++) {
      ends[end] += other.ends[end];
    }
    returns += other.returns;
    lostEntries += other.lostEntries;
    min = Math.min(min, other.min);
    timed += other.timed;
    total += other.total;
    self += other.self;
    max = Math.max(max, other.max);
    touched |= other.touched;
    if (other.durations.length > durations.length) {
      durations = Arrays.copyOf(durations, other.durations.length);
    }
    for (int step = 0; step < other.durations.length; step++) {
      durations[step] += other.durations[step];
    }
  }

  /**
   * Adds the duration of a call.
   *
   * @param callees what the calls took that it made itself
   */
  void addTime(long duration, long callees) {
    min = Math.min(min, duration);
    timed++;
    total += duration;
    self += duration - callees;
    max = Math.max(max, duration);
    count(duration, 1);
  }

  private void count(long duration, long calls) {
    int step = step(duration);
    if (step >= durations.length) {
      durations = Arrays.copyOf(durations, step + 1);
    }
    durations[step] += calls;
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
    long[] all = ends.clone();
    all[CallEnd.RETURN.ordinal()] = returns;
    return CallCounts.of(all, lostEntries, 0, 0, 0);
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

  /** The shortest; 0 if there is none. */
  public long min() {
    return timed == 0 ? 0 : min;
  }

  /** The longest. */
  public long max() {
    return max;
  }

  /**
   * Returns a duration that so many of 100 calls had at most. Durations are kept in classes, 16 for
   * each power of two: the figure is the longest one of its class, so it is never too small, up to
   * a sixteenth too large, and exact below 32; of calls that were added up where they happened up
   * to twice as large.
   *
   * @param percent from 1 to 100
   */
  public long percentile(int percent) {
    long wanted = timed - timed / 100 * (100 - percent) - timed % 100 * (100 - percent) / 100;
    long seen = 0;
    for (int i = 0; i < durations.length; i++) {
      seen += durations[i];
      if (seen >= wanted) {
        return Math.min(max, highest(i));
      }
    }
    return max;
  }

  /**
   * Returns how many calls took how long, in classes of one power of two from the shortest to the
   * longest, empty ones between them too. Of calls that were added up where they happened a class
   * may be the next longer one.
   */
  public List<Class> classes() {
    List<Class> classes = new ArrayList<>();
    int step = 0;
    for (long from = 0, to = 0;
        step < durations.length && from >= 0;
        from = to + 1, to = 2 * to + 1) {
      long calls = 0;
      for (; step < durations.length && highest(step) <= to; step++) {
        calls += durations[step];
      }
      if (calls > 0 || !classes.isEmpty()) {
        classes.add(new Class(from, to, calls));
      }
    }
    return classes;
  }

  private static long highest(int step) {
    if (step < STEPS) {
      return step;
    }
    int power = step / STEPS + 3;
    return (STEPS + step % STEPS + 1L << power - 4) - 1;
  }
}
