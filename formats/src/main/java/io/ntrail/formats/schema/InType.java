package io.ntrail.formats.schema;

/**
 * Storage of a value: the {@code TDH_INTYPE_*} of tdh.h, the few that only tables need, and
 * structures. All numbers are little-endian.
 */
public enum InType {
  // @formatter:off
  /** No data. */
  NULL              (  0,  0),
  /** UTF-16; to a NUL, to a length in characters, or to the end of the payload. */
  UNICODE_STRING    (  1, -1),
  /** 8-bit text; to a NUL, to a length in bytes, or to the end of the payload. */
  ANSI_STRING       (  2, -1),
  /** Signed. */
  INT8              (  3,  1),
  /** Unsigned. */
  UINT8             (  4,  1),
  /** Signed. */
  INT16             (  5,  2),
  /** Unsigned. */
  UINT16            (  6,  2),
  /** Signed. */
  INT32             (  7,  4),
  /** Unsigned. */
  UINT32            (  8,  4),
  /** Signed. */
  INT64             (  9,  8),
  /** Unsigned. */
  UINT64            ( 10,  8),
  /** IEEE 754, 32 bit. */
  FLOAT             ( 11,  4),
  /** IEEE 754, 64 bit. */
  DOUBLE            ( 12,  8),
  /** A truth value in 4 bytes. */
  BOOLEAN           ( 13,  4),
  /** Bytes whose number is in the schema. */
  BINARY            ( 14, -1),
  /** 16 bytes. */
  GUID              ( 15, 16),
  /** An address; as wide as the pointers of the record's writer. */
  POINTER           ( 16, -2),
  /** 100 ns since 1601, UTC. */
  FILETIME          ( 17,  8),
  /** Eight 16-bit numbers: year, month, day of week, day, hour, minute, second, ms. */
  SYSTEMTIME        ( 18, 16),
  /** Revision, count, authority, that many 32-bit numbers. */
  SID               ( 19, -1),
  /** Unsigned, shown in hexadecimal. */
  HEX_INT32         ( 20,  4),
  /** Unsigned, shown in hexadecimal. */
  HEX_INT64         ( 21,  8),
  /** A 16-bit number of bytes, then UTF-16. */
  COUNTED_STRING    (300, -1),
  /** A 16-bit number of bytes, then 8-bit text. */
  COUNTED_ANSI      (301, -1),
  /** A 16-bit number of bytes in network order, then UTF-16. */
  REVERSED_COUNTED_STRING (302, -1),
  /** A 16-bit number of bytes in network order, then 8-bit text. */
  REVERSED_COUNTED_ANSI   (303, -1),
  /** UTF-16 to the end of the payload. */
  UNTERMINATED_STRING     (304, -1),
  /** 8-bit text to the end of the payload. */
  UNTERMINATED_ANSI       (305, -1),
  /** One UTF-16 unit. */
  UNICODE_CHAR      (306,  2),
  /** One byte of text. */
  ANSI_CHAR         (307,  1),
  /** A number as wide as a pointer: {@code SIZE_T}. */
  SIZE_T            (308, -2),
  /** A 32-bit number of bytes, then those. */
  HEX_DUMP          (309, -1),
  /** A TOKEN_USER (two pointers) and a SID after it; four zero bytes if there is none. */
  WBEM_SID          (310, -1),
  /** A 16-bit number of bytes, then those. */
  COUNTED_BINARY    ( 25, -1),
  /** A truth value in one byte. */
  BOOL8             ( -1,  1),
  /** Padding that is not shown: its length is the number of skipped bytes. */
  PADDING           ( -1, -1),
  /** Alignment that is not shown: skips to a multiple of the writer's pointers, from the payload's start. */
  ALIGNMENT         ( -1, -1),
  /** Members one after the other. */
  STRUCT            ( 24, -1);
  // @formatter:on

  private final int tdh;
  private final int size;

  InType(int tdh, int size) {
    this.tdh = tdh;
    this.size = size;
  }

  /**
   * The type that TDH gives this number.
   *
   * @return {@link #NULL} for 0 and for numbers that TDH does not define
   */
  public static InType ofTdh(int number) {
    for (InType type : values()) {
      if (type.tdh == number && number > 0) {
        return type;
      }
    }
    return switch (number) {
      case 22 -> COUNTED_STRING;
      case 23 -> COUNTED_ANSI;
      default -> NULL;
    };
  }

  /** Returns true if TDH defines this number, so that {@link #ofTdh} does not guess. */
  public static boolean isTdh(int number) {
    return number == 0 || ofTdh(number) != NULL;
  }

  /** Returns the number that TDH gives the type; 0 if it has none. */
  public int tdh() {
    return switch (this) {
      // What manifests can say is older than the numbers of classes.
      case COUNTED_STRING -> 22;
      case COUNTED_ANSI -> 23;
      default -> Math.max(0, tdh);
    };
  }

  /**
   * Bytes of a value.
   *
   * @param pointerBytes 4 or 8
   * @return -1 if it depends on the value
   */
  public int size(int pointerBytes) {
    return size == -2 ? pointerBytes : size;
  }

  /** Returns true if it is an integer of some width, so that it can be a length or a count. */
  public boolean isInteger() {
    return switch (this) {
      case INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64 -> true;
      case HEX_INT32, HEX_INT64, POINTER, SIZE_T, BOOLEAN, BOOL8 -> true;
      default -> false;
    };
  }
}
