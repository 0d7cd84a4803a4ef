package io.ntrail.analysis.etw.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Times that stack records name are found wherever they lie, and others are not. */
class StackMatchesTest {
  private static StackMatches of(long... times) {
    StackMatches matches = new StackMatches();
    for (long time : times) {
      matches.add(time, 7, 0, time);
    }
    matches.settle();
    return matches;
  }

  private static void assertFindsOnly(long[] times) {
    StackMatches matches = of(times);
    long[] sorted = times.clone();
    Arrays.sort(sorted);
    for (long time : times) {
      assertNotEquals(-1, matches.find(time), () -> "time " + time);
      for (long other : new long[] {time - 1, time + 1}) {
        if (Arrays.binarySearch(sorted, other) < 0) {
          assertEquals(-1, matches.find(other), () -> "time " + other);
        }
      }
    }
  }

  @Test
  void finds_nothing_where_nothing_is_named() {
    assertEquals(-1, of().find(0));
  }

  @Test
  void finds_times_that_are_spread_evenly() {
    assertFindsOnly(LongStream.range(0, 100_000).map(i -> 5_000_000 + 37 * i).toArray());
  }

  @Test
  void finds_the_first_and_the_last_time_that_there_can_be() {
    assertFindsOnly(new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE});
  }

  @Test
  void finds_times_in_clusters_far_apart_without_delay() {
    // In the order of time all of a cluster would have one place in the table.
    long[] times = LongStream.range(0, 200_000).map(i -> (i % 4 << 60) + 3 * i).toArray();
    assertTimeout(Duration.ofSeconds(20), () -> assertFindsOnly(times));
  }

  @Test
  void a_time_and_thread_that_is_named_often_is_kept_once() {
    StackMatches matches = new StackMatches();
    for (int i = 0; i < 1_000_000; i++) {
      matches.add(1000 + i % 3, 7, 0, i);
    }
    matches.settle();
    int[] entries = {matches.find(1000), matches.find(1001), matches.find(1002)};
    Arrays.sort(entries);
    assertEquals("[0, 1, 2]", Arrays.toString(entries));
  }
}
