package io.ntrail.formats.etl;

import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.LongColumn;

/**
 * The records of one buffer as columns: what a merge of many buffers needs to know of each, 17
 * bytes a record. Filled by {@link RecordCursor#index}; used again for the next buffer.
 */
public final class RecordTable {
  private final Columns records = new Columns(512);
  private final LongColumn ticks = records.longs();

  /** Offset in the upper half, then the word where kernel records have their hook id, and size. */
  private final LongColumn places = records.longs();

  private final ByteColumn kinds = records.bytes();
  private boolean sorted;

  /** An empty table. */
  public RecordTable() {}

  void clear() {
    records.clear();
  }

  void add(long time, long place, int kind) {
    int row = records.add();
    ticks.set(row, time);
    places.set(row, place);
    kinds.set(row, (byte) kind);
  }

  void filled(boolean inOrder) {
    sorted = inOrder;
  }

  /** Number of records. */
  public int count() {
    return records.rows();
  }

  /** Returns true if their times never go back. */
  public boolean sorted() {
    return sorted;
  }

  /** Raw time stamp of record {@code i}. */
  public long ticks(int i) {
    return ticks.get(i);
  }

  long place(int i) {
    return places.get(i);
  }

  int kind(int i) {
    return kinds.get(i);
  }

  /** The column of raw time stamps; only the first {@link #count()} are meant. */
  @SuppressWarnings("MutableArrayReturned") // a hot loop reads it, nobody else has it
  public long[] ticks() {
    return ticks.array();
  }

  /** Bytes of memory that it takes. */
  public long memory() {
    return 17L * records.capacity();
  }

  /** Puts the records into another order: row {@code i} is the one that was {@code order[i]}. */
  public void permute(int[] order) {
    records.permute(order);
    sorted = true;
  }
}
