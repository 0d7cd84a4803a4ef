package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.LongLongMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the calls that took longest; of equal ones those that were added first. */
public final class SlowestCalls {
  /**
   * A call that is kept.
   *
   * @param thread by its place in the source
   * @param number of the call in its thread
   * @param order in which it was added
   */
  public record Slow(int thread, long number, long order, long duration) {}

  /**
   * Share of a call's time in one routine that it called directly.
   *
   * @param function as {@link CallSource#function} knows it
   * @param calls of it
   * @param total what they took together
   */
  public record Share(long function, long calls, long total) {}

  private static final Comparator<Slow> FASTEST_FIRST =
      Comparator.comparingLong(Slow::duration)
          .thenComparing(Comparator.comparingLong(Slow::order).reversed());

  private final PriorityQueue<Slow> kept = new PriorityQueue<>(FASTEST_FIRST);
  private final int most;
  private long added;

  /** Keeps at most so many. */
  public SlowestCalls(int most) {
    this.most = most;
  }

  /** Looks at a call; one without a duration is not among them. */
  public void add(CallWalk call) {
    if (!call.hasDuration()) {
      return;
    }
    long order = added++;
    if (kept.size() >= most) {
      Slow least = kept.peek();
      if (least == null || least.duration() >= call.duration()) {
        return;
      }
      kept.poll();
    }
    kept.add(new Slow(call.thread(), call.number(), order, call.duration()));
  }

  /** The slowest first. */
  public List<Slow> list() {
    List<Slow> list = new ArrayList<>(kept);
    list.sort(FASTEST_FIRST.reversed());
    return list;
  }

  /**
   * The routine that took most of a call, of those that it called itself; calls without a duration
   * have no part in it.
   *
   * @param call stands on the call, and after it afterwards
   */
  public static Share largestShare(CallWalk call) {
    long last = call.last();
    int depth = call.depth() + 1;
    int area = call.area();
    LongLongMap calls = new LongLongMap();
    LongLongMap totals = new LongLongMap();
    Share largest = new Share(0, 0, 0);
    while (call.number() < last && call.next()) {
      if (call.depth() != depth || call.area() != area) {
        continue;
      }
      if (call.hasDuration()) {
        long function = call.function();
        calls.add(function, 1);
        totals.add(function, call.duration());
        if (totals.get(function) > largest.total) {
          largest = new Share(function, calls.get(function), totals.get(function));
        }
      }
      if (call.children() > 0) {
        call.skipChildren();
      }
    }
    return largest;
  }
}
