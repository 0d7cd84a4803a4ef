package io.ntrail.analysis.etw.events;

import java.util.Arrays;

/**
 * Counts by event type: (provider GUID, id, opcode, version) to a row of columns. Open addressing;
 * the row numbers are handed out in the order of first sight.
 */
final class EventTypeTable {
  private int[] slots = new int[256];
  private int size;
  long[] guidLow = new long[64];
  long[] guidHigh = new long[64];
  long[] ids = new long[64];
  long[] counts = new long[64];
  long[] bytes = new long[64];
  long[] withStack = new long[64];

  /** Packs what identifies an event within its provider. */
  static long pack(int id, int opcode, int version) {
    return (id & 0xFFFF_FFFFL) << 32 | (opcode & 0xFFFFL) << 16 | version & 0xFFFFL;
  }

  static int id(long packed) {
    return (int) (packed >>> 32);
  }

  static int opcode(long packed) {
    return (int) (packed >>> 16) & 0xFFFF;
  }

  static int version(long packed) {
    return (int) packed & 0xFFFF;
  }

  int size() {
    return size;
  }

  /** The row of a type, made if there is none yet. */
  int row(long low, long high, long id) {
    int mask = slots.length - 1;
    int at = hash(low, high, id) & mask;
    int row;
    while ((row = slots[at] - 1) >= 0) {
      if (ids[row] == id && guidLow[row] == low && guidHigh[row] == high) {
        return row;
      }
      at = at + 1 & mask;
    }
    return add(at, low, high, id);
  }

  private int add(int at, long low, long high, long id) {
    if (size == ids.length) {
      int capacity = 2 * size;
      guidLow = Arrays.copyOf(guidLow, capacity);
      guidHigh = Arrays.copyOf(guidHigh, capacity);
      ids = Arrays.copyOf(ids, capacity);
      counts = Arrays.copyOf(counts, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      withStack = Arrays.copyOf(withStack, capacity);
    }
    guidLow[size] = low;
    guidHigh[size] = high;
    ids[size] = id;
    slots[at] = ++size;
    if (2 * size > slots.length) {
      rehash();
    }
    return size - 1;
  }

  private void rehash() {
    int[] larger = new int[4 * slots.length];
    int mask = larger.length - 1;
    for (int row = 0; row < size; row++) {
      int at = hash(guidLow[row], guidHigh[row], ids[row]) & mask;
      while (larger[at] != 0) {
        at = at + 1 & mask;
      }
      larger[at] = row + 1;
    }
    slots = larger;
  }

  private static int hash(long low, long high, long id) {
    long mixed = (low ^ Long.rotateLeft(high, 23) ^ id * 0x9E37_79B9_7F4A_7C15L);
    mixed *= 0xD6E8_FEB8_6659_FD93L;
    return (int) (mixed >>> 32);
  }
}
