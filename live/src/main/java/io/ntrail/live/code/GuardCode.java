package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;
import java.util.List;

/**
 * Guard in front of Wine's {@code LdrFindEntryForAddress}: answers that an address of tracing
 * belongs to no module. Its table of ranges lies in front of the code.
 */
public interface GuardCode {
  /** Returns the size of the table of ranges. */
  int tableBytes();

  /** Returns how many ranges the table can hold. */
  int maxRanges();

  /** Returns the table of ranges. */
  byte[] table(List<Range> ranges);

  /**
   * Adds a range to a table while threads read it: however far the bytes are written, they find the
   * ranges before it, and this one whole or not at all.
   *
   * @param place number of ranges before it
   * @return bytes to be written one after the other, in this order
   */
  List<Piece> added(int place, Range range);

  /** Reads a table of ranges. */
  List<Range> ranges(Bytes table);

  /**
   * Returns the code.
   *
   * @param table address of the table of ranges
   */
  byte[] code(long table);

  /** Returns the size of the code. */
  int codeSize();

  /**
   * Returns the address of the table of ranges of a guard that another session left in a target; 0
   * if it is not a guard.
   *
   * @param found bytes at the destination of the function's jump
   */
  long tableOf(byte[] found);

  /**
   * Bytes of the table.
   *
   * @param at their offset in it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Piece(int at, byte[] bytes) {}

  /**
   * Memory that belongs to tracing.
   *
   * @param begin its first address, a multiple of 256
   * @param size in bytes
   */
  record Range(long begin, long size) {}
}
