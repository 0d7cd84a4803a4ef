package io.ntrail.formats.collections;

import java.util.Arrays;

/**
 * Map from longs to ints that are not negative. Key and value lie side by side, so that looking one
 * up touches one cache line. It cannot be iterated: what has to be is better numbered, with a
 * {@link RowIndex} over columns. 32 to 64 bytes a key.
 */
public final class LongIntMap {
  private static final int MOST = 1 << 29;

  /** Upper half of the second word of a slot that holds a key. */
  private static final long USED = 1L << 32;

  /** Two words a slot: the key, then 0 if the slot is free, else the value in the lower half. */
  private long[] words;

  private int shift;
  private int size;

  /** Makes an empty map. */
  public LongIntMap() {
    this(0);
  }

  /**
   * Makes an empty map.
   *
   * @param expected number of keys that it has room for before it grows
   */
  public LongIntMap(int expected) {
    allocate(Math.min(MOST, RowIndex.slotsFor(expected)));
  }

  private void allocate(int slots) {
    words = new long[2 * slots];
    shift = RowIndex.shiftFor(slots);
  }

  /** Returns the number of keys. */
  public int size() {
    return size;
  }

  /** Returns the value of a key; -1 if it has none. */
  public int get(long key) {
    long[] table = words;
    int at = 2 * (int) (Hashing.hash(key) >>> shift);
    long value = table[at + 1];
    while (value != 0) {
      if (table[at] == key) {
        return (int) value;
      }
      at = at + 2 & table.length - 1;
      value = table[at + 1];
    }
    return -1;
  }

  /**
   * Gives a key a value, be it new or not.
   *
   * @throws IllegalArgumentException if the value is negative
   */
  public void put(long key, int value) {
    if (value < 0) {
      throw new IllegalArgumentException("negative value " + value);
    }
    int at = place(key);
    if (words[at + 1] == 0) {
      if (++size > words.length / 4) {
        grow();
        at = place(key);
      }
      words[at] = key;
    }
    words[at + 1] = USED | value;
  }

  /** Returns the slot of a key, or the free one for it. */
  private int place(long key) {
    int at = 2 * (int) (Hashing.hash(key) >>> shift);
    while (words[at + 1] != 0 && words[at] != key) {
      at = at + 2 & words.length - 1;
    }
    return at;
  }

  private void grow() {
    long[] before = words;
    if (before.length == 2 * MOST) {
      throw new OutOfMemoryError("a map of more than " + MOST / 2 + " keys");
    }
    allocate(before.length);
    for (int i = 0; i < before.length; i += 2) {
      if (before[i + 1] != 0) {
        int at = place(before[i]);
        words[at] = before[i];
        words[at + 1] = before[i + 1];
      }
    }
  }

  /** Takes all keys away; the memory is kept. */
  public void clear() {
    Arrays.fill(words, 0);
    size = 0;
  }
}
