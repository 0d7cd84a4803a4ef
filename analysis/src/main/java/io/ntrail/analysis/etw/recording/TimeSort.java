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
  private boolean packed;
  private long[] times = new long[1024];
  private int[] runs = new int[1024];
  private int[] positions = new int[1024];
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
    boolean all = horizon == Long.MAX_VALUE;
    while (i < count && (all || keys[i] < horizon)) {
      if (n == times.length) {
        grow();
      }
      times[n] = keys[i];
      runs[n] = run;
      positions[n] = i;
      n++;
      i++;
    }
    if (n > size) {
      latest = Math.max(latest, times[n - 1]);
    }
    size = n;
    return i;
  }

  private void grow() {
    int capacity = Growth.length(times.length, times.length + 1);
    times = Arrays.copyOf(times, capacity);
    runs = Arrays.copyOf(runs, capacity);
    positions = Arrays.copyOf(positions, capacity);
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
    return runs[index(i)];
  }

  /** Position within its run of the {@code i}-th record in time order. */
  int position(int i) {
    return positions[index(i)];
  }

  /** Time of the {@code i}-th record in time order. */
  long key(int i) {
    return times[index(i)];
  }

  private int index(int i) {
    return packed ? (int) order[i] & INDEX_MASK : i;
  }

  void sort() {
    // Equal times, or one run only: added in order.
    packed = latest != base && size > 1 && runs[0] != runs[size - 1];
    if (!packed) {
      return;
    }
    if (size > INDEX_MASK) {
      throw new IllegalStateException("batch of " + size + " records");
    }
    if (order.length < size) {
      order = new long[times.length];
      other = new long[times.length];
    }
    for (int i = 0; i < size; i++) {
      order[i] = times[i] - base << INDEX_BITS | i;
    }
    if (size <= FEW) {
      insertionSort();
      return;
    }
    int bits = Long.SIZE - Long.numberOfLeadingZeros(latest - base);
    for (int shift = INDEX_BITS; shift < INDEX_BITS + bits; shift += DIGIT_BITS) {
      digit(shift);
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

  private void digit(int shift) {
    int[] counts = starts;
    Arrays.fill(counts, 0);
    long[] source = order;
    for (int i = 0; i < size; i++) {
      counts[(int) (source[i] >>> shift) & DIGITS - 1]++;
    }
    int sum = 0;
    for (int d = 0; d < DIGITS; d++) {
      int count = counts[d];
      counts[d] = sum;
      sum += count;
    }
    long[] target = other;
    for (int i = 0; i < size; i++) {
      long value = source[i];
      target[counts[(int) (value >>> shift) & DIGITS - 1]++] = value;
    }
    order = target;
    other = source;
  }
}
