package io.ntrail.formats.etl;

/**
 * The record headers there are. A record's first 32 bits are its marker: the top byte 0xC0 says
 * that byte 2 is the header type ({@code TRACE_HEADER_TYPE_*} of ntwmi.h); 0x9x is a WPP message;
 * 0xBx a time record of the same layout as {@code TIMED}.
 */
public enum RecordKind {
  // @formatter:off
  //           type  header  size at  time at  pointer
  SYSTEM32    (  1,     32,       4,      16,     4),
  SYSTEM64    (  2,     32,       4,      16,     8),
  COMPACT32   (  3,     24,       4,      16,     4),
  COMPACT64   (  4,     24,       4,      16,     8),
  FULL32      ( 10,     48,       0,      16,     4),
  FULL64      ( 20,     48,       0,      16,     8),
  INSTANCE32  ( 11,     72,       0,      16,     4),
  INSTANCE64  ( 21,     72,       0,      16,     8),
  PERFINFO32  ( 16,     16,       4,       8,     4),
  PERFINFO64  ( 17,     16,       4,       8,     8),
  EVENT32     ( 18,     80,       0,      16,     4),
  EVENT64     ( 19,     80,       0,      16,     8),
  TIMED       ( 12,     16,       0,       8,     8),
  ERROR       ( 13,     48,       0,      16,     8),
  WNODE       ( 14,     48,       0,      16,     8),
  MESSAGE     ( 15,      8,       0,      -1,     8);
  // @formatter:on

  private static final RecordKind[] ALL = values();

  /** Kind by the upper 16 bits of a marker, plus 1; 0 where there is none. */
  private static final byte[] BY_MARKER = new byte[1 << 16];

  static {
    for (RecordKind kind : ALL) {
      BY_MARKER[0xC000 | kind.headerType] = (byte) (kind.ordinal() + 1);
    }
    fill(0x9000, MESSAGE);
    fill(0xB000, TIMED);
  }

  /**
   * Sets the kind of 4,096 markers. Every start does this before anything is compiled, so that
   * copies are faster than a loop.
   */
  private static void fill(int first, RecordKind kind) {
    BY_MARKER[first] = (byte) (kind.ordinal() + 1);
    for (int filled = 1; filled < 0x1000; filled *= 2) {
      System.arraycopy(BY_MARKER, first, BY_MARKER, first + filled, filled);
    }
  }

  private final int headerType;
  private final int headerBytes;
  private final int sizeOffset;
  private final int timeOffset;
  private final int pointerBytes;

  // Asked of every record: a field is read faster than a switch is gone through.
  private final boolean hook;
  private final boolean event;
  private final boolean classic;

  RecordKind(int headerType, int headerBytes, int sizeOffset, int timeOffset, int pointerBytes) {
    this.headerType = headerType;
    this.headerBytes = headerBytes;
    this.sizeOffset = sizeOffset;
    this.timeOffset = timeOffset;
    this.pointerBytes = pointerBytes;
    this.hook = headerType >= 1 && headerType <= 4 || headerType == 16 || headerType == 17;
    this.event = headerType == 18 || headerType == 19;
    this.classic =
        switch (headerType) {
          case 10, 11, 13, 20, 21 -> true;
          default -> false;
        };
  }

  /** The kind that a marker announces, as an index into {@link #values()}; -1 if none. */
  static int ofMarker(int marker) {
    return BY_MARKER[marker >>> 16] - 1;
  }

  static RecordKind at(int ordinal) {
    return ALL[ordinal];
  }

  /** {@code TRACE_HEADER_TYPE_*}. */
  public int headerType() {
    return headerType;
  }

  /** Bytes of the fixed header; extended items, PMC counters and optional parts follow it. */
  public int headerBytes() {
    return headerBytes;
  }

  int sizeOffset() {
    return sizeOffset;
  }

  int timeOffset() {
    return timeOffset;
  }

  /** Pointer width of the writer of the record, 4 or 8; for messages their flags decide. */
  public int pointerBytes() {
    return pointerBytes;
  }

  /** Returns true if the record identifies its event by group and type (a kernel hook id). */
  public boolean isHook() {
    return hook;
  }

  /** Returns true if the record has an {@code EVENT_DESCRIPTOR} and may have extended items. */
  public boolean isEvent() {
    return event;
  }

  /** Returns true if the record identifies its event by class GUID and type. */
  public boolean isClassic() {
    return classic;
  }
}
