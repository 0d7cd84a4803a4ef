package io.ntrail.formats.collections;

import java.util.Arrays;

/**
 * Stable merge sort of row numbers by their values, without an object for each row. What is sorted
 * already is noticed in one pass.
 */
public final class RowSort {
  /** Rows that are sorted by insertion before they are merged. */
  private static final int RUN = 16;

  private RowSort() {}

  /** Compares two rows. */
  @FunctionalInterface
  public interface Order {
    /** Returns a negative number if row {@code a} comes before {@code b}, a positive if after. */
    int compare(int a, int b);
  }

  /** Returns the rows 0 to {@code count} - 1 in ascending order of the values. */
  public static int[] ascending(long[] values, int count) {
    return sorted(count, (a, b) -> Long.compare(values[a], values[b]));
  }

  /** Returns the rows 0 to {@code count} - 1 in an order. */
  public static int[] sorted(int count, Order order) {
    int[] rows = new int[count];
    for (int i = 0; i < count; i++) {
      rows[i] = i;
    }
    int inOrder = 1;
    while (inOrder < count && order.compare(inOrder - 1, inOrder) <= 0) {
      inOrder++;
    }
    if (inOrder < count) {
      sort(order, rows.clone(), rows, 0, count);
    }
    return rows;
  }

  /**
   * Puts some rows in ascending order of a column, and those of equal value in another order. Where
   * most values differ, this is several times as fast as {@link #sorted}: numbers are sorted, not
   * rows.
   *
   * @param rows of which the first {@code count} are sorted in place; not negative
   * @param ties order of rows with equal values
   */
  public static void sort(int[] rows, int count, LongColumn column, Order ties) {
    // Often a loop runs only once: then a call for each value is most of its time.
    long[] values = column.array();
    int widest = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    boolean isAscending = true;
    for (int i = 0; i < count; i++) {
      isAscending &= i == 0 || rows[i - 1] < rows[i];
      widest |= rows[i];
      first = Math.min(first, values[rows[i]]);
      last = Math.max(last, values[rows[i]]);
    }
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(widest);
    if (last - first < 0 || last - first >= 1L << Long.SIZE - 2 - bits) {
      sort(
          rows,
          0,
          count,
          (a, b) -> {
            int order = Long.compare(values[a], values[b]);
            return order != 0 ? order : ties.compare(a, b);
          });
      return;
    }
    long[] packed = new long[count];
    for (int i = 0; i < count; i++) {
      packed[i] = values[rows[i]] - first << bits | rows[i];
    }
    if (isAscending) {
      LongSort.sort(packed, count, bits);
    } else {
      LongSort.sort(packed, count);
    }
    for (int i = 0; i < count; i++) {
      rows[i] = (int) (packed[i] & (1L << bits) - 1);
    }
    for (int start = 0; start < count; ) {
      int end = start + 1;
      while (end < count && packed[end] >> bits == packed[start] >> bits) {
        end++;
      }
      if (end - start > RUN) {
        sort(rows, start, end, ties);
      } else {
        insertionSort(ties, rows, start, end);
      }
      start = end;
    }
  }

  private static void sort(int[] rows, int start, int end, Order order) {
    int[] group = Arrays.copyOfRange(rows, start, end);
    int[] sorted = sorted(group.length, (a, b) -> order.compare(group[a], group[b]));
    for (int i = 0; i < group.length; i++) {
      rows[start + i] = group[sorted[i]];
    }
  }

  /**
   * Sorts a range of {@code to} with the help of {@code from}, which holds the same. From the top
   * down: the lower levels work on rows that lie together and stay in the cache.
   */
  private static void sort(Order order, int[] from, int[] to, int low, int high) {
    if (high - low <= RUN) {
      insertionSort(order, to, low, high);
      return;
    }
    int middle = low + high >>> 1;
    sort(order, to, from, low, middle);
    sort(order, to, from, middle, high);
    if (order.compare(from[middle - 1], from[middle]) <= 0) {
      System.arraycopy(from, low, to, low, high - low);
    } else {
      merge(order, from, to, low, middle, high);
    }
  }

  private static void insertionSort(Order order, int[] rows, int low, int high) {
    for (int i = low + 1; i < high; i++) {
      int row = rows[i];
      int at = i;
      while (at > low && order.compare(rows[at - 1], row) > 0) {
        rows[at] = rows[at - 1];
        at--;
      }
      rows[at] = row;
    }
  }

  private static void merge(Order order, int[] from, int[] to, int low, int middle, int high) {
    int a = low;
    int b = middle;
    for (int at = low; at < high; at++) {
      if (b == high || a < middle && order.compare(from[a], from[b]) <= 0) {
        to[at] = from[a++];
      } else {
        to[at] = from[b++];
      }
    }
  }
}
