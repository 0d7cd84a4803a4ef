package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The times of kept records: none is forgotten, and none is made up while there is room. */
class TimeSetTest {
  private static final long PLENTY = 64L << 20;
  private static final int ROUNDS = 20_000;

  private static TimeSet of(long limit, Iterable<Long> times) {
    TimeSet set = new TimeSet(limit);
    times.forEach(set::add);
    return set;
  }

  /** Times as recordings have them: close to each other, sometimes far, a few of them late. */
  private static Set<Long> times(long seed, int spacing) {
    Random random = new Random(seed);
    Set<Long> times = new TreeSet<>();
    long time = -5_000_000;
    for (int i = 0; i < ROUNDS; i++) {
      time += 1 + random.nextInt(spacing);
      times.add(time);
    }
    return times;
  }

  @Test
  void itHasExactlyWhatWasAdded() {
    for (int spacing : new int[] {2, 9, 5_000}) {
      Set<Long> times = times(spacing, spacing);
      TimeSet set = of(PLENTY, times);
      assertEquals(1, set.rounding());
      for (long time : times) {
        assertTrue(set.mayContain(time));
        assertEquals(times.contains(time + 1), set.mayContain(time + 1), "beside " + time);
      }
    }
  }

  @Test
  void timesMayComeInAnyOrderAndTwice() {
    TimeSet set = new TimeSet(PLENTY);
    for (long time : new long[] {70_000, 5, 3, 70_000, 9, 3, -1, 65_536}) {
      set.add(time);
    }
    for (long time : new long[] {-1, 3, 5, 9, 65_536, 70_000}) {
      assertTrue(set.mayContain(time), "has " + time);
    }
    for (long time : new long[] {-2, 0, 4, 6, 65_535, 65_537, 69_999, 70_001}) {
      assertFalse(set.mayContain(time), "has not " + time);
    }
  }

  @Test
  void theGreatestAndTheLeastTimeAreTimesLikeOthers() {
    TimeSet set = of(PLENTY, Set.of(Long.MIN_VALUE, Long.MAX_VALUE));
    assertTrue(set.mayContain(Long.MIN_VALUE));
    assertTrue(set.mayContain(Long.MAX_VALUE));
    assertFalse(set.mayContain(0));
    assertFalse(set.mayContain(Long.MAX_VALUE - 1));
  }

  @Test
  void beyondItsLimitItForgetsNothingAndHasNeighborsOnly() {
    Set<Long> times = times(7, 5_000);
    TimeSet set = of(12_000, times);
    long rounding = set.rounding();
    assertTrue(rounding > 1, "rounded");
    for (long time : times) {
      assertTrue(set.mayContain(time), "has " + time);
    }
    Random random = new Random(8);
    int seen = 0;
    for (int i = 0; i < ROUNDS; i++) {
      long time = -5_000_000L + random.nextInt(100_000_000);
      if (set.mayContain(time)) {
        long first = Math.floorDiv(time, rounding) * rounding;
        boolean hasNeighbor = ((TreeSet<Long>) times).ceiling(first) != null;
        assertTrue(
            hasNeighbor && ((TreeSet<Long>) times).ceiling(first) < first + rounding,
            "no neighbor of " + time);
        seen++;
      }
    }
    assertTrue(seen > 0, "neighbors were asked for");
  }

  @Test
  void aLimitThatIsTooSmallForAnythingEnds() {
    TimeSet set = of(1, Set.of(Long.MIN_VALUE, -1L, 0L, 1L << 40, Long.MAX_VALUE));
    assertTrue(set.mayContain(1L << 40));
  }
}
