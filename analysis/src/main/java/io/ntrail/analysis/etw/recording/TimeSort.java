package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.Search;
import java.util.Arrays;

/**
 * Sorts a batch of records by time. They are added run by run, and those of one time keep the order
 * in which they were added. A record is one 64-bit number, its time since the batch's first in the
 * upper bits, then its run and its place among that run's records in the batch. These numbers are
 * sorted digit by digit: no comparison, no branch that could be predicted wrongly.
 *
 * <p>A batch in which a run has more records than its share is of one time and needs no sorting:
 * its numbers are the run in the upper half and the place in the lower one.
 */
final class TimeSort {
  private static final int PLACE_BITS = 24;
  private static final int PLACES = (1 << PLACE_BITS) - 1;

  /** A batch spans less time than this. */
  static final long LONGEST = 1L << 63 - PLACE_BITS;

  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;
  private static final int FEW = 48;

  private long base;
  private long latest;
  private int size;
  private int runs;

  /** Bits of a number below its time, and below its run. */
  private int timeShift;

  private int runShift;

  /** Bits of the place within a run, and of that and the run. */
  private long placeMask;

  private long indexMask;

  private long[] order = new long[1024];
  private long[] other = new long[1024];
  private final int[] starts = new int[DIGITS];

  TimeSort() {}

  /**
   * Begins a batch whose earliest time is {@code first}.
   *
   * @param share most records of a run, a power of two; 0 for a batch of one time with any number
   */
  void clear(long first, int share) {
    base = first;
    latest = first;
    size = 0;
    runs = 0;
    boolean ofOneTime = share == 0;
    timeShift = ofOneTime ? Long.SIZE - 1 : PLACE_BITS;
    runShift = ofOneTime ? Integer.SIZE : Integer.numberOfTrailingZeros(share);
    placeMask = (1L << runShift) - 1;
    indexMask = ofOneTime ? Long.MAX_VALUE : PLACES;
  }

  /**
   * Adds the records of the next run up to a time.
   *
   * @param last the latest time to add
   * @param keys times of the run's records, ascending
   * @param position the first record to add
   * @param count number of the run's records
   * @return the first record that was not added
   */
  int addUpTo(long last, long[] keys, int position, int count) {
    int end = end(last, keys, position, count);
    int more = end - position;
    if (more > 0) {
      if (size + more > order.length) {
        order = Arrays.copyOf(order, Growth.length(order.length, size + more));
      }
      long place = (long) runs << runShift;
      if (place + more - 1 > indexMask) {
        throw new IllegalStateException("batch of " + (runs + 1) + " runs");
      }
      long[] target = order;
      long first = base;
      int shift = timeShift;
      int at = size;
      for (int i = 0; i < more; i++) {
        target[at + i] = (keys[position + i] - first << shift) + (place + i);
      }
      latest = Math.max(latest, keys[end - 1]);
      size += more;
    }
    runs++;
    return end;
  }

  private int end(long last, long[] keys, int position, int count) {
    if (last == Long.MAX_VALUE) {
      return count;
    }
    if (indexMask != Long.MAX_VALUE) {
      count = Math.min(count, position + (int) placeMask + 1);
    }
    return Search.ceiling(keys, position, count, last + 1);
  }

  int size() {
    return size;
  }

  /** The latest time in the batch. */
  long latest() {
    return latest;
  }

  /** Run of the {@code i}-th record in time order: 0 is the one that was added first. */
  int run(int i) {
    return (int) ((order[i] & indexMask) >>> runShift);
  }

  /** Place of the {@code i}-th record in time order among those of its run in the batch. */
  int place(int i) {
    return (int) (order[i] & placeMask);
  }

  /**
   * Number of the {@code i}-th record in time order: its run times the share, and its place. Not of
   * batches of one time.
   */
  int index(int i) {
    return (int) order[i] & PLACES;
  }

  /** Time of the {@code i}-th record in time order. */
  long key(int i) {
    return base + (order[i] >>> timeShift);
  }

  void sort() {
    // Equal times, or one run only: added in order.
    if (latest == base || size < 2 || run(0) == run(size - 1)) {
      return;
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
    for (int shift = PLACE_BITS; shift < PLACE_BITS + bits; shift += width) {
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
