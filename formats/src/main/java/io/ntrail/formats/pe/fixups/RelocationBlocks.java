package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.bytes.Bytes;

/**
 * The layout that base relocations and dynamic relocations share: consecutive blocks of {@code u32
 * page RVA, u32 bytes of the block with these eight}, whose entries have offsets in the page.
 */
final class RelocationBlocks {
  /** Bytes before the entries of a block. */
  static final int HEADER = 8;

  private RelocationBlocks() {}

  /** Visitor of blocks. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Called for each block.
     *
     * @param page RVA that the offsets count from
     * @param at start of the entries
     * @param end end of the last entry
     */
    void block(long page, int at, int end);
  }

  /**
   * Walks the blocks between two places.
   *
   * @param end end of the last block; inside the window
   * @return the place where the walk stopped: {@code end}, or that of an impossible block. Zeros up
   *     to the end are padding
   */
  static int walk(Bytes table, int from, int end, Visitor visitor) {
    int at = from;
    while (end - at >= HEADER) {
      long page = table.u32(at);
      long size = table.u32(at + 4);
      if (size < HEADER || size > end - at) {
        return page == 0 && table.isZero(at, end - at) ? end : at;
      }
      visitor.block(page, at + HEADER, at + (int) size);
      at += (int) size;
    }
    return table.isZero(at, end - at) ? end : at;
  }
}
