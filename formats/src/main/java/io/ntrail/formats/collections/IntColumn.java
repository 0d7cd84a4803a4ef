package io.ntrail.formats.collections;

import java.util.Arrays;

/** Column of ints of {@link Columns}. Rows are checked against the capacity only. */
public final class IntColumn extends Column {
  private int[] values;

  IntColumn(int capacity) {
    values = new int[capacity];
  }

  /** Returns the value of a row. */
  public int get(int row) {
    return values[row];
  }

  /** Replaces the value of a row. */
  public void set(int row, int value) {
    values[row] = value;
  }

  /** Returns the storage: row by row the values, and room for more of them. */
  @SuppressWarnings("MutableArrayReturned") // for hot loops, see the package
  public int[] array() {
    return values;
  }

  @Override
  void resize(int length) {
    values = Arrays.copyOf(values, length);
  }

  @Override
  void permute(int[] order) {
    int[] permuted = new int[values.length];
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
