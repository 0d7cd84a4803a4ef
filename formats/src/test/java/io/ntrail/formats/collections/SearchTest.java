package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.Property;
import java.util.Comparator;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of {@link Search} and {@link RowSort}. */
class SearchTest {
  private static int firstOf(long[] values, int from, int to, LongPredicate test) {
    return IntStream.range(from, to).filter(i -> test.test(values[i])).findFirst().orElse(to);
  }

  @Test
  void findsWhatALinearSearchFinds() {
    Property.check(g -> {
      int spread = g.oneOf(3, 100, 1 << 30);
      long[] values =
          g.list(60, e -> (long) e.below(spread)).stream().mapToLong(v -> v).sorted().toArray();
      int count = g.below(values.length + 1);
      long key = g.below(spread) - (long) g.below(2);
      assertEquals(firstOf(values, 0, count, v -> v > key) - 1, Search.floor(values, count, key));
      assertEquals(firstOf(values, 0, count, v -> v >= key), Search.ceiling(values, count, key));
      int from = g.below(count + 1);
      int expected = firstOf(values, from, count, v -> v > key);
      assertEquals(expected, Search.first(from, count, i -> values[i] > key));
      assertEquals(expected, Search.firstNear(from, count, i -> values[i] > key));
      assertEquals(expected - 1, Search.last(from, count, i -> values[i] <= key));
    });
  }

  @Test
  void findsUnsignedValues() {
    Property.check(g -> {
      long[] values =
          g.list(60, e -> e.bits() << e.oneOf(0, 56)).stream()
              .sorted(Long::compareUnsigned)
              .mapToLong(v -> v)
              .toArray();
      long key = values.length > 0 && g.flag() ? values[g.below(values.length)] : g.scaled();
      assertEquals(
          firstOf(values, 0, values.length, v -> Long.compareUnsigned(v, key) > 0) - 1,
          Search.floorUnsigned(values, values.length, key));
    });
  }

  @Test
  void searchesGoToTheLastIndex() {
    int most = Integer.MAX_VALUE;
    assertEquals(most, Search.first(0, most, _ -> false));
    assertEquals(most, Search.firstNear(0, most, _ -> false));
    assertEquals(most - 1, Search.firstNear(3, most, i -> i == most - 1));
    assertEquals(most - 1, Search.last(0, most, _ -> true));
    assertEquals(4, Search.last(5, 5, _ -> true));
    assertEquals(5, Search.firstNear(5, 5, _ -> true));
  }

  @Test
  void sortsAsTheStableSortOfTheJdk() {
    Property.check(g -> {
      int spread = g.oneOf(1, 3, 100, 1 << 30);
      long[] values = g.list(300, e -> (long) e.below(spread)).stream().mapToLong(v -> v).toArray();
      if (g.flag()) {
        values = LongStream.of(values).sorted().toArray();
      }
      long[] all = values;
      int count = g.below(all.length + 1);
      int[] expected =
          IntStream.range(0, count)
              .boxed()
              .sorted(Comparator.comparingLong(i -> all[i]))
              .mapToInt(i -> i)
              .toArray();
      assertArrayEquals(expected, RowSort.ascending(all, count));
      assertArrayEquals(expected, RowSort.sorted(count, (a, b) -> Long.compare(all[a], all[b])));
    });
  }
}
