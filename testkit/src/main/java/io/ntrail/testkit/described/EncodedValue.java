package io.ntrail.testkit.described;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A value as the bytes of a payload, with the text that a reader has to make of them: the text is
 * made from the value, never from the bytes.
 *
 * @param bytes in the payload
 * @param text in the form that the package's description lays down
 */
public record EncodedValue(Blob bytes, String text) {
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss").withZone(ZoneOffset.UTC);
  private static final long TICKS_TO_1970 = 116_444_736_000_000_000L;

  private static EncodedValue of(LittleEndian bytes, String text) {
    return new EncodedValue(Blob.of(bytes.toByteArray()), text);
  }

  private static LittleEndian low(int width, long value) {
    LittleEndian out = new LittleEndian();
    for (int i = 0; i < width; i++) {
      out.u8((int) (value >> 8 * i));
    }
    return out;
  }

  /** A value without bytes. */
  public static EncodedValue nothing() {
    return new EncodedValue(Blob.NONE, "");
  }

  /** A signed integer of 1, 2, 4 or 8 bytes. */
  public static EncodedValue signed(int width, long value) {
    long kept =
        width == 8 ? value : width == 4 ? (int) value : width == 2 ? (short) value : (byte) value;
    return of(low(width, value), Long.toString(kept));
  }

  /** An unsigned integer of 1, 2, 4 or 8 bytes. */
  public static EncodedValue unsigned(int width, long value) {
    return of(low(width, value), Long.toUnsignedString(kept(width, value)));
  }

  /** An integer of 1, 2, 4 or 8 bytes that is shown as a hexadecimal number. */
  public static EncodedValue hex(int width, long value) {
    return of(low(width, value), "0x" + Long.toHexString(kept(width, value)));
  }

  private static long kept(int width, long value) {
    return width == 8 ? value : value & ((1L << 8 * width) - 1);
  }

  /** A truth value in 1, 2 or 4 bytes. */
  public static EncodedValue bool(int width, boolean value) {
    return of(low(width, value ? 1 : 0), Boolean.toString(value));
  }

  /** A floating point number of 4 bytes. */
  public static EncodedValue f32(float value) {
    return of(low(4, Float.floatToIntBits(value)), Float.toString(value));
  }

  /** A floating point number of 8 bytes. */
  public static EncodedValue f64(double value) {
    return of(low(8, Double.doubleToLongBits(value)), Double.toString(value));
  }

  /** UTF-16 with a terminating zero. */
  public static EncodedValue wide(String text) {
    return of(new LittleEndian().utf16z(text), text);
  }

  /** UTF-8, so ASCII too, with a terminating zero. */
  public static EncodedValue narrow(String text) {
    return of(new LittleEndian().utf8z(text), text);
  }

  /** UTF-16 in a place of fixed length, filled with zeros. */
  public static EncodedValue wideIn(int units, String text) {
    return of(new LittleEndian().utf16(text, units), text);
  }

  /** ASCII in a place of fixed length, filled with zeros. */
  public static EncodedValue narrowIn(int bytes, String text) {
    LittleEndian out = new LittleEndian().bytes(text.getBytes(StandardCharsets.US_ASCII));
    return of(out.zeros(bytes - out.size()), text);
  }

  /** UTF-16 after a 16-bit count of bytes. */
  public static EncodedValue countedWide(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_16LE);
    return of(new LittleEndian().u16(bytes.length).bytes(bytes), text);
  }

  /** UTF-8 after a 16-bit count of bytes. */
  public static EncodedValue countedNarrow(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return of(new LittleEndian().u16(bytes.length).bytes(bytes), text);
  }

  /** UTF-16 after a 16-bit count of bytes, the count's high byte first. */
  public static EncodedValue reverseCountedWide(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_16LE);
    return of(new LittleEndian().u8(bytes.length >> 8).u8(bytes.length).bytes(bytes), text);
  }

  /** UTF-16 without a terminating zero. */
  public static EncodedValue openWide(String text) {
    return of(new LittleEndian().bytes(text.getBytes(StandardCharsets.UTF_16LE)), text);
  }

  /** One UTF-16 unit. */
  public static EncodedValue wideChar(char value) {
    return of(new LittleEndian().u16(value), String.valueOf(value));
  }

  /** One ASCII character. */
  public static EncodedValue narrowChar(char value) {
    return of(new LittleEndian().u8(value), String.valueOf(value));
  }

  /** Bytes alone: their number is elsewhere. */
  public static EncodedValue binary(byte[] bytes) {
    return of(new LittleEndian().bytes(bytes), HexFormat.of().formatHex(bytes));
  }

  /** Returns the value after a count of its bytes, of 2 or 4 bytes. */
  public EncodedValue counted(int width) {
    return of(low(width, bytes.size()).bytes(bytes.bytes()), text);
  }

  /** A GUID. */
  public static EncodedValue guid(UUID value) {
    return of(new LittleEndian().guid(value), value.toString());
  }

  /**
   * A point in time.
   *
   * @param ticks of 100 ns since 1601, not negative
   */
  public static EncodedValue fileTime(long ticks) {
    long since1970 = ticks - TICKS_TO_1970;
    Instant time = Instant.ofEpochSecond(Math.floorDiv(since1970, 10_000_000L));
    String fraction = String.valueOf(10_000_000 + ticks % 10_000_000).substring(1);
    return of(low(8, ticks), SECONDS.format(time) + "." + fraction + "Z");
  }

  /** A point in time in eight 16-bit numbers, milliseconds the last. */
  public static EncodedValue systemTime(LocalDateTime time) {
    LittleEndian out = new LittleEndian().u16(time.getYear()).u16(time.getMonthValue());
    out.u16(time.getDayOfWeek().getValue() % 7).u16(time.getDayOfMonth()).u16(time.getHour());
    out.u16(time.getMinute()).u16(time.getSecond()).u16(time.getNano() / 1_000_000);
    return of(out, DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS").format(time));
  }

  /** A security identifier of revision 1 whose authority is a small number. */
  public static EncodedValue sid(int authority, long... parts) {
    LittleEndian out = new LittleEndian().u8(1).u8(parts.length).zeros(5).u8(authority);
    StringBuilder text = new StringBuilder("S-1-").append(authority);
    for (long part : parts) {
      out.u32(part);
      text.append('-').append(part & 0xFFFF_FFFFL);
    }
    return of(out, text.toString());
  }

  /** A security identifier after two pointers, as WBEM classes have it. */
  public static EncodedValue wbemSid(int pointer, EncodedValue sid) {
    LittleEndian out = new LittleEndian().pointer(pointer, 0x1000).pointer(pointer, 0);
    return of(out.bytes(sid.bytes.bytes()), sid.text);
  }

  /** A port: 16 bits, the high byte first. */
  public static EncodedValue port(int value) {
    return of(new LittleEndian().u8(value >> 8).u8(value), Integer.toString(value));
  }

  /** An IPv4 address. */
  public static EncodedValue ipv4(int a, int b, int c, int d) {
    return of(new LittleEndian().u8(a).u8(b).u8(c).u8(d), "%d.%d.%d.%d".formatted(a, b, c, d));
  }

  /**
   * An IPv6 address.
   *
   * @param groups eight of 16 bits each; not an IPv4-mapped address
   */
  public static EncodedValue ipv6(int... groups) {
    LittleEndian out = new LittleEndian();
    StringBuilder text = new StringBuilder();
    for (int group : groups) {
      out.u8(group >> 8).u8(group);
      text.append(':').append(Integer.toHexString(group));
    }
    // The first of the longest runs of zeros, if it is one of two or more.
    String all = text.toString();
    for (int zeros = 8; zeros >= 2; zeros--) {
      String run = ":0".repeat(zeros);
      int at = (all + ":").indexOf(run + ":");
      if (at >= 0) {
        String before = all.substring(0, at);
        String after = all.substring(at + run.length());
        String short6 = before + "::" + (after.isEmpty() ? "" : after.substring(1));
        return of(out, short6.startsWith("::") ? short6 : short6.substring(1));
      }
    }
    return of(out, all.substring(1));
  }

  /** An IPv4 address that is mapped into IPv6. */
  public static EncodedValue mappedIpv6(int a, int b, int c, int d) {
    LittleEndian out = new LittleEndian().zeros(10).u16(0xFFFF).u8(a).u8(b).u8(c).u8(d);
    return of(out, "::ffff:%d.%d.%d.%d".formatted(a, b, c, d));
  }

  /** A sockaddr of this address, which is an IPv4 or an IPv6 one. */
  public static EncodedValue socket(EncodedValue address, int port) {
    boolean four = address.bytes.size() == 4;
    LittleEndian out = new LittleEndian().u16(four ? 2 : 23).u8(port >> 8).u8(port);
    if (four) {
      return of(out.bytes(address.bytes.bytes()).zeros(8), address.text + ":" + port);
    }
    out.u32(0).bytes(address.bytes.bytes()).u32(0);
    return of(out, "[" + address.text + "]:" + port);
  }
}
