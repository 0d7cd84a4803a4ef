package io.ntrail.testkit.described;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Values of every in type as text; the numbers are TDH's (tdh.h, {@code _TDH_IN_TYPE}). */
final class ValueReader {
  private static final LocalDateTime FILETIME_ZERO = LocalDateTime.of(1601, 1, 1, 0, 0);

  private ValueReader() {}

  /** A value, and its number if it is an integer that lengths, counts and maps can go by. */
  record Scalar(String text, @Nullable Long number) {
    static Scalar of(String text) {
      return new Scalar(text, null);
    }
  }

  /**
   * The next value.
   *
   * @param length characters or bytes given by the description or another field; -1 for none
   * @throws PayloadReader.Ended if the payload ends before it
   */
  static Scalar read(PayloadReader o, int in, DisplayFormat shown, long length, int pointer) {
    return switch (in) {
      case FieldDescription.CUSTOM -> Scalar.of(hex(o.take(o.u16())));
      case 0 -> Scalar.of("");
      case 1 -> Scalar.of(length < 0 ? wide(o.untilZero(2)) : unfilled(wide(o.take(2 * length))));
      case 2 ->
          Scalar.of(
              length < 0 ? narrow(o.untilZero(1), shown) : unfilled(narrow(o.take(length), shown)));
      case 3 -> integer(o, 1, true, shown);
      case 4 -> integer(o, 1, false, shown);
      case 5 -> integer(o, 2, true, shown);
      case 6 -> integer(o, 2, false, shown);
      case 7 -> integer(o, 4, true, shown);
      case 8 -> integer(o, 4, false, shown);
      case 9 -> integer(o, 8, true, shown);
      case 10 -> integer(o, 8, false, shown);
      case 11 -> Scalar.of(Float.toString(Float.intBitsToFloat((int) o.u32())));
      case 12 -> Scalar.of(Double.toString(Double.longBitsToDouble(o.u64())));
      case 13 -> {
        long number = o.u32();
        yield new Scalar(number != 0 ? "true" : "false", number);
      }
      case 14 -> binary(o, shown, length);
      case 15 -> Scalar.of(guid(o));
      case 16, 308 -> integer(o, pointer, false, DisplayFormat.HEX);
      case 17 -> Scalar.of(fileTime(o.u64()));
      case 18 -> Scalar.of(systemTime(o));
      case 19 -> Scalar.of(sid(o));
      case 20 -> integer(o, 4, false, shown == DisplayFormat.DEFAULT ? DisplayFormat.HEX : shown);
      case 21 -> integer(o, 8, false, shown == DisplayFormat.DEFAULT ? DisplayFormat.HEX : shown);
      case 22, 300 -> Scalar.of(wide(o.take(o.u16())));
      case 23, 301 -> Scalar.of(narrow(o.take(o.u16()), shown));
      case 25 -> binary(o, shown, o.u16());
      case 302 -> Scalar.of(wide(o.take(o.u16BigEndian())));
      case 303 -> Scalar.of(narrow(o.take(o.u16BigEndian()), shown));
      case 304 -> Scalar.of(wide(o.take(o.left())));
      case 305 -> Scalar.of(narrow(o.take(o.left()), shown));
      case 306 -> Scalar.of(String.valueOf((char) o.u16()));
      case 307 -> Scalar.of(narrow(o.take(1), shown));
      case 309 -> Scalar.of(hex(o.take(o.u32())));
      case 310 -> Scalar.of(wbemSid(o, pointer));
      default -> throw new PayloadReader.Ended(Integer.MAX_VALUE, o.left());
    };
  }

  private static Scalar integer(PayloadReader o, int width, boolean isSigned, DisplayFormat shown) {
    if (shown == DisplayFormat.TEXT && width == 1) {
      return Scalar.of(narrow(o.take(1), shown));
    }
    if (shown == DisplayFormat.PORT && width == 2) {
      int port = o.u16BigEndian();
      return new Scalar(Integer.toString(port), (long) port);
    }
    if (shown == DisplayFormat.IPV4 && width == 4) {
      return Scalar.of(ipv4(o.take(4)));
    }
    long raw = o.number(width);
    int spare = 64 - 8 * width;
    long signedValue = raw << spare >> spare;
    long number = isSigned ? signedValue : raw;
    String text =
        switch (shown) {
          case HEX -> "0x" + Long.toHexString(raw);
          case BOOLEAN -> raw != 0 ? "true" : "false";
          case SIGNED -> Long.toString(signedValue);
          case UNSIGNED -> Long.toUnsignedString(raw);
          case TEXT ->
              width == 2
                  ? String.valueOf((char) raw)
                  : isSigned ? Long.toString(number) : Long.toUnsignedString(number);
          case FILETIME -> width == 8 ? fileTime(raw) : Long.toUnsignedString(raw);
          case DEFAULT, UTF8, PORT, IPV4, IPV6, SOCKET ->
              isSigned ? Long.toString(number) : Long.toUnsignedString(number);
        };
    return new Scalar(text, number);
  }

  private static Scalar binary(PayloadReader o, DisplayFormat shown, long length) {
    long size = length < 0 ? (shown == DisplayFormat.IPV6 ? 16 : 0) : length;
    byte[] bytes = o.take(size);
    if (shown == DisplayFormat.IPV6 && size == 16) {
      return Scalar.of(ipv6(bytes));
    }
    if (shown == DisplayFormat.IPV4 && size == 4) {
      return Scalar.of(ipv4(bytes));
    }
    return Scalar.of(shown == DisplayFormat.SOCKET ? socket(bytes) : hex(bytes));
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** UTF-16 unit by unit: invalid text stays as it is; a last odd byte is dropped. */
  static String wide(byte[] bytes) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i + 1 < bytes.length; i += 2) {
      out.append((char) ((bytes[i] & 0xFF) | (bytes[i + 1] & 0xFF) << 8));
    }
    return out.toString();
  }

  private static String narrow(byte[] bytes, DisplayFormat shown) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    // What is not well formed comes back as other bytes.
    boolean wellFormed = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes);
    boolean utf8 = wellFormed || shown == DisplayFormat.UTF8;
    return utf8 ? text : new String(bytes, Charset.forName("windows-1252"));
  }

  private static String unfilled(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == 0) {
      end--;
    }
    return text.substring(0, end);
  }

  static String guid(PayloadReader o) {
    String first = "%08x-%04x-%04x-".formatted(o.u32(), o.u16(), o.u16());
    String rest = hex(o.take(8));
    return first + rest.substring(0, 4) + "-" + rest.substring(4);
  }

  private static String fileTime(long ticks) {
    if (ticks < 0) {
      return "0x" + Long.toHexString(ticks);
    }
    LocalDateTime time = FILETIME_ZERO.plusSeconds(ticks / 10_000_000);
    return String.format(
        Locale.ROOT,
        "%04d-%02d-%02dT%02d:%02d:%02d.%07dZ",
        time.getYear(),
        time.getMonthValue(),
        time.getDayOfMonth(),
        time.getHour(),
        time.getMinute(),
        time.getSecond(),
        ticks % 10_000_000);
  }

  private static String systemTime(PayloadReader o) {
    byte[] sixteen = o.take(16);
    PayloadReader parts = new PayloadReader(sixteen);
    int year = parts.u16();
    int month = parts.u16();
    parts.u16(); // the day of the week
    return String.format(
        Locale.ROOT,
        "%04d-%02d-%02dT%02d:%02d:%02d.%03d",
        year,
        month,
        parts.u16(),
        parts.u16(),
        parts.u16(),
        parts.u16(),
        parts.u16());
  }

  private static String sid(PayloadReader o) {
    int revision = o.u8();
    int count = o.u8();
    long authority = 0;
    for (byte b : o.take(6)) {
      authority = authority << 8 | (b & 0xFF);
    }
    StringBuilder out = new StringBuilder("S-" + revision + "-");
    // Windows writes authorities that do not fit 32 bits as hexadecimal numbers.
    out.append(authority >>> 32 == 0 ? Long.toString(authority) : "0x%012x".formatted(authority));
    for (int i = 0; i < count; i++) {
      out.append('-').append(o.u32());
    }
    return out.toString();
  }

  private static String wbemSid(PayloadReader o, int pointer) {
    if (o.number(pointer) == 0) {
      o.take(o.left() >= pointer ? pointer : 0);
      return "";
    }
    o.take(pointer);
    return sid(o);
  }

  private static String ipv4(byte[] b) {
    return (b[0] & 0xFF) + "." + (b[1] & 0xFF) + "." + (b[2] & 0xFF) + "." + (b[3] & 0xFF);
  }

  private static String ipv6(byte[] b) {
    boolean mapped = b[10] == -1 && b[11] == -1;
    for (int i = 0; i < 10; i++) {
      mapped &= b[i] == 0;
    }
    if (mapped) {
      return "::ffff:" + ipv4(new byte[] {b[12], b[13], b[14], b[15]});
    }
    List<String> groups = new ArrayList<>();
    for (int i = 0; i < 16; i += 2) {
      groups.add(Integer.toHexString((b[i] & 0xFF) << 8 | (b[i + 1] & 0xFF)));
    }
    int best = 0;
    int longest = 0;
    for (int from = 0; from < 8; from++) {
      int to = from;
      while (to < 8 && groups.get(to).equals("0")) {
        to++;
      }
      if (to - from > longest) {
        best = from;
        longest = to - from;
      }
    }
    if (longest < 2) {
      return String.join(":", groups);
    }
    return String.join(":", groups.subList(0, best))
        + "::"
        + String.join(":", groups.subList(best + longest, 8));
  }

  /** A sockaddr_in or sockaddr_in6; the port and the addresses are in network order. */
  private static String socket(byte[] bytes) {
    PayloadReader o = new PayloadReader(bytes);
    int family = bytes.length >= 2 ? o.u16() : -1;
    if (family == 2 && bytes.length >= 8) {
      int port = o.u16BigEndian();
      return ipv4(o.take(4)) + ":" + port;
    }
    if (family == 23 && bytes.length >= 24) {
      int port = o.u16BigEndian();
      o.take(4); // flow information
      return "[" + ipv6(o.take(16)) + "]:" + port;
    }
    return hex(bytes);
  }
}
