package io.ntrail.formats.collections;

import java.util.Arrays;
import java.util.Objects;

/** List of longs in one growing array. */
public final class LongList {
  private static final long[] EMPTY = {};

  private long[] values;
  private int size;

  /** Makes an empty list. */
  public LongList() {
    values = EMPTY;
  }

  /** Makes an empty list that has room for so many values before it grows. */
  public LongList(int capacity) {
    values = new long[capacity];
  }

  /** Returns the number of values. */
  public int size() {
    return size;
  }

  /** Returns whether there are no values. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns a value by its index. */
  public long get(int index) {
    return values[Objects.checkIndex(index, size)];
  }

  /** Replaces a value. */
  public void set(int index, long value) {
    values[Objects.checkIndex(index, size)] = value;
  }

  /** Appends a value. */
  public void add(long value) {
    if (size == values.length) {
      grow(1);
    }
    values[size++] = value;
  }

  /** Appends a piece of an array. */
  public void addAll(long[] from, int at, int count) {
    Objects.checkFromIndexSize(at, count, from.length);
    if (count > values.length - size) {
      grow(count);
    }
    System.arraycopy(from, at, values, size, count);
    size += count;
  }

  /** Appends a value until there are so many; nothing if there are. */
  public void extend(int least, long value) {
    if (least > size) {
      if (least > values.length) {
        grow(least - size);
      }
      Arrays.fill(values, size, least, value);
      size = least;
    }
  }

  private void grow(int more) {
    values = Arrays.copyOf(values, Growth.length(values.length, size + more));
  }

  /** Returns the last value and takes it away. */
  public long removeLast() {
    long value = get(size - 1);
    size--;
    return value;
  }

  /** Sorts the values in ascending order. */
  public void sort() {
    Arrays.sort(values, 0, size);
  }

  /** Takes all values away. */
  public void clear() {
    size = 0;
  }

  /** Returns the values as an array of their own. */
  public long[] toArray() {
    return Arrays.copyOf(values, size);
  }

  /** Returns the storage, of which the first {@link #size} elements are the values. */
  @SuppressWarnings("MutableArrayReturned") // for hot loops, see the package
  public long[] array() {
    return values;
  }
}
