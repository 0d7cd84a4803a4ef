package io.ntrail.formats.collections;

/** Map from longs to longs, made for sums and counts, in the order in which keys were added. */
public final class LongLongMap {
  private final Columns rows = new Columns();
  private final LongColumn keys = rows.longs();
  private final LongColumn values = rows.longs();
  private final RowIndex index = new RowIndex(0, row -> Hashing.hash(keys.get(row)));

  /** Makes an empty map. */
  public LongLongMap() {}

  /** Takes a key and its value. */
  @FunctionalInterface
  public interface Visitor {
    /** Takes one. */
    void visit(long key, long value);
  }

  /** Returns the number of keys. */
  public int size() {
    return rows.rows();
  }

  /** Returns the value of a key; 0 if it has none. */
  public long get(long key) {
    int row = index.row(slot(key));
    return row < 0 ? 0 : values.get(row);
  }

  /** Returns whether a key has a value. */
  public boolean containsKey(long key) {
    return index.row(slot(key)) >= 0;
  }

  /** Gives a key a value, be it new or not. */
  public void put(long key, long value) {
    values.set(row(key), value);
  }

  /** Adds to the value of a key, which is 0 if it is new. */
  public void add(long key, long more) {
    values.add(row(key), more);
  }

  /** The slot in which a key is, or would be. */
  private int slot(long key) {
    int slot = index.slot(Hashing.hash(key));
    int row = index.row(slot);
    while (row >= 0 && keys.get(row) != key) {
      slot = index.next(slot);
      row = index.row(slot);
    }
    return slot;
  }

  private int row(long key) {
    int slot = slot(key);
    int row = index.row(slot);
    if (row < 0) {
      row = rows.add();
      keys.set(row, key);
      values.set(row, 0);
      index.put(slot, row);
    }
    return row;
  }

  /** Gives out the keys with their values in the order in which they were added. */
  public void forEach(Visitor visitor) {
    for (int row = 0; row < rows.rows(); row++) {
      visitor.visit(keys.get(row), values.get(row));
    }
  }

  /** Takes all keys away; the memory is kept. */
  public void clear() {
    rows.clear();
    index.clear();
  }
}
