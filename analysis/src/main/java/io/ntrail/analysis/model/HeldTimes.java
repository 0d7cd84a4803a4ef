package io.ntrail.analysis.model;

import java.util.Comparator;
import java.util.List;

/**
 * Times in which the tracer held a process: a thread that loads a library waited until that was
 * patched, or all threads were suspended. Calls take longer by them, each by what was held while it
 * was active; which thread was held is not recorded, so that this is an upper bound.
 *
 * <p>Times are nanoseconds since the recording began, or ticks where their rate is unknown.
 */
public final class HeldTimes {
  /** Never held. */
  public static final HeldTimes NONE = new HeldTimes(List.of());

  private final long[] from;
  private final long[] to;

  /** Sum of what was held before each of them. */
  private final long[] before;

  private final long all;
  private final int count;

  /**
   * One time.
   *
   * @param from its begin
   * @param to its end, not before it
   */
  public record Held(long from, long to) {}

  private HeldTimes(List<Held> sorted) {
    count = sorted.size();
    from = new long[count];
    to = new long[count];
    before = new long[count];
    long sum = 0;
    long end = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      // What overlaps counts once.
      from[i] = Math.max(end, sorted.get(i).from());
      to[i] = Math.max(from[i], sorted.get(i).to());
      end = to[i];
      before[i] = sum;
      sum += to[i] - from[i];
    }
    all = sum;
  }

  /** Returns the times of a process, in any order. */
  public static HeldTimes of(List<Held> times) {
    return times.isEmpty()
        ? NONE
        : new HeldTimes(
            times.stream()
                .filter(one -> one.to() > one.from())
                .sorted(Comparator.comparingLong(Held::from))
                .toList());
  }

  /** Returns how many there are. */
  public int count() {
    return count;
  }

  /** Returns the sum of all. */
  public long all() {
    return all;
  }

  /** Returns how much of a stretch of time the process was held. */
  public long within(long begin, long end) {
    return end <= begin ? 0 : until(end) - until(begin);
  }

  private long until(long time) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = low + high >>> 1;
      if (from[middle] < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? 0 : before[low - 1] + Math.min(time, to[low - 1]) - from[low - 1];
  }
}
