package io.ntrail.formats.collections;

import java.util.Arrays;

/**
 * Sort of many longs, digit by digit: no comparisons, and so no branches that could be predicted
 * wrongly. It takes as much memory again while it runs.
 */
public final class LongSort {
  private static final int DIGIT_BITS = 11;

  /** Values of which there are so few that going over all digits would take longer than they do. */
  private static final int FEW = 512;

  private LongSort() {}

  /** Puts the first {@code count} values in ascending order. */
  public static void sort(long[] values, int count) {
    if (count <= FEW) {
      Arrays.sort(values, 0, count);
    } else {
      sort(values, count, 0);
    }
  }

  /**
   * Puts the first {@code count} values in ascending order of their upper bits; those with the same
   * ones keep their order.
   *
   * @param lowest the first bit that counts
   */
  public static void sort(long[] values, int count, int lowest) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    boolean inOrder = true;
    long before = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      long value = values[i] >> lowest;
      first = Math.min(first, value);
      last = Math.max(last, value);
      inOrder &= before <= value;
      before = value;
    }
    if (inOrder) {
      return;
    }
    // Without sign: they may be further apart than a long reaches.
    int bits = Long.SIZE - Long.numberOfLeadingZeros(last - first);
    // Digits as short as the number of passes allows, as each pass also goes over all its digits.
    int passes = Math.ceilDiv(bits, DIGIT_BITS);
    int width = Math.ceilDiv(bits, passes);
    int[] starts = new int[1 << width];
    long[] from = values;
    long[] to = new long[count];
    for (int pass = 0; pass < passes; pass++) {
      digit(from, to, count, lowest, first, pass * width, starts);
      long[] sorted = to;
      to = from;
      from = sorted;
    }
    if (passes % 2 != 0) {
      System.arraycopy(from, 0, values, 0, count);
    }
  }

  /** Copies values in the order of one digit of how far they are from the first. */
  private static void digit(
      long[] from, long[] to, int count, int lowest, long first, int shift, int[] starts) {
    int mask = starts.length - 1;
    Arrays.fill(starts, 0);
    for (int i = 0; i < count; i++) {
      starts[(int) ((from[i] >> lowest) - first >>> shift) & mask]++;
    }
    int sum = 0;
    for (int d = 0; d < starts.length; d++) {
      int ofDigit = starts[d];
      starts[d] = sum;
      sum += ofDigit;
    }
    for (int i = 0; i < count; i++) {
      long value = from[i];
      to[starts[(int) ((value >> lowest) - first >>> shift) & mask]++] = value;
    }
  }
}
