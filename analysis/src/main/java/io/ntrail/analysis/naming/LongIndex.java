package io.ntrail.analysis.naming;

/**
 * Numbers for long keys, with a generation that makes all of them old at once. Key and number lie
 * side by side, so that looking one up touches one cache line.
 */
public final class LongIndex {
  /** Key, then generation in the upper and number in the lower half. */
  private long[] slots;

  private int mask;
  private int generation = 1;
  private int size;

  /**
   * @param capacity a power of two
   */
  public LongIndex(int capacity) {
    slots = new long[2 * capacity];
    mask = capacity - 1;
  }

  /** Returns the number of a key; -1 if it has none. */
  public int get(long key) {
    int slot = slot(key) & mask;
    while (true) {
      long value = slots[2 * slot + 1];
      if ((int) (value >>> 32) != generation) {
        return -1;
      }
      if (slots[2 * slot] == key) {
        return (int) value;
      }
      slot = slot + 1 & mask;
    }
  }

  /** Gives a key that has none a number. */
  public void put(long key, int value) {
    if (size > mask / 2) {
      grow();
    }
    insert(key, value);
    size++;
  }

  private void insert(long key, int value) {
    int slot = slot(key) & mask;
    while ((int) (slots[2 * slot + 1] >>> 32) == generation) {
      slot = slot + 1 & mask;
    }
    slots[2 * slot] = key;
    slots[2 * slot + 1] = (long) generation << 32 | value & 0xFFFF_FFFFL;
  }

  private void grow() {
    long[] old = slots;
    slots = new long[2 * old.length];
    mask = 2 * mask + 1;
    for (int i = 0; i < old.length; i += 2) {
      if ((int) (old[i + 1] >>> 32) == generation) {
        insert(old[i], (int) old[i + 1]);
      }
    }
  }

  private static int slot(long key) {
    long mixed = key * 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }

  /** Returns the number of keys. */
  public int size() {
    return size;
  }

  /** Forgets all keys. */
  void clear() {
    size = 0;
    if (++generation == 0) {
      slots = new long[slots.length];
      generation = 1;
    }
  }
}
