package io.ntrail.testkit.profile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A weighted stack.
 *
 * @param at the event at which the weight becomes known
 * @param since the event at which the process has its name
 * @param value ticks, bytes, events or nanoseconds
 */
record Weight(
    OrderedRecord at,
    OrderedRecord since,
    long pid,
    long tid,
    StackMatcher.Stack stack,
    long value,
    boolean idle) {

  /** Weights and what had to be left out of them. */
  record Found(List<Weight> weights, Map<String, Long> counters, boolean ticks) {
    Found(List<Weight> weights, boolean ticks) {
      this(weights, new HashMap<>(), ticks);
    }

    void count(String counter) {
      counters.merge(counter, 1L, Long::sum);
    }
  }
}
