package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/**
 * Sorts a batch of records by time. They are added run by run, and those of one time keep the order
 * in which they were added. A record is one 64-bit number, its time since the batch's first in the
 * upper bits and its place in the batch in the lower ones, sorted digit by digit: no comparison, no
 * branch that could be predicted wrongly.
 */
final class TimeSort {
  private static final int INDEX_BITS = 24;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

  /** A batch spans less time than this. */
  static final long LONGEST = 1L << 63 - INDEX_BITS;

  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;
  private static final int FEW = 48;

  private long base;
  private long latest;
  private int size;
  private boolean sorted;

  /** Run in the upper half, position in the lower one, in the order of adding. */
  private long[] places = new long[1024];

  private long[] order = new long[1024];
  private long[] other = new long[1024];
  private final int[] starts = new int[DIGITS];

  TimeSort() {}

  /** Begins a batch whose earliest time is {@code first}. */
  void clear(long first) {
    base = first;
    latest = first;
    size = 0;
  }

  /**
   * Adds the records of a run that are before a time; all of them if it is the last possible one.
   *
   * @param keys times of the run's records, ascending
   * @param position the first record to add
   * @param count number of the run's records
   * @return the first record that was not added
   */
  int addBefore(long horizon, long[] keys, int position, int count, int run) {
    int i = position;
    int n = size;
    long place = (long) run << Integer.SIZE;
    boolean all = horizon == Long.MAX_VALUE;
    while (i < count && (all || keys[i] < horizon)) {
      if (n == places.length) {
        grow();
      }
      order[n] = keys[i] - base << INDEX_BITS | n & INDEX_MASK;
      places[n] = place | i;
      n++;
      i++;
    }
    if (n > size) {
      latest = Math.max(latest, keys[i - 1]);
    }
    size = n;
    return i;
  }

  private void grow() {
    int capacity = Growth.length(places.length, places.length + 1);
    places = Arrays.copyOf(places, capacity);
    order = Arrays.copyOf(order, capacity);
  }

  int size() {
    return size;
  }

  /** The latest time in the batch. */
  long latest() {
    return latest;
  }

  /** Run of the {@code i}-th record in time order, as it was numbered when added. */
  int run(int i) {
    return (int) (places[index(i)] >>> Integer.SIZE);
  }

  /** Position within its run of the {@code i}-th record in time order. */
  int position(int i) {
    return (int) places[index(i)];
  }

  /** Time of the {@code i}-th record in time order. */
  long key(int i) {
    return base + (order[i] >>> INDEX_BITS);
  }

  private int index(int i) {
    return sorted ? (int) order[i] & INDEX_MASK : i;
  }

  void sort() {
    // Equal times, or one run only: added in order.
    sorted =
        latest != base
            && size > 1
            && places[0] >>> Integer.SIZE != places[size - 1] >>> Integer.SIZE;
    if (!sorted) {
      return;
    }
    if (size > INDEX_MASK) {
      throw new IllegalStateException("batch of " + size + " records");
    }
    if (other.length < order.length) {
      other = new long[order.length];
    }
    if (size <= FEW) {
      insertionSort();
      return;
    }
    int bits = Long.SIZE - Long.numberOfLeadingZeros(latest - base);
    // Digits as short as the number of passes allows, as each pass also goes over all its digits.
    int passes = Math.ceilDiv(bits, DIGIT_BITS);
    int width = Math.ceilDiv(bits, passes);
    for (int shift = INDEX_BITS; shift < INDEX_BITS + bits; shift += width) {
      digit(shift, width);
    }
  }

  private void insertionSort() {
    for (int i = 1; i < size; i++) {
      long value = order[i];
      int j = i - 1;
      while (j >= 0 && order[j] > value) {
        order[j + 1] = order[j];
        j--;
      }
      order[j + 1] = value;
    }
  }

  private void digit(int shift, int width) {
    int[] counts = starts;
    int digits = 1 << width;
    Arrays.fill(counts, 0, digits, 0);
    long[] source = order;
    for (int i = 0; i < size; i++) {
      counts[(int) (source[i] >>> shift) & digits - 1]++;
    }
    int sum = 0;
    for (int d = 0; d < digits; d++) {
      int count = counts[d];
      counts[d] = sum;
      sum += count;
    }
    long[] target = other;
    for (int i = 0; i < size; i++) {
      long value = source[i];
      target[counts[(int) (value >>> shift) & digits - 1]++] = value;
    }
    order = target;
    other = source;
  }
}
