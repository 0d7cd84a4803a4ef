package io.ntrail.formats.collections;

import java.util.Arrays;

/** Set of longs. It cannot be iterated. 16 to 32 bytes each. */
public final class LongSet {
  private static final int MOST = 1 << 30;

  /** The values but 0, which is where a slot is free. */
  private long[] slots;

  private int shift;
  private int size;
  private boolean hasZero;

  /** Makes an empty set. */
  public LongSet() {
    allocate(RowIndex.slotsFor(0));
  }

  private void allocate(int count) {
    slots = new long[count];
    shift = RowIndex.shiftFor(count);
  }

  /** Returns the number of values. */
  public int size() {
    return size;
  }

  /** Returns whether a value is in the set. */
  public boolean contains(long value) {
    return value == 0 ? hasZero : slots[place(value)] == value;
  }

  /** Adds a value; returns whether it is new. */
  public boolean add(long value) {
    if (value == 0) {
      boolean isNew = !hasZero;
      hasZero = true;
      size += isNew ? 1 : 0;
      return isNew;
    }
    int at = place(value);
    if (slots[at] == value) {
      return false;
    }
    if (++size > slots.length / 2) {
      grow();
      at = place(value);
    }
    slots[at] = value;
    return true;
  }

  /** Returns the place of a value, or the free one where it would be. */
  private int place(long value) {
    long[] table = slots;
    int at = (int) (Hashing.hash(value) >>> shift);
    while (table[at] != 0 && table[at] != value) {
      at = at + 1 & table.length - 1;
    }
    return at;
  }

  private void grow() {
    long[] before = slots;
    if (before.length == MOST) {
      throw new OutOfMemoryError("a set of more than " + MOST / 2 + " values");
    }
    allocate(2 * before.length);
    for (long value : before) {
      if (value != 0) {
        slots[place(value)] = value;
      }
    }
  }

  /** Takes all values away; the memory is kept. */
  public void clear() {
    Arrays.fill(slots, 0);
    size = 0;
    hasZero = false;
  }
}
