package io.ntrail.formats.collections;

import java.util.Arrays;

/** Column of shorts of {@link Columns}. Rows are checked against the capacity only. */
public final class ShortColumn extends Column {
  private short[] values;

  ShortColumn(int capacity) {
    values = new short[capacity];
  }

  /** Returns the value of a row. */
  public short get(int row) {
    return values[row];
  }

  /** Replaces the value of a row. */
  public void set(int row, short value) {
    values[row] = value;
  }

  /** Returns the storage: row by row the values, and room for more of them. */
  @SuppressWarnings("MutableArrayReturned") // for hot loops, see the package
  public short[] array() {
    return values;
  }

  @Override
  void resize(int length) {
    values = Arrays.copyOf(values, length);
  }

  @Override
  void permute(int[] order) {
    short[] permuted = new short[values.length];
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
