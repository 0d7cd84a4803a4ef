package io.ntrail.formats.schema;

/**
 * Meaning of a value, which determines its text: the {@code TDH_OUTTYPE_*} of tdh.h that matter.
 */
public enum OutType {
  /** The default of the in type. */
  DEFAULT,
  /** Text; a number of 1 or 2 bytes is a character. */
  STRING,
  /** UTF-8 text. */
  UTF8,
  /** XML text. */
  XML,
  /** JSON text. */
  JSON,
  /** A truth value. */
  BOOLEAN,
  /** A number in hexadecimal. */
  HEX,
  /** Bytes in hexadecimal. */
  HEX_BINARY,
  /** A signed number, whatever the in type. */
  SIGNED,
  /** An unsigned number, whatever the in type. */
  UNSIGNED,
  /** Process id. */
  PID,
  /** Thread id. */
  TID,
  /** A port in network byte order. */
  PORT,
  /** Four bytes in network order. */
  IPV4,
  /** Sixteen bytes. */
  IPV6,
  /** A {@code sockaddr}. */
  SOCKET_ADDRESS,
  /** A point in time. */
  DATE_TIME,
  /** The session's raw clock, a point in time. */
  TICKS,
  /** The session's raw clock, a duration. */
  TICKS_SPAN,
  /** Seconds since 1970: a link time stamp. */
  UNIX_TIME,
  /** A code of the kernel. */
  NTSTATUS,
  /** A code of the Win32 API. */
  WIN32_ERROR,
  /** A code of COM. */
  HRESULT,
  /** A path as the kernel writes it. */
  PATH,
  /** The kernel's key of a file. */
  FILE_KEY,
  /** The address of code. */
  CODE_POINTER,
  /** Not to be shown; kept for lengths and counts. */
  NO_PRINT;

  /** The meaning that TDH gives this number. */
  public static OutType ofTdh(int number) {
    return switch (number) {
      case 1, 300 -> STRING;
      case 2, 26, 27, 33, 38 -> DATE_TIME;
      case 3, 5, 7, 9 -> SIGNED;
      case 4, 6, 8, 10 -> UNSIGNED;
      case 13 -> BOOLEAN;
      case 15 -> HEX_BINARY;
      case 16, 17, 18, 19 -> HEX;
      case 20 -> PID;
      case 21 -> TID;
      case 22 -> PORT;
      case 23 -> IPV4;
      case 24 -> IPV6;
      case 25 -> SOCKET_ADDRESS;
      case 28 -> XML;
      case 29, 30 -> WIN32_ERROR;
      case 31 -> NTSTATUS;
      case 32 -> HRESULT;
      case 34 -> JSON;
      case 35 -> UTF8;
      case 37 -> CODE_POINTER;
      case 301 -> NO_PRINT;
      default -> DEFAULT;
    };
  }

  /**
   * Returns the number that TDH gives the meaning for values of an in type: for {@link #DEFAULT}
   * that of the meaning that the in type has by itself.
   */
  public int tdh(InType in) {
    return switch (this) {
      case DEFAULT -> byDefault(in);
      case STRING -> 1;
      case DATE_TIME -> 2;
      case SIGNED -> 3 + 2 * width(in);
      case UNSIGNED -> 4 + 2 * width(in);
      case BOOLEAN -> 13;
      case HEX_BINARY -> 15;
      case HEX -> 16 + width(in);
      case PID -> 20;
      case TID -> 21;
      case PORT -> 22;
      case IPV4 -> 23;
      case IPV6 -> 24;
      case SOCKET_ADDRESS -> 25;
      case XML -> 28;
      case WIN32_ERROR -> 30;
      case NTSTATUS -> 31;
      case HRESULT -> 32;
      case JSON -> 34;
      case UTF8 -> 35;
      case CODE_POINTER -> 37;
      case NO_PRINT -> 301;
      // No manifest can name them.
      case TICKS, TICKS_SPAN, UNIX_TIME, PATH, FILE_KEY -> 0;
    };
  }

  private static int byDefault(InType in) {
    return switch (in) {
      case UNICODE_STRING, ANSI_STRING, COUNTED_STRING, COUNTED_ANSI, SID -> 1;
      case FILETIME, SYSTEMTIME -> 2;
      case INT8, INT16, INT32, INT64 -> SIGNED.tdh(in);
      case UINT8, UINT16, UINT32, UINT64 -> UNSIGNED.tdh(in);
      case FLOAT -> 11;
      case DOUBLE -> 12;
      case BOOLEAN -> 13;
      case GUID -> 14;
      case BINARY, COUNTED_BINARY -> 15;
      case HEX_INT32 -> 18;
      case HEX_INT64, POINTER -> 19;
      default -> 0;
    };
  }

  /** Returns the logarithm of the bytes of a number. */
  private static int width(InType in) {
    return switch (in.size(Long.BYTES)) {
      case 1 -> 0;
      case 2 -> 1;
      case 4 -> 2;
      default -> 3;
    };
  }
}
