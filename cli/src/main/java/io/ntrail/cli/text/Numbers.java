package io.ntrail.cli.text;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.FileTime;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Formats of numbers, sizes, times and addresses. */
public final class Numbers {
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private Numbers() {}

  /** {@code 4,212,907}. */
  public static String count(long value) {
    String text = grouped(Long.toString(value).substring(value < 0 ? 1 : 0));
    return value < 0 ? "-" + text : text;
  }

  /** {@code 18,446,744,073,709,551,615}: a number without a sign. */
  public static String unsigned(long value) {
    return grouped(Long.toUnsignedString(value));
  }

  private static String grouped(String digits) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < digits.length(); i++) {
      if (i > 0 && (digits.length() - i) % 3 == 0) {
        text.append(',');
      }
      text.append(digits.charAt(i));
    }
    return text.toString();
  }

  /** A count with its noun: {@code 1 buffer}, {@code 2 buffers}. */
  public static String counted(long value, String noun) {
    return count(value) + " " + noun + (value == 1 ? "" : "s");
  }

  /** {@code 54.8}: per cent with one decimal. */
  public static String percent(long part, long whole) {
    return whole == 0 ? "0.0" : oneDecimal(100.0 * part / whole);
  }

  /** {@code 3,236.2}. */
  public static String oneDecimal(double value) {
    long tenths = Math.round(value * 10);
    String sign = tenths < 0 && tenths > -10 ? "-" : "";
    return sign + count(tenths / 10) + "." + Math.abs(tenths % 10);
  }

  /** {@code 412.6 MiB}. */
  public static String bytes(long value) {
    if (value < 1024) {
      return count(value) + (value == 1 ? " byte" : " bytes");
    }
    String[] units = {"KiB", "MiB", "GiB", "TiB"};
    double scaled = value / 1024.0;
    int unit = 0;
    while (scaled >= 1023.95 && unit < units.length - 1) {
      scaled /= 1024;
      unit++;
    }
    String text = oneDecimal(scaled);
    return (text.endsWith(".0") ? text.substring(0, text.length() - 2) : text) + " " + units[unit];
  }

  /**
   * Unit of a column of sizes.
   *
   * @param title for the head of the column
   * @param bytes how many one is
   */
  public record SizeUnit(String title, long bytes) {
    /** The largest of which the whole is at least ten. */
    public static SizeUnit of(long whole) {
      if (whole >= 10L << 30) {
        return new SizeUnit("GiB", 1L << 30);
      }
      if (whole >= 10 << 20) {
        return new SizeUnit("MiB", 1 << 20);
      }
      return whole >= 10 << 10 ? new SizeUnit("KiB", 1 << 10) : new SizeUnit("bytes", 1);
    }

    /** A size in this unit, with one decimal if it is not bytes. */
    public String text(long size) {
      return bytes == 1 ? count(size) : oneDecimal((double) size / bytes);
    }
  }

  /** {@code 12.004117}: seconds since the start with 6 decimals, rounded down. */
  public static String seconds(long nanos) {
    long micros = Math.floorDiv(nanos, 1000);
    long whole = Math.abs(micros) / 1_000_000;
    long rest = Math.abs(micros) % 1_000_000;
    return (micros < 0 ? "-" : "") + whole + "." + padded(rest, 6);
  }

  /** {@code 62.402 s}, {@code 1.004 ms}: a duration with the unit that suits it. */
  public static String duration(long nanos) {
    long size = Math.abs(nanos);
    if (size >= 1_000_000_000L) {
      return decimals(nanos, 1_000_000_000L) + " s";
    }
    if (size >= 1_000_000) {
      return decimals(nanos, 1_000_000) + " ms";
    }
    return size >= 1000 ? decimals(nanos, 1000) + " us" : nanos + " ns";
  }

  private static String decimals(long value, long unit) {
    long whole = Math.abs(value) / unit;
    long thousandths = Math.abs(value) % unit * 1000 / unit;
    return (value < 0 ? "-" : "") + count(whole) + "." + padded(thousandths, 3);
  }

  /** {@code 1,012.50} of 101250 with two decimals. */
  public static String decimal(long units, int decimals) {
    if (decimals == 0) {
      return count(units);
    }
    String digits = padded(units, decimals + 1);
    int point = digits.length() - decimals;
    return grouped(digits.substring(0, point)) + "." + digits.substring(point);
  }

  /** {@code 1012.5} of 101250 with two decimals, for programs. */
  public static String plainDecimal(long units, int decimals) {
    // By hand: the library's decimals compute large powers of ten when they are first used.
    String sign = units < 0 ? "-" : "";
    String text = Long.toString(units).substring(sign.length());
    String digits = "0".repeat(Math.max(0, decimals + 1 - text.length())) + text;
    int point = digits.length() - decimals;
    int end = digits.length();
    while (end > point && digits.charAt(end - 1) == '0') {
      end--;
    }
    String whole = sign + digits.substring(0, point);
    return end == point ? whole : whole + "." + digits.substring(point, end);
  }

  /** {@code 0x7ff6a1b21040}: unsigned, lower case, no padding. */
  public static String hex(long value) {
    int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 3) / 4);
    byte[] text = new byte[2 + digits];
    text[0] = '0';
    text[1] = 'x';
    long rest = value;
    for (int i = text.length - 1; i > 1; i--) {
      text[i] = DIGITS[(int) rest & 15];
      rest >>>= 4;
    }
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  /** {@code 00ff8a}: so many bytes in lower-case hexadecimal. */
  public static String hex(Bytes bytes, int at, int length) {
    byte[] text = new byte[2 * length];
    hex(bytes, at, length, text, 0);
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  /** Writes so many bytes in lower-case hexadecimal to a place in an array. */
  static void hex(Bytes bytes, int at, int length, byte[] text, int to) {
    long word = 0;
    for (int i = 0; i < length; i++) {
      word = i % Long.BYTES == 0 ? bytes.word(at + i, length - i) : word >>> 8;
      text[to + 2 * i] = DIGITS[(int) word >> 4 & 15];
      text[to + 2 * i + 1] = DIGITS[(int) word & 15];
    }
  }

  /** {@code 00ff8a}: bytes in lower-case hexadecimal. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * {@code 2026-03-14T08:26:53.5891234Z}: a FILETIME as ISO 8601 with 7 decimals.
   *
   * @return null if it is 0 or beyond the year 9999: then the time is unknown
   */
  public static @Nullable String utc(long fileTime) {
    if (!FileTime.isDate(fileTime)) {
      return null;
    }
    return FileTime.text(fileTime);
  }

  /**
   * {@code 2026-03-14 08:26:53.589 .. 08:27:55.991 UTC}: two FILETIMEs for people.
   *
   * @return null if one of them is unknown
   */
  public static @Nullable String utcRange(long from, long to) {
    String first = utc(from);
    String last = utc(to);
    if (first == null || last == null) {
      return null;
    }
    String begin = first.substring(0, 10) + " " + first.substring(11, 23);
    if (from == to) {
      return begin + " UTC";
    }
    boolean sameDay = first.regionMatches(0, last, 0, 10);
    String end = (sameDay ? "" : last.substring(0, 10) + " ") + last.substring(11, 23);
    return begin + " .. " + end + " UTC";
  }

  /** A number with leading zeros. */
  public static String padded(long value, int digits) {
    String text = Long.toString(value);
    return "0".repeat(Math.max(0, digits - text.length())) + text;
  }

  /** {@code 2.9} out of 2893 MHz. */
  public static String gigahertz(long megahertz) {
    return oneDecimal(megahertz / 1000.0);
  }
}
