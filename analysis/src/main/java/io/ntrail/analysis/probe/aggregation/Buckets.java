package io.ntrail.analysis.probe.aggregation;

import java.util.Arrays;

/** Functions whose result is a distribution: a weight for each range of values. */
public sealed interface Buckets extends Aggregate
    permits Buckets.PowersOfTwo, Buckets.Linear, Buckets.LogLinear {
  /** Number of ranges. */
  int count();

  /** Returns the range of a value. */
  int bucket(long value);

  /** Returns the value that stands for a range: where it begins. */
  long value(int bucket);

  /** Returns the name of a range in a table. */
  String label(int bucket);

  /** Returns the first and the last range that a table shows if there are no weights. */
  int[] shownEmpty();

  /** Returns the range that holds zero and nothing below it; -1 if there is none. */
  int zero();

  @Override
  default long[] fresh() {
    return new long[count()];
  }

  @Override
  default boolean add(long[] state, long value, long weight) {
    return Aggregate.sum(state, bucket(value), weight);
  }

  /** Returns the sum of all values, as far as their ranges tell them. */
  default double sum(long[] state) {
    double sum = 0;
    for (int i = 0; i < state.length; i++) {
      sum += state[i] * (double) value(i);
    }
    return sum;
  }

  @Override
  default int compare(long[] left, long[] right) {
    int bySum = Double.compare(sum(left), sum(right));
    int zero = zero();
    return bySum != 0 || zero < 0 ? bySum : Long.compare(left[zero], right[zero]);
  }

  /** Ranges from one power of two to the next. */
  record PowersOfTwo() implements Buckets {
    private static final int COUNT = 127;
    private static final int ZERO = 63;

    @Override
    public String name() {
      return "quantize";
    }

    @Override
    public int count() {
      return COUNT;
    }

    @Override
    public int bucket(long value) {
      if (value == 0) {
        return ZERO;
      }
      if (value > 0) {
        return ZERO + Long.SIZE - Long.numberOfLeadingZeros(value);
      }
      // The first range whose value is not below this one.
      int bits = value == Long.MIN_VALUE ? Long.SIZE - 2 : 63 - Long.numberOfLeadingZeros(-value);
      return ZERO - 1 - Math.min(bits, Long.SIZE - 2);
    }

    @Override
    public long value(int bucket) {
      return bucket < ZERO
          ? -(1L << ZERO - 1 - bucket)
          : bucket == ZERO ? 0 : 1L << bucket - ZERO - 1;
    }

    @Override
    public String label(int bucket) {
      return Long.toString(value(bucket));
    }

    @Override
    public int[] shownEmpty() {
      return new int[] {ZERO - 1, ZERO + 1};
    }

    @Override
    public int zero() {
      return ZERO;
    }
  }

  /**
   * Ranges of the same width.
   *
   * @param base where the first one begins
   * @param limit where the last one ends
   */
  record Linear(int base, int limit, int step) implements Buckets {
    private int levels() {
      return (int) (((long) limit - base) / step);
    }

    @Override
    public String name() {
      return "lquantize";
    }

    @Override
    public int count() {
      return levels() + 2;
    }

    @Override
    public int bucket(long value) {
      int cut = (int) value;
      if (cut < base) {
        return 0;
      }
      return (int) Math.min(((long) cut - base) / step, levels()) + 1;
    }

    @Override
    public long value(int bucket) {
      if (bucket == 0) {
        return base - 1L;
      }
      long begin = base + (bucket - 1L) * step;
      return bucket == levels() + 1 ? begin + 1 : begin;
    }

    @Override
    public String label(int bucket) {
      long begin = base + (bucket - 1L) * step;
      return bucket == 0
          ? "< " + base
          : bucket == levels() + 1 ? ">= " + begin : Long.toString(begin);
    }

    @Override
    public int[] shownEmpty() {
      return new int[] {0, Math.min(2, levels() + 1)};
    }

    @Override
    public int zero() {
      int bucket = base <= 0 && limit > 0 && base % step == 0 ? bucket(0) : -1;
      return bucket >= 0 && value(bucket) == 0 ? bucket : -1;
    }
  }

  /**
   * Ranges of the same width within each power of a factor.
   *
   * @param begins where each range but the first begins; the last one is the upper limit
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by the other components
  record LogLinear(int factor, int low, int high, int steps, long[] begins) implements Buckets {
    /** Ranges from factor to the power of low to factor to the power of high + 1. */
    public static LogLinear of(int factor, int low, int high, int steps) {
      long[] begins = new long[(high - low + 1) * (steps + 1) + 2];
      int count = 0;
      long value = power(factor, low);
      for (int order = low; order <= high; order++) {
        long next = value * factor;
        long buckets = Math.min(steps, next);
        long width = next / buckets;
        for (long at = value; at < next; at = (at / width + 1) * width) {
          begins[count++] = at;
        }
        value = next;
      }
      begins[count++] = value;
      return new LogLinear(factor, low, high, steps, Arrays.copyOf(begins, count));
    }

    private static long power(long factor, int exponent) {
      long value = 1;
      for (int i = 0; i < exponent; i++) {
        value *= factor;
      }
      return value;
    }

    @Override
    public String name() {
      return "llquantize";
    }

    @Override
    public int count() {
      return begins.length + 1;
    }

    @Override
    public int bucket(long value) {
      int found = Arrays.binarySearch(begins, value);
      return found >= 0 ? found + 1 : -found - 1;
    }

    @Override
    public long value(int bucket) {
      return bucket == 0
          ? begins[0] - 1
          : bucket == begins.length ? begins[bucket - 1] + 1 : begins[bucket - 1];
    }

    @Override
    public String label(int bucket) {
      return bucket == 0
          ? "< " + begins[0]
          : (bucket == begins.length ? ">= " : "") + begins[bucket - 1];
    }

    @Override
    public int[] shownEmpty() {
      return new int[] {0, 1};
    }

    @Override
    public int zero() {
      return -1;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof LogLinear its
          && its.factor == factor
          && its.low == low
          && its.high == high
          && its.steps == steps;
    }

    @Override
    public int hashCode() {
      return (factor * 31 + low) * 31 + high * 31 + steps;
    }
  }
}
