package io.ntrail.formats.collections;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Column of objects of {@link Columns}. Rows are checked against the capacity only; rows that were
 * taken away still hold their objects.
 */
public final class ObjectColumn<T> extends Column {
  private @Nullable Object[] values;

  ObjectColumn(int capacity) {
    values = new Object[capacity];
  }

  /** Returns the object of a row, which must have been set. */
  @SuppressWarnings({"unchecked", "NullAway"}) // only set puts anything in
  public T get(int row) {
    return (T) values[row];
  }

  /** Replaces the object of a row. */
  public void set(int row, T value) {
    values[row] = value;
  }

  @Override
  void resize(int length) {
    values = Arrays.copyOf(values, length);
  }

  @Override
  void permute(int[] order) {
    @Nullable Object[] permuted = new Object[values.length];
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
