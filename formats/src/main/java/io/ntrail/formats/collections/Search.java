package io.ntrail.formats.collections;

import java.util.function.IntPredicate;

/**
 * Binary searches in what is sorted: arrays, columns, or anything that can be asked by index. Names
 * are those of {@link java.util.NavigableSet}: the floor of a key is the last element that is not
 * greater, its ceiling the first that is not less. So of equal elements the floor is the last and
 * the ceiling the first.
 */
public final class Search {
  private Search() {}

  /**
   * Returns the first index from {@code from} to {@code to} - 1 at which a test holds that holds
   * for all indexes after it too; {@code to} if there is none.
   */
  public static int first(int from, int to, IntPredicate test) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = low + high >>> 1;
      if (test.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * Returns the last index from {@code from} to {@code to} - 1 at which a test holds that holds for
   * all indexes before it too; {@code from} - 1 if there is none.
   */
  public static int last(int from, int to, IntPredicate test) {
    int low = from;
    int high = to - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (test.test(middle)) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /**
   * Finds what {@link #first} finds, in steps that double from {@code from} on: for answers that
   * are likely to be near.
   */
  public static int firstNear(int from, int to, IntPredicate test) {
    int low = from;
    int high = from;
    int step = 1;
    while (high < to && !test.test(high)) {
      low = high + 1;
      high = step < to - low ? low + step : to;
      step = 2 * step | 1;
    }
    return first(low, high, test);
  }

  /** Returns the index of the last of {@code count} values that is not greater; -1: all are. */
  public static int floor(long[] ascending, int count, long key) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (ascending[middle] <= key) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Finds the floor of a key in values without sign, see {@link #floor}. */
  public static int floorUnsigned(long[] ascending, int count, long key) {
    long wanted = key ^ Long.MIN_VALUE;
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if ((ascending[middle] ^ Long.MIN_VALUE) <= wanted) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Returns the index of the first of {@code count} values that is not less, or {@code count}. */
  public static int ceiling(long[] ascending, int count, long key) {
    return ceiling(ascending, 0, count, key);
  }

  /**
   * Returns the index of the first value from {@code from} to {@code to} - 1 that is not less, or
   * {@code to}.
   */
  public static int ceiling(long[] ascending, int from, int to, long key) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = low + high >>> 1;
      if (ascending[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
