package io.ntrail.analysis.profile;

import java.util.Arrays;

/** Numbers for long keys, with a generation that makes all of them old at once. */
final class LongIndex {
  private long[] keys;
  private int[] values;
  private int[] generations;
  private int generation = 1;
  private int size;

  LongIndex(int capacity) {
    keys = new long[capacity];
    values = new int[capacity];
    generations = new int[capacity];
  }

  /** The number of a key; -1 if it has none. */
  int get(long key) {
    int mask = keys.length - 1;
    int slot = slot(key) & mask;
    while (generations[slot] == generation) {
      if (keys[slot] == key) {
        return values[slot];
      }
      slot = slot + 1 & mask;
    }
    return -1;
  }

  /** Gives a key that has none a number. */
  void put(long key, int value) {
    if (size >= keys.length / 2) {
      grow();
    }
    insert(key, value);
    size++;
  }

  private void insert(long key, int value) {
    int mask = keys.length - 1;
    int slot = slot(key) & mask;
    while (generations[slot] == generation) {
      slot = slot + 1 & mask;
    }
    keys[slot] = key;
    values[slot] = value;
    generations[slot] = generation;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    int[] oldGenerations = generations;
    int capacity = 2 * oldKeys.length;
    keys = new long[capacity];
    values = new int[capacity];
    generations = new int[capacity];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldGenerations[i] == generation) {
        insert(oldKeys[i], oldValues[i]);
      }
    }
  }

  private static int slot(long key) {
    long mixed = key * 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }

  /** Number of keys. */
  int size() {
    return size;
  }

  /** Forgets all keys. */
  void clear() {
    size = 0;
    if (++generation == 0) {
      Arrays.fill(generations, 0);
      generation = 1;
    }
  }
}
