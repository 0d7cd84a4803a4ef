package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Orders of rows: by a column, and rows of equal value by another order. */
class RowSortTest {
  private static final int ROWS = 1000;

  private static void check(long[] values) {
    Columns columns = new Columns(1, ROWS);
    LongColumn column = columns.longs();
    for (long value : values) {
      column.set(columns.add(), value);
    }
    int[] rows = IntStream.range(0, values.length).filter(row -> row % 3 != 1).toArray();
    int[] expected =
        Arrays.stream(rows)
            .boxed()
            .sorted(
                Comparator.comparingLong((Integer row) -> values[row])
                    .thenComparing(Comparator.reverseOrder()))
            .mapToInt(Integer::intValue)
            .toArray();
    RowSort.sort(rows, rows.length, column, (a, b) -> Integer.compare(b, a));
    assertArrayEquals(expected, rows);
  }

  @Test
  void rowsOfEqualValueComeInTheOrderOfTies() {
    check(new Random(1).longs(ROWS, 0, ROWS / 4).toArray());
  }

  @Test
  void valuesThatDoNotFitBesideTheirRowsAreSorted() {
    check(new Random(2).longs(ROWS).toArray());
    check(new long[] {Long.MAX_VALUE, 0, Long.MIN_VALUE, Long.MIN_VALUE, 5});
    check(new long[] {1L << 61, 0, 0, 1L << 61, 1});
  }

  @Test
  void rowsAfterTheCountStay() {
    Columns columns = new Columns(1, ROWS);
    LongColumn column = columns.longs();
    for (long value : new long[] {3, 2, 1}) {
      column.set(columns.add(), value);
    }
    int[] rows = {0, 1, 2};
    RowSort.sort(rows, 2, column, (a, b) -> 0);
    assertArrayEquals(new int[] {1, 0, 2}, rows);
    RowSort.sort(rows, 0, column, (a, b) -> 0);
    assertEquals(1, rows[0]);
  }
}
