package io.ntrail.analysis.etw.events;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowIndex;

/**
 * Counts by event type: (provider GUID, id, opcode, version) to a row of columns. Row numbers are
 * handed out in the order of first sight.
 */
final class EventTypeTable {
  private final Columns rows = new Columns(64);
  final LongColumn guidLow = rows.longs();
  final LongColumn guidHigh = rows.longs();
  final LongColumn ids = rows.longs();
  final LongColumn counts = rows.longs();
  final LongColumn bytes = rows.longs();
  final LongColumn withStack = rows.longs();
  private final RowIndex index =
      new RowIndex(128, row -> Hashing.hash(guidLow.get(row), guidHigh.get(row), ids.get(row)));

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
    return rows.rows();
  }

  /** The row of a type, made if there is none yet. */
  int row(long low, long high, long id) {
    int slot = index.slot(Hashing.hash(low, high, id));
    int row = index.row(slot);
    while (row >= 0) {
      if (ids.get(row) == id && guidLow.get(row) == low && guidHigh.get(row) == high) {
        return row;
      }
      slot = index.next(slot);
      row = index.row(slot);
    }
    row = rows.add();
    guidLow.set(row, low);
    guidHigh.set(row, high);
    ids.set(row, id);
    index.put(slot, row);
    return row;
  }
}
