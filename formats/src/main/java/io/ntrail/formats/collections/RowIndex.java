package io.ntrail.formats.collections;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * Hash index over the rows of columns: a table of row numbers with open addressing and linear
 * probing. The keys, of any number of words, stay where they are; a caller that looks for one
 * compares:
 *
 * <pre>{@code
 * int slot = index.slot(Hashing.hash(guidLow, guidHigh, id));
 * int row = index.row(slot);
 * while (row >= 0 && !isKey(row, guidLow, guidHigh, id)) {
 *   slot = index.next(slot);
 *   row = index.row(slot);
 * }
 * if (row < 0) {
 *   row = addRow(guidLow, guidHigh, id);
 *   index.put(slot, row);
 * }
 * }</pre>
 *
 * <p>8 to 16 bytes a row, up to twice as many while there are few.
 */
public final class RowIndex {
  private static final int LEAST = 16;
  private static final int MOST = 1 << 30;

  /** Tables up to this size stay in the cache and are kept sparse: searches are shorter. */
  private static final int SMALL = 1 << 14;

  private final IntToLongFunction hashOfRow;

  /** Row numbers plus 1; 0 where a slot is free. */
  private int[] rows;

  private int shift;
  private int used;

  /**
   * Makes an empty index.
   *
   * @param expected number of rows that it has room for before it grows
   * @param hashOfRow the hash of the key in a row
   */
  public RowIndex(int expected, IntToLongFunction hashOfRow) {
    this.hashOfRow = hashOfRow;
    int slots = slotsFor(expected);
    rows = new int[slots];
    shift = shiftFor(slots);
  }

  /** Returns a power of two of which so many are at most half. */
  static int slotsFor(int expected) {
    int slots = LEAST;
    while (slots < MOST && slots / 2 < expected) {
      slots *= 2;
    }
    return slots;
  }

  /** Returns how far a hash is shifted so that its upper bits are the number of a slot. */
  static int shiftFor(int slots) {
    return Long.SIZE - Integer.numberOfTrailingZeros(slots);
  }

  /** Returns the slot in which the search for a key begins, by its {@link Hashing hash}. */
  public int slot(long hash) {
    return (int) (hash >>> shift);
  }

  /** Returns the slot in which the search continues. */
  public int next(int slot) {
    return slot + 1 & rows.length - 1;
  }

  /** Returns the row that a slot holds; -1 ends the search: the key is not there. */
  public int row(int slot) {
    return rows[slot] - 1;
  }

  /**
   * Puts a row into the slot that a search ended at, or replaces the row that it found there by
   * another one with that key. Slots have other numbers afterwards.
   */
  public void put(int slot, int row) {
    if (rows[slot] == 0 && ++used > rows.length / 2) {
      grow();
      rows[free(hashOfRow.applyAsLong(row))] = row + 1;
    } else {
      rows[slot] = row + 1;
    }
  }

  private int free(long hash) {
    int slot = slot(hash);
    while (rows[slot] != 0) {
      slot = next(slot);
    }
    return slot;
  }

  private void grow() {
    if (rows.length == MOST) {
      throw new OutOfMemoryError("a hash table of more than " + MOST / 2 + " rows");
    }
    int[] before = rows;
    rows = new int[(before.length <= SMALL ? 4 : 2) * before.length];
    shift = shiftFor(rows.length);
    for (int entry : before) {
      if (entry != 0) {
        rows[free(hashOfRow.applyAsLong(entry - 1))] = entry;
      }
    }
  }

  /** Forgets all rows; the memory is kept. */
  public void clear() {
    Arrays.fill(rows, 0);
    used = 0;
  }
}
