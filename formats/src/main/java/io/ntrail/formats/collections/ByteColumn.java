package io.ntrail.formats.collections;

import java.util.Arrays;

/** Column of bytes of {@link Columns}. Rows are checked against the capacity only. */
public final class ByteColumn extends Column {
  private byte[] values;

  ByteColumn(int capacity) {
    values = new byte[capacity];
  }

  /** Returns the value of a row. */
  public byte get(int row) {
    return values[row];
  }

  /** Replaces the value of a row. */
  public void set(int row, byte value) {
    values[row] = value;
  }

  /** Returns the storage: row by row the values, and room for more of them. */
  @SuppressWarnings("MutableArrayReturned") // for hot loops, see the package
  public byte[] array() {
    return values;
  }

  @Override
  void resize(int length) {
    values = Arrays.copyOf(values, length);
  }

  @Override
  void permute(int[] order) {
    byte[] permuted = new byte[values.length];
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
