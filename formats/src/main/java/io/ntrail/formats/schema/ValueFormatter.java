package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.Guid;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Numbers in the bytes of values, and texts of values that are more than a number. */
final class ValueFormatter {
  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 23;

  private ValueFormatter() {}

  /** A number of so many bytes with its sign. */
  static long signed(long value, int bytes) {
    int unused = 64 - 8 * bytes;
    return unused <= 0 ? value : value << unused >> unused;
  }

  /** The number that the bytes of a value are; 0 if they are none. */
  static long integer(Bytes bytes, InType in, int at, int pointerBytes) {
    return switch (in) {
      case INT8 -> (byte) bytes.u8(at);
      case UINT8, BOOL8, ANSI_CHAR -> bytes.u8(at);
      case INT16 -> (short) bytes.u16(at);
      case UINT16, UNICODE_CHAR -> bytes.u16(at);
      case INT32 -> bytes.i32(at);
      case UINT32, HEX_INT32, BOOLEAN -> bytes.u32(at);
      case INT64, UINT64, HEX_INT64, FILETIME -> bytes.i64(at);
      case POINTER, SIZE_T -> bytes.pointer(at, pointerBytes);
      case FLOAT -> (long) Float.intBitsToFloat(bytes.i32(at));
      case DOUBLE -> (long) Double.longBitsToDouble(bytes.i64(at));
      case SYSTEMTIME -> fileTimeOfSystemTime(bytes, at);
      default -> 0;
    };
  }

  /**
   * A value that is no number as text: strings, GUIDs, SIDs, addresses and times in their usual
   * form.
   */
  static String text(Bytes bytes, Field field, int at, int length) {
    return switch (field.in()) {
      case UNICODE_STRING, COUNTED_STRING, REVERSED_COUNTED_STRING, UNTERMINATED_STRING ->
          bytes.utf16(at, units(bytes, field, at, length));
      case ANSI_STRING, COUNTED_ANSI, REVERSED_COUNTED_ANSI, UNTERMINATED_ANSI ->
          switch (field.out()) {
            // Said to be UTF-8: that stays true where it was cut inside of a character.
            case UTF8, XML, JSON -> utf8(bytes, field, at, length);
            default -> text8(bytes, field, at, length);
          };
      case UNICODE_CHAR, UINT16, INT16 -> String.valueOf((char) bytes.u16(at));
      case ANSI_CHAR, UINT8, INT8 -> character(bytes.u8(at));
      case GUID -> Guid.read(bytes, at).toString();
      case FILETIME, UINT64, INT64, HEX_INT64 -> FileTime.text(bytes.i64(at));
      case SYSTEMTIME -> systemTime(bytes, at);
      case SID, WBEM_SID -> sid(bytes, at, length);
      case UINT32, INT32, HEX_INT32 -> ipv4(bytes, at);
      case BINARY, HEX_DUMP, COUNTED_BINARY ->
          switch (field.out()) {
            case IPV4 -> length == 4 ? ipv4(bytes, at) : hex(bytes, at, length);
            case IPV6 -> length == 16 ? ipv6(bytes, at) : hex(bytes, at, length);
            case SOCKET_ADDRESS -> socketAddress(bytes, at, length);
            default -> text8(bytes, field, at, length);
          };
      default -> "";
    };
  }

  static String hex(Bytes bytes, int at, int length) {
    return HexFormat.of().formatHex(bytes.array(at, length));
  }

  /**
   * Units of UTF-16 text: up to a NUL if it has one; where its length was recorded, NULs inside are
   * text, and those at the end are not. An odd byte at the end is left out.
   */
  private static int units(Bytes bytes, Field field, int at, int length) {
    int end = at + (length & ~1);
    if (!field.isCounted()) {
      return bytes.utf16Length(at, end);
    }
    while (end > at && bytes.u16(end - 2) == 0) {
      end -= 2;
    }
    return (end - at) / 2;
  }

  /** Bytes of 8-bit text, likewise. */
  private static byte[] text(Bytes bytes, int at, int length, boolean isCounted) {
    int end = at + length;
    if (!isCounted) {
      return bytes.array(at, bytes.byteStringLength(at, end));
    }
    while (end > at && bytes.u8(end - 1) == 0) {
      end--;
    }
    return bytes.array(at, end - at);
  }

  private static String utf8(Bytes bytes, Field field, int at, int length) {
    return new String(text(bytes, at, length, field.isCounted()), StandardCharsets.UTF_8);
  }

  /** 8-bit text: UTF-8 if it is, else the code page most often used. */
  private static String text8(Bytes bytes, Field field, int at, int length) {
    return text8(text(bytes, at, length, field.isCounted()));
  }

  /** One 8-bit character. */
  static String character(int value) {
    return text8(new byte[] {(byte) value});
  }

  private static String text8(byte[] text) {
    for (byte b : text) {
      if (b < 0) {
        return notAscii(text);
      }
    }
    return new String(text, StandardCharsets.US_ASCII);
  }

  private static String notAscii(byte[] text) {
    String utf8 = new String(text, StandardCharsets.UTF_8);
    // The replacement character may also be in the text itself: then its bytes come back.
    boolean wellFormed =
        utf8.indexOf('\uFFFD') < 0 || Arrays.equals(utf8.getBytes(StandardCharsets.UTF_8), text);
    return wellFormed ? utf8 : new String(text, WINDOWS_1252);
  }

  /** {@code S-1-5-21-...}; empty if there is none. */
  static String sid(Bytes bytes, int at, int length) {
    if (length < 8) {
      return "";
    }
    long authority = 0;
    for (int i = 2; i < 8; i++) {
      authority = authority << 8 | bytes.u8(at + i);
    }
    StringBuilder text = new StringBuilder("S-").append(bytes.u8(at)).append('-');
    if (authority >= 1L << 32) {
      // All 48 bits of it, as Windows and [MS-DTYP] have it.
      String digits = Long.toHexString(authority);
      text.append("0x").append("0".repeat(12 - digits.length())).append(digits);
    } else {
      text.append(authority);
    }
    for (int i = 8; i + 4 <= length; i += 4) {
      text.append('-').append(bytes.u32(at + i));
    }
    return text.toString();
  }

  static String ipv4(Bytes bytes, int at) {
    return bytes.u8(at) + "." + bytes.u8(at + 1) + "." + bytes.u8(at + 2) + "." + bytes.u8(at + 3);
  }

  /**
   * RFC 5952: the longest run of two or more zero groups is {@code ::}, and of IPv4 addresses that
   * are mapped the last 32 bits are dotted.
   */
  static String ipv6(Bytes bytes, int at) {
    if (bytes.isZero(at, 10) && bytes.u16(at + 10) == 0xFFFF) {
      return "::ffff:" + ipv4(bytes, at + 12);
    }
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = bytes.u8(at + 2 * i) << 8 | bytes.u8(at + 2 * i + 1);
    }
    int best = -1;
    int bestLength = 1;
    for (int i = 0; i < 8; i++) {
      int j = i;
      while (j < 8 && groups[j] == 0) {
        j++;
      }
      if (j - i > bestLength) {
        best = i;
        bestLength = j - i;
      }
      i = Math.max(i, j - 1);
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == best) {
        text.append("::");
        i += bestLength - 1;
      } else {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
          text.append(':');
        }
        text.append(Integer.toHexString(groups[i]));
      }
    }
    return text.toString();
  }

  /** {@code 10.0.0.1:443}, {@code [fe80::1]:443}; other address families in hexadecimal. */
  static String socketAddress(Bytes bytes, int at, int length) {
    if (length >= 8 && bytes.u16(at) == AF_INET) {
      return ipv4(bytes, at + 4) + ":" + port(bytes, at + 2);
    }
    if (length >= 24 && bytes.u16(at) == AF_INET6) {
      return "[" + ipv6(bytes, at + 8) + "]:" + port(bytes, at + 2);
    }
    return hex(bytes, at, length);
  }

  private static int port(Bytes bytes, int at) {
    return bytes.u8(at) << 8 | bytes.u8(at + 1);
  }

  /** ISO 8601 with milliseconds; the zone is not in the value. */
  static String systemTime(Bytes bytes, int at) {
    return padded(bytes.u16(at), 4)
        + "-"
        + padded(bytes.u16(at + 2), 2)
        + "-"
        + padded(bytes.u16(at + 6), 2)
        + "T"
        + padded(bytes.u16(at + 8), 2)
        + ":"
        + padded(bytes.u16(at + 10), 2)
        + ":"
        + padded(bytes.u16(at + 12), 2)
        + "."
        + padded(bytes.u16(at + 14), 3);
  }

  /** Returns a SYSTEMTIME as a FILETIME, as if its zone were UTC; 0 if it is not a date. */
  static long fileTimeOfSystemTime(Bytes bytes, int at) {
    return FileTime.of(
        bytes.u16(at),
        bytes.u16(at + 2),
        bytes.u16(at + 6),
        ((bytes.u16(at + 8) * 60L + bytes.u16(at + 10)) * 60L + bytes.u16(at + 12)) * 1000
            + bytes.u16(at + 14));
  }

  private static String padded(int value, int digits) {
    String text = Integer.toString(value);
    return "0".repeat(Math.max(0, digits - text.length())) + text;
  }
}
