package io.ntrail.formats.etl;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The records of one buffer as columns: what a merge of many buffers needs to know of each, 16
 * bytes a record. Filled by {@link RecordCursor#index}; used again for the next buffer.
 *
 * <p>Arrays rather than {@link io.ntrail.formats.collections.Columns}, which made walking a
 * recording in order 8 % slower.
 */
public final class RecordTable {
  /** Bits of the kinds that are hooks, events, classic. */
  private static final int HOOKS = kinds(RecordKind::isHook);

  private static final int EVENTS = kinds(RecordKind::isEvent);
  private static final int CLASSICS = kinds(RecordKind::isClassic);

  /**
   * The {@link #version} of a record whose first two bytes are this or more: it has a higher one,
   * or flags beside it, or they are no version.
   */
  public static final int MORE = 31;

  /** Bytes of the header of a record that {@link #isPlain}. */
  public static final int PLAIN_HEADER = RecordKind.PERFINFO64.headerBytes();

  private static final int PERFINFO64 = RecordKind.PERFINFO64.ordinal();

  private int count;
  private boolean sorted;
  long[] ticks = new long[512];

  /** See {@link #place(int, int, long, int)}. */
  long[] places = new long[512];

  private static int kinds(Predicate<RecordKind> chosen) {
    int bits = 0;
    for (RecordKind kind : RecordKind.values()) {
      bits |= chosen.test(kind) ? 1 << kind.ordinal() : 0;
    }
    return bits;
  }

  /** An empty table. */
  public RecordTable() {}

  /**
   * Returns a record but for its time as one number. From its upper bits on: 23 of the offset in
   * eights, as all records begin at multiples of eight and no buffer is longer than 64 MB, 5 of the
   * version, 4 of the kind, 16 of the word where kernel records have their hook id, 16 of the size.
   *
   * @param kindBits see {@link #kindBits}
   * @param head the first eight bytes of the record
   */
  static long place(int offset, long kindBits, long head, int size) {
    return (long) offset << 38
        | Math.min(head & 0xFFFF, MORE) << 36
        | kindBits
        | head >>> 48 << 16
        | size;
  }

  /** Returns the kind of a header as {@link #place} takes it. */
  static long kindBits(int kind) {
    return (long) kind << 32;
  }

  static int offset(long place) {
    return (int) (place >>> 41) << 3;
  }

  static int kind(long place) {
    return (int) (place >>> 32) & 15;
  }

  void clear() {
    count = 0;
    sorted = true;
  }

  /** Makes room for further records; returns how many there is room for in all. */
  int room(int records) {
    if (ticks.length - count < records) {
      int capacity = Math.max(2 * ticks.length, count + records);
      ticks = Arrays.copyOf(ticks, capacity);
      places = Arrays.copyOf(places, capacity);
    }
    return ticks.length;
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

  /** Earliest time of some records, {@link Long#MAX_VALUE} if there are none. */
  public long earliest(int from, int to) {
    if (sorted) {
      return from < to ? ticks[from] : Long.MAX_VALUE;
    }
    long earliest = Long.MAX_VALUE;
    for (int i = from; i < to; i++) {
      earliest = Math.min(earliest, ticks[i]);
    }
    return earliest;
  }

  /** Latest time of some records, {@link Long#MIN_VALUE} if there are none. */
  public long latest(int from, int to) {
    if (sorted) {
      return from < to ? ticks[to - 1] : Long.MIN_VALUE;
    }
    long latest = Long.MIN_VALUE;
    for (int i = from; i < to; i++) {
      latest = Math.max(latest, ticks[i]);
    }
    return latest;
  }

  /** Offset of record {@code i} in its buffer. */
  public int offset(int i) {
    return offset(places[i]);
  }

  /** Record {@code i} but for its time, as {@link RecordCursor#moveTo(long, long)} takes it. */
  public long place(int i) {
    return places[i];
  }

  /** Bytes of record {@code i}, as {@link RecordHeader#size()}. */
  public int size(int i) {
    return (int) places[i] & 0xFFFF;
  }

  /** Group and type of record {@code i}, as {@link RecordHeader#hookId()}. */
  public int hookId(int i) {
    return (int) places[i] >>> 16;
  }

  /**
   * Version of record {@code i} and nothing else in its first two bytes, or {@link #MORE}. Only
   * meant for kernel records.
   */
  public int version(int i) {
    return (int) (places[i] >>> 36) & MORE;
  }

  /**
   * Returns true if record {@code i} is one of the kernel with the shortest header and pointers of
   * 64 bits, and nothing is between its header and its payload of {@link #size} less {@link
   * #PLAIN_HEADER} bytes.
   */
  public boolean isPlain(int i) {
    return kind(places[i]) == PERFINFO64 && version(i) != MORE;
  }

  /**
   * Returns {@link #version(int)}, {@link #kindOrdinal(int)} and {@link #hookId(int)} of record
   * {@code i} as one number: 5, 4 and 16 bits.
   */
  public int type(int i) {
    return (int) (places[i] >>> 16) & (1 << 25) - 1;
  }

  /** Returns the kind of the header of record {@code i}, as {@link RecordHeader#kindOrdinal()}. */
  public int kindOrdinal(int i) {
    return kind(places[i]);
  }

  /** Returns {@link RecordKind#isHook()} of record {@code i}. */
  public boolean isHook(int i) {
    return (HOOKS >>> kind(places[i]) & 1) != 0;
  }

  /** Returns {@link RecordKind#isEvent()} of record {@code i}. */
  public boolean isEvent(int i) {
    return (EVENTS >>> kind(places[i]) & 1) != 0;
  }

  /** Returns {@link RecordKind#isClassic()} of record {@code i}. */
  public boolean isClassic(int i) {
    return (CLASSICS >>> kind(places[i]) & 1) != 0;
  }

  /** The column of raw time stamps; only the first {@link #count()} are meant. */
  @SuppressWarnings("MutableArrayReturned") // a hot loop reads it, it is not shared
  public long[] ticks() {
    return ticks;
  }

  /** Copies what {@link #place(int)} gives of {@code length} records from {@code from} on. */
  public void copyPlaces(int from, int length, long[] target, int to) {
    System.arraycopy(places, from, target, to, length);
  }

  /** Bytes of memory that it takes. */
  public long memory() {
    return 16L * ticks.length;
  }

  /** Puts the records into another order: row {@code i} is the one that was {@code order[i]}. */
  public void permute(int[] order) {
    long[] newTicks = new long[ticks.length];
    long[] newPlaces = new long[ticks.length];
    for (int i = 0; i < order.length; i++) {
      newTicks[i] = ticks[order[i]];
      newPlaces[i] = places[order[i]];
    }
    ticks = newTicks;
    places = newPlaces;
    sorted = true;
  }
}
