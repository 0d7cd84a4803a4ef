package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.model.CallerStack;
import io.ntrail.formats.ntr.TracedThread;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/** Callers of calls that are being recorded; of very many, the last ones are kept. */
final class FeedCallers {
  /** Stacks that are kept of a thread. */
  private static final int MOST = 1 << 14;

  private final Map<Long, Kept> byThread = new HashMap<>();

  /** Callers of a thread's calls: those whose times are not final, and others by their times. */
  private record Kept(
      PriorityQueue<TracedThread.Callers> waiting, TreeMap<Long, TracedThread.Callers> byTime) {}

  private static long key(long process, long tid) {
    return process << 32 | tid & 0xFFFF_FFFFL;
  }

  /** Adds callers; by the recorder. */
  synchronized void add(TracedThread.Callers one) {
    Kept kept =
        byThread.computeIfAbsent(
            key(one.process(), one.tid()),
            _ ->
                new Kept(
                    new PriorityQueue<>((a, b) -> Long.compareUnsigned(a.ticks(), b.ticks())),
                    new TreeMap<>()));
    kept.waiting.add(one);
    if (kept.waiting.size() > MOST) {
      kept.waiting.remove();
    }
  }

  /** Returns whether there are any. */
  synchronized boolean any() {
    return !byThread.isEmpty();
  }

  /**
   * Returns the callers of a call; empty if they are not known; by the reader.
   *
   * @param entry time of its entry
   * @param isFinal true for ticks whose time does not change any more
   * @param clock times of ticks
   */
  synchronized Optional<CallerStack> of(
      TracedThread thread, long entry, LongPredicate isFinal, LongUnaryOperator clock) {
    Kept kept = byThread.get(key(thread.process(), thread.tid()));
    if (kept == null) {
      return Optional.empty();
    }
    while (!kept.waiting.isEmpty() && isFinal.test(kept.waiting.element().ticks())) {
      TracedThread.Callers one = kept.waiting.remove();
      kept.byTime.put(clock.applyAsLong(one.ticks()), one);
      if (kept.byTime.size() > MOST) {
        kept.byTime.pollFirstEntry();
      }
    }
    return Optional.ofNullable(kept.byTime.get(entry)).map(NtrCalls::callerStack);
  }
}
