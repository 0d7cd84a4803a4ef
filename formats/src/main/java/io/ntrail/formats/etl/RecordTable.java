package io.ntrail.formats.etl;

import java.util.Arrays;

/**
 * The records of one buffer as columns: what a merge of many buffers needs to know of each, 17
 * bytes a record. Filled by {@link RecordCursor#index}; used again for the next buffer.
 *
 * <p>Arrays rather than {@link io.ntrail.formats.collections.Columns}, which made walking a
 * recording in order 8 % slower.
 */
public final class RecordTable {
  private int count;
  private boolean sorted;
  long[] ticks = new long[512];

  /** Offset in the upper half, then the word where kernel records have their hook id, and size. */
  long[] places = new long[512];

  byte[] kinds = new byte[512];

  /** An empty table. */
  public RecordTable() {}

  void clear() {
    count = 0;
    sorted = true;
  }

  void grow() {
    int capacity = 2 * ticks.length;
    ticks = Arrays.copyOf(ticks, capacity);
    places = Arrays.copyOf(places, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
  }

  void filled(int count, boolean sorted) {
    this.count = count;
    this.sorted = sorted;
  }

  /** Number of records. */
  public int count() {
    return count;
  }

  /** Returns true if their times never go back. */
  public boolean sorted() {
    return sorted;
  }

  /** Raw time stamp of record {@code i}. */
  public long ticks(int i) {
    return ticks[i];
  }

  /** Offset of record {@code i} in its buffer. */
  public int offset(int i) {
    return (int) (places[i] >>> 32);
  }

  /** The column of raw time stamps; only the first {@link #count()} are meant. */
  @SuppressWarnings("MutableArrayReturned") // a hot loop reads it, it is not shared
  public long[] ticks() {
    return ticks;
  }

  /** Bytes of memory that it takes. */
  public long memory() {
    return 17L * ticks.length;
  }

  /** Puts the records into another order: row {@code i} is the one that was {@code order[i]}. */
  public void permute(int[] order) {
    long[] newTicks = new long[ticks.length];
    long[] newPlaces = new long[ticks.length];
    byte[] newKinds = new byte[ticks.length];
    for (int i = 0; i < order.length; i++) {
      newTicks[i] = ticks[order[i]];
      newPlaces[i] = places[order[i]];
      newKinds[i] = kinds[order[i]];
    }
    ticks = newTicks;
    places = newPlaces;
    kinds = newKinds;
    sorted = true;
  }
}
