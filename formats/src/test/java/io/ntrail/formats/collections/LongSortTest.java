package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Longs that are put in order digit by digit. */
class LongSortTest {
  private static void check(long[] values) {
    long[] expected = values.clone();
    Arrays.sort(expected);
    long[] sorted = values.clone();
    LongSort.sort(sorted, sorted.length);
    assertArrayEquals(expected, sorted);
    long[] byDigits = values.clone();
    LongSort.sort(byDigits, byDigits.length, 0);
    assertArrayEquals(expected, byDigits);
  }

  @Test
  void anyValuesAreSorted() {
    Random random = new Random(1);
    for (int count : new int[] {0, 1, 2, 100, 512, 513, 5000}) {
      check(random.longs(count).toArray());
      check(random.longs(count, -9, 9).toArray());
      check(random.longs(count, 1L << 40, (1L << 40) + 3000).toArray());
    }
    check(new long[] {Long.MAX_VALUE, 0, Long.MIN_VALUE, -1, Long.MIN_VALUE, 1});
  }

  @Test
  void valuesWithTheSameUpperBitsKeepTheirOrder() {
    for (int lowest : new int[] {7, 32, 61}) {
      long[] values = new Random(lowest).longs(3000).toArray();
      long[] expected =
          LongStream.of(values)
              .boxed()
              .sorted(Comparator.comparingLong((Long value) -> value >> lowest))
              .mapToLong(Long::longValue)
              .toArray();
      LongSort.sort(values, values.length, lowest);
      assertArrayEquals(expected, values);
    }
  }

  @Test
  void valuesAfterTheCountStay() {
    long[] values = {3, 2, 1};
    LongSort.sort(values, 2);
    assertArrayEquals(new long[] {2, 3, 1}, values);
    LongSort.sort(values, 2, 1);
    assertArrayEquals(new long[] {2, 3, 1}, values);
  }
}
