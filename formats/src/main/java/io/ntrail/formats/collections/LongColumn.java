package io.ntrail.formats.collections;

import java.util.Arrays;

/** Column of longs of {@link Columns}. Rows are checked against the capacity only. */
public final class LongColumn extends Column {
  private long[] values;

  LongColumn(int capacity) {
    values = new long[capacity];
  }

  /** Returns the value of a row. */
  public long get(int row) {
    return values[row];
  }

  /** Replaces the value of a row. */
  public void set(int row, long value) {
    values[row] = value;
  }

  /** Adds to the value of a row. */
  public void add(int row, long more) {
    values[row] += more;
  }

  /** Returns the storage: row by row the values, and room for more of them. */
  @SuppressWarnings("MutableArrayReturned") // for hot loops, see the package
  public long[] array() {
    return values;
  }

  @Override
  void resize(int length) {
    values = Arrays.copyOf(values, length);
  }

  @Override
  void permute(int[] order) {
    long[] permuted = new long[values.length];
    for (int i = 0; i < order.length; i++) {
      permuted[i] = values[order[i]];
    }
    values = permuted;
  }

  @Override
  Object storage() {
    return values;
  }
}
