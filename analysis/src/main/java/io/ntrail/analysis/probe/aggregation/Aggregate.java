package io.ntrail.analysis.probe.aggregation;

import java.math.BigInteger;

/** Function of an aggregation: the state for one key, how a value is added, what it comes to. */
public sealed interface Aggregate permits Aggregate.Scalar, Buckets {
  /** Returns the name of the function. */
  String name();

  /** Returns the state before the first value. */
  long[] fresh();

  /**
   * Adds a value to a state; sums wrap at 64 bits (those of squares at 128), as DTrace's do.
   *
   * @return false if a sum wrapped
   */
  boolean add(long[] state, long value, long weight);

  /** Adds to one number of a state; returns false if it wrapped. */
  static boolean sum(long[] state, int index, long value) {
    long before = state[index];
    long sum = before + value;
    state[index] = sum;
    return ((before ^ sum) & (value ^ sum)) >= 0;
  }

  /** Compares two states in the order in which they are printed. */
  int compare(long[] left, long[] right);

  /** Functions whose result is a number. */
  enum Scalar implements Aggregate {
    /** Number of values. */
    COUNT,
    /** Sum. */
    SUM,
    /** Least value. */
    MIN,
    /** Greatest value. */
    MAX,
    /** Mean, cut to an integer. */
    AVG,
    /** Standard deviation, cut to an integer. */
    STDDEV;

    @Override
    public long[] fresh() {
      return switch (this) {
        case COUNT, SUM -> new long[1];
        // With the number of values: without any, what is printed is zero.
        case MIN -> new long[] {Long.MAX_VALUE, 0};
        case MAX -> new long[] {Long.MIN_VALUE, 0};
        case AVG -> new long[2];
        // Count, sum, sum of squares: low and high half.
        case STDDEV -> new long[4];
      };
    }

    @Override
    public boolean add(long[] state, long value, long weight) {
      return switch (this) {
        case COUNT -> {
          state[0]++;
          yield true;
        }
        case SUM -> Aggregate.sum(state, 0, value);
        case MIN -> {
          state[0] = Math.min(state[0], value);
          state[1]++;
          yield true;
        }
        case MAX -> {
          state[0] = Math.max(state[0], value);
          state[1]++;
          yield true;
        }
        case AVG -> {
          state[0]++;
          yield Aggregate.sum(state, 1, value);
        }
        case STDDEV -> {
          state[0]++;
          boolean fits = Aggregate.sum(state, 1, value);
          long low = value * value;
          long sum = state[2] + low;
          long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
          state[2] = sum;
          yield Aggregate.sum(state, 3, Math.multiplyHigh(value, value) + carry) && fits;
        }
      };
    }

    /**
     * Returns the result.
     *
     * @param normal divisor
     */
    public long value(long[] state, long normal) {
      return switch (this) {
        case COUNT, SUM -> state[0] / normal;
        case MIN, MAX -> state[1] == 0 ? 0 : state[0] / normal;
        case AVG -> state[0] == 0 ? 0 : state[1] / normal / state[0];
        case STDDEV -> deviation(state, normal);
      };
    }

    private static long deviation(long[] state, long normal) {
      if (state[0] == 0) {
        return 0;
      }
      BigInteger count = BigInteger.valueOf(state[0]);
      BigInteger divisor = BigInteger.valueOf(normal);
      BigInteger low = new BigInteger(Long.toUnsignedString(state[2]));
      BigInteger squares = BigInteger.valueOf(state[3]).shiftLeft(Long.SIZE).add(low);
      BigInteger mean = BigInteger.valueOf(state[1] / normal / state[0]);
      BigInteger variance =
          squares.divide(divisor).divide(divisor).divide(count).subtract(mean.multiply(mean));
      return variance.signum() <= 0 ? 0 : variance.sqrt().longValue();
    }

    @Override
    public int compare(long[] left, long[] right) {
      return this == AVG
          ? products(left[1], Math.max(1, right[0]), right[1], Math.max(1, left[0]))
          : Long.compare(value(left, 1), value(right, 1));
    }

    /** Compares a * b with c * d, in 128 bits. */
    private static int products(long a, long b, long c, long d) {
      int high = Long.compare(Math.multiplyHigh(a, b), Math.multiplyHigh(c, d));
      return high != 0 ? high : Long.compareUnsigned(a * b, c * d);
    }
  }
}
