package io.ntrail.live.branches;

/**
 * Layout of the block that {@link BranchRoutine} gets, by which it also answers: offsets from its
 * begin, and what its parts mean.
 */
final class RoutineBlock {
  /** In and out, u64: number of the next piece that a thread takes; 0 at first. */
  static final int NEXT = 0;

  /** In, u64: number of pieces. */
  static final int PIECES = 8;

  /** Out, u64: number of places; more than there is room for is too many. */
  static final int FOUND = 16;

  /** In, u64: room for places. */
  static final int ROOM = 24;

  /** Out, u64: 1 if memory could not be read. */
  static final int FAILED = 32;

  /** In, u64: address of a byte for each part of the image, not 0 where first bytes lie. */
  static final int MARKS = 40;

  /** In, u64: number of the last of these bytes; their count is a power of two. */
  static final int LAST_MARK = 48;

  /** In, u64: address of the RVAs of the functions, u32 each, ascending. */
  static final int STARTS = 56;

  /** In, u64: number of functions. */
  static final int COUNT = 64;

  /** In, u64: address of the places. */
  static final int PLACES = 72;

  /** In and out, u64: number of the next part of the function table that a thread takes. */
  static final int NEXT_PART = 80;

  /** In, u64: address of the function table. */
  static final int TABLE = 88;

  /** In, u64: number of its entries; 0: it is not looked at. */
  static final int ENTRIES = 96;

  /** In, u64: RVA from which on the unwind information lies. */
  static final int UNWIND = 104;

  /** In, u64: number of bytes there. */
  static final int UNWIND_BYTES = 112;

  /** In, u64: distance from an RVA there to its address. */
  static final int UNWIND_AT = 120;

  /** Out, u64: 1 if the table is not plain, or has unwind information elsewhere. */
  static final int UNUSUAL = 128;

  /** Out, u64: number of entries that continue a function. */
  static final int CONTINUING = 136;

  /** In, u64: room for the numbers of these. */
  static final int CONTINUING_ROOM = 144;

  /** In, u64: address of these numbers, u32 each, in no order. */
  static final int CONTINUING_AT = 152;

  /** Entries of a part of the function table. */
  static final int PART = 1 << 13;

  /**
   * In: pieces, each u64 address, u64 RVA, u64 number of bytes where a branch may begin, a multiple
   * of {@link #STEP}, or that and {@link #DISTANT}; {@link #BEHIND} more are read.
   */
  static final int FIRST_PIECE = 160;

  /**
   * In, u64, behind a stretch: address of the block, there when the event is set; {@link #STOP} or
   * less if none comes.
   */
  static final int GO = 16;

  static final int STOP = 1;

  /** In, u64, behind that: handle of the event. */
  static final int EVENT = 24;

  /** In, u64, behind that: address of WaitForSingleObject. */
  static final int WAIT = 32;

  /** Bytes that describe a piece. */
  static final int PIECE = 24;

  /** Bytes behind a piece that are read. */
  static final int BEHIND = 96;

  /**
   * Bit of a piece that is further from all functions than 16 bits reach; then these have to be
   * near one another, or it takes long.
   */
  static final int DISTANT = 1;

  /**
   * Shift of an RVA to the number of its mark: with these, all marks fit into the fastest cache.
   */
  static final int MARK_SHIFT = 13;

  /** Bytes that are looked at together. */
  static final int STEP = 64;

  private RoutineBlock() {}
}
