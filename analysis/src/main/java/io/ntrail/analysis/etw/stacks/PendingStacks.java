package io.ntrail.analysis.etw.stacks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Events whose stack, or the other half of it, is in an event after them: the rules by which such
 * events find each other. Events come in time order and have numbers that only the caller knows.
 */
final class PendingStacks {
  /** Stands for no event. */
  static final long NONE = -1;

  /** Events that wait at once, about 100 bytes each. */
  private static final int MOST = 1 << 17;

  private record Half(int thread, long matchId) {}

  private final Map<Integer, Long> forClr = new LinkedHashMap<>();
  private final Map<Half, Long> forHalf = new LinkedHashMap<>();
  private final LongConsumer dropped;

  /**
   * Creates one in which nothing waits.
   *
   * @param dropped gets the events that are given up as too many wait
   */
  PendingStacks(LongConsumer dropped) {
    this.dropped = dropped;
  }

  /**
   * Takes an event that brings half of a stack.
   *
   * @return the event of the other half, whose stack it completes; {@link #NONE} if it is the first
   *     half and waits
   */
  long half(int thread, long matchId, long event) {
    Half half = new Half(thread, matchId);
    Long first = forHalf.remove(half);
    if (first != null) {
      return first;
    }
    wait(forHalf, half, event);
    return NONE;
  }

  /**
   * Takes an event of the CLR that is not a stack itself.
   *
   * @param own whether it brings a stack, or half of one, so that none after it belongs to it
   */
  void clrEvent(int thread, boolean own, long event) {
    forClr.remove(thread);
    if (!own) {
      wait(forClr, thread, event);
    }
  }

  /** Takes a stack event of the CLR, and returns the event that it belongs to, or {@link #NONE}. */
  long clrStack(int thread) {
    Long event = forClr.remove(thread);
    return event == null ? NONE : event;
  }

  /** Returns true if an event of the CLR waits for its stack. */
  boolean waitsForClr(int thread, long event) {
    Long waiting = forClr.get(thread);
    return waiting != null && waiting == event;
  }

  /** Returns true if an event waits for the second half of its stack. */
  boolean waitsForHalf(int thread, long matchId, long event) {
    Long waiting = forHalf.get(new Half(thread, matchId));
    return waiting != null && waiting == event;
  }

  private <K> void wait(Map<K, Long> waiting, K key, long event) {
    waiting.put(key, event);
    if (waiting.size() > MOST) {
      Map.Entry<K, Long> eldest = waiting.entrySet().iterator().next();
      dropped.accept(eldest.getValue());
      waiting.remove(eldest.getKey());
    }
  }
}
