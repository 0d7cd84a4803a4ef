package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;

/**
 * Places of the blocks of a relocation table by page, as long as pages ascend, as linkers write
 * them, and there are not too many: so that a small part of an image needs a few blocks, not all.
 */
final class RelocationIndex {
  /** Blocks whose places are held: those of an image of a gigabyte. */
  private static final int MOST = 1 << 18;

  private final Columns rows = new Columns();
  private final LongColumn pages = rows.longs();
  private final IntColumn starts = rows.ints();
  private final IntColumn ends = rows.ints();
  private int blocks;
  private boolean isUsable = true;

  /** Adds the next block of the table. */
  void add(long page, int at, int end) {
    int last = rows.rows() - 1;
    isUsable &= blocks < MOST && (last < 0 || pages.get(last) < page);
    blocks++;
    if (isUsable) {
      int row = rows.add();
      pages.set(row, page);
      starts.set(row, at);
      ends.set(row, end);
    }
  }

  /** Returns the number of blocks of the table. */
  int blocks() {
    return blocks;
  }

  /** Returns whether blocks can be found here; else the table has to be walked. */
  boolean isUsable() {
    return isUsable;
  }

  /** Returns whether there is a block of a page from one on up to another, which is excluded. */
  boolean has(long from, long to) {
    int row = firstFrom(from);
    return row < rows.rows() && pages.get(row) < to;
  }

  /** Visits the blocks of pages from one on up to another, which is excluded. */
  void visit(long from, long to, RelocationBlocks.Visitor visitor) {
    for (int row = firstFrom(from); row < rows.rows() && pages.get(row) < to; row++) {
      visitor.block(pages.get(row), starts.get(row), ends.get(row));
    }
  }

  private int firstFrom(long page) {
    return Search.floor(pages.array(), rows.rows(), page - 1) + 1;
  }
}
