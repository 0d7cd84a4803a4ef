package io.ntrail.live.code;

/**
 * Layout of the tables in which a target adds up its calls (docs/live.md section 1): one table a
 * thread, with a row a function. They follow the chunks in the session file. All numbers are
 * little-endian; times are ticks of the time stamp counter.
 *
 * @param detail what rows hold; {@link CallDetail#RECORDS}: there are no tables
 * @param at offset of the first table in the session file
 * @param tables how many there may be
 * @param rows how many functions each has room for
 */
public record CallTables(CallDetail detail, long at, int tables, int rows) {
  /** The layout of a session that records calls one by one. */
  public static final CallTables NONE = new CallTables(CallDetail.RECORDS, 0, 0, 0);

  /** The most tables, and places in the ring of free ones. */
  public static final int MOST_TABLES = 2048;

  /** The most rows of a table. */
  public static final int MOST_ROWS = 1 << 16;

  // Head of a table.

  /** u32: {@link SessionLayout#FREE} or {@link SessionLayout#IN_USE}. */
  public static final int STATE = 0;

  /** u32: id of the thread. */
  public static final int THREAD = 4;

  /** u64: time stamp counter when the thread took the table. */
  public static final int BEGAN = 8;

  /** Offset of the first row. */
  public static final int FIRST_ROW = 512;

  // Fields of a row, u64 each. Rows of counts have the first only.

  /** Calls. */
  public static final int CALLS = 0;

  /** Calls of which only the entry is seen. */
  public static final int ENTRY_ONLY = 8;

  /** Calls that returned. */
  public static final int EXITS = 16;

  /** Calls that an exception left. */
  public static final int UNWINDS = 24;

  /** Calls whose frame was found to be gone. */
  public static final int ABANDONED = 32;

  /** Ticks of all calls that returned or that an exception left. */
  public static final int TOTAL = 40;

  /** Ticks of these calls without those of traced calls inside. */
  public static final int SELF = 48;

  /** Complement of the ticks of the shortest. */
  public static final int SHORTEST = 56;

  /** Ticks of the longest. */
  public static final int LONGEST = 64;

  /** Number of calls by binary logarithm of their ticks; the first place holds 0 and 1. */
  public static final int HISTOGRAM = 72;

  /** Places of the histogram; the last holds all that take longer. */
  public static final int BUCKETS = 55;

  private static final int TIMES_BYTES = HISTOGRAM + 8 * BUCKETS;
  private static final int COUNTS_BYTES = 8;
  private static final int FEWEST_ROWS = 4096;
  private static final long MOST_BYTES = 1L << 32;

  /** Limit for a target of 32 bits, that of its buffers. */
  private static final long MOST_BYTES_32 = 1L << 28;

  /**
   * Returns a layout with room for functions that are expected, and for others of libraries that
   * are loaded later.
   *
   * @param pointerBytes of the target: one of 32 bits has little address space, and fewer tables
   */
  public static CallTables of(CallDetail detail, long at, int expected, int pointerBytes) {
    int rows = Math.clamp(4L * expected, FEWEST_ROWS, MOST_ROWS);
    long bytes = new CallTables(detail, at, 0, rows).tableBytes();
    long most = pointerBytes == Long.BYTES ? MOST_BYTES : MOST_BYTES_32;
    int tables = (int) Math.min(MOST_TABLES, most / bytes);
    return new CallTables(detail, at, tables, rows);
  }

  /** Returns whether calls are added up, not recorded. */
  public boolean exist() {
    return detail != CallDetail.RECORDS;
  }

  /** Returns the size of a row. */
  public int rowBytes() {
    return detail == CallDetail.TIMES ? TIMES_BYTES : COUNTS_BYTES;
  }

  /** Returns the distance of a row from the beginning of its table. */
  public int row(int number) {
    return FIRST_ROW + number * rowBytes();
  }

  /** Returns the distance from one table to the next. */
  public int tableBytes() {
    return row(rows) + SessionLayout.CHUNK_BYTES - 1 & -SessionLayout.CHUNK_BYTES;
  }

  /** Returns the offset of a table in the session file. */
  public long table(int number) {
    return at + (long) number * tableBytes();
  }

  /** Returns the offset of the end of all tables in the session file. */
  public long end() {
    return table(tables);
  }
}
