package io.ntrail.formats.collections;

/** Set of longs, in the order in which they were added. 16 to 28 bytes each. */
public final class LongSet {
  private final LongList values = new LongList();
  private final RowIndex index = new RowIndex(0, row -> Hashing.hash(values.get(row)));

  /** Makes an empty set. */
  public LongSet() {}

  /** Returns the number of values. */
  public int size() {
    return values.size();
  }

  /** Returns whether a value is in the set. */
  public boolean contains(long value) {
    return index.row(slot(value)) >= 0;
  }

  /** Adds a value; returns whether it is new. */
  public boolean add(long value) {
    int slot = slot(value);
    if (index.row(slot) >= 0) {
      return false;
    }
    values.add(value);
    index.put(slot, values.size() - 1);
    return true;
  }

  /** The slot in which a value is, or would be. */
  private int slot(long value) {
    int slot = index.slot(Hashing.hash(value));
    int row = index.row(slot);
    while (row >= 0 && values.get(row) != value) {
      slot = index.next(slot);
      row = index.row(slot);
    }
    return slot;
  }

  /** Returns the values in the order in which they were added. */
  public long[] toArray() {
    return values.toArray();
  }

  /** Takes all values away; the memory is kept. */
  public void clear() {
    values.clear();
    index.clear();
  }
}
