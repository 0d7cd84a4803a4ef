package io.ntrail.testkit.described;

/** Forms in which values are shown, common to both numberings of out types. */
enum DisplayFormat {
  DEFAULT,
  TEXT,
  UTF8,
  BOOLEAN,
  HEX,
  SIGNED,
  UNSIGNED,
  PORT,
  IPV4,
  IPV6,
  SOCKET,
  FILETIME;

  /** An out type of TraceLogging's numbering. */
  static DisplayFormat ofTraceLogging(int out) {
    return switch (out) {
      case 2 -> TEXT;
      case 3 -> BOOLEAN;
      case 4, 14, 15, 37 -> HEX;
      case 5, 6, 13, 18 -> UNSIGNED;
      case 7 -> PORT;
      case 8 -> IPV4;
      case 9 -> IPV6;
      case 10 -> SOCKET;
      case 11, 12, 35 -> UTF8;
      case 16 -> FILETIME;
      case 17 -> SIGNED;
      default -> DEFAULT;
    };
  }

  /** An out type of TDH's numbering. */
  static DisplayFormat ofTdh(int out) {
    return switch (out) {
      case 1 -> TEXT;
      case 13 -> BOOLEAN;
      case 15, 16, 17, 18, 19, 29, 31, 32, 37 -> HEX;
      case 20, 21, 30 -> UNSIGNED;
      case 22 -> PORT;
      case 23 -> IPV4;
      case 24 -> IPV6;
      case 25 -> SOCKET;
      case 28, 34, 35 -> UTF8;
      default -> DEFAULT;
    };
  }
}
