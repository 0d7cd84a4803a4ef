package io.ntrail.formats.collections;

import java.util.Arrays;
import java.util.Objects;

/** List of ints in one growing array. */
public final class IntList {
  private static final int[] EMPTY = {};

  private int[] values;
  private int size;

  /** Makes an empty list. */
  public IntList() {
    values = EMPTY;
  }

  /** Makes an empty list that has room for so many values before it grows. */
  public IntList(int capacity) {
    values = new int[capacity];
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
  public int get(int index) {
    return values[Objects.checkIndex(index, size)];
  }

  /** Replaces a value. */
  public void set(int index, int value) {
    values[Objects.checkIndex(index, size)] = value;
  }

  /** Appends a value. */
  public void add(int value) {
    if (size == values.length) {
      grow(1);
    }
    values[size++] = value;
  }

  /** Appends a piece of an array. */
  public void addAll(int[] from, int at, int count) {
    Objects.checkFromIndexSize(at, count, from.length);
    if (count > values.length - size) {
      grow(count);
    }
    System.arraycopy(from, at, values, size, count);
    size += count;
  }

  /** Appends a value until there are so many; nothing if there are. */
  public void extend(int least, int value) {
    if (least > size) {
      if (least > values.length) {
        grow(least - size);
      }
      Arrays.fill(values, size, least, value);
      size = least;
    }
  }

  /** Makes room for more values, so that the list need not grow until there are so many in all. */
  public void reserve(int capacity) {
    if (capacity > values.length) {
      values = Arrays.copyOf(values, capacity);
    }
  }

  private void grow(int more) {
    values = Arrays.copyOf(values, Growth.length(values.length, size + more));
  }

  /** Returns the last value and takes it away. */
  public int removeLast() {
    int value = get(size - 1);
    size--;
    return value;
  }

  /** Takes values away at the end so that so many are left. */
  public void truncate(int left) {
    size = Objects.checkIndex(left, size + 1);
  }

  /** Takes all values away. */
  public void clear() {
    size = 0;
  }

  /** Returns the values as an array of their own. */
  public int[] toArray() {
    return Arrays.copyOf(values, size);
  }

  /** Returns the storage, of which the first {@link #size} elements are the values. */
  @SuppressWarnings("MutableArrayReturned") // for hot loops, see the package
  public int[] array() {
    return values;
  }
}
