package io.ntrail.formats.identity;

import io.ntrail.formats.bytes.Bytes;

/**
 * A GUID as its 16 stored bytes, read as two little-endian 64-bit halves.
 *
 * @param low bytes 0 to 7: Data1, Data2, Data3
 * @param high bytes 8 to 15: Data4
 */
public record Guid(long low, long high) {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  /** All zero. */
  public static final Guid ZERO = new Guid(0, 0);

  /** Reads 16 bytes. */
  public static Guid read(Bytes bytes, int at) {
    return new Guid(bytes.i64(at), bytes.i64(at + 8));
  }

  /**
   * Parses the form {@code 68fdd900-4a3e-11d1-84f4-0000f80464e3}, with or without braces.
   *
   * @throws IllegalArgumentException if the text is not a GUID
   */
  public static Guid parse(String text) {
    String digits = text.replace("-", "").replace("{", "").replace("}", "");
    if (digits.length() != 32) {
      throw new IllegalArgumentException("not a GUID: " + text);
    }
    long data1 = Long.parseLong(digits.substring(0, 8), 16);
    long data2 = Long.parseLong(digits.substring(8, 12), 16);
    long data3 = Long.parseLong(digits.substring(12, 16), 16);
    long data4 = Long.parseUnsignedLong(digits.substring(16), 16);
    return new Guid(data1 | data2 << 32 | data3 << 48, Long.reverseBytes(data4));
  }

  // Written out: what a record makes of itself at run time costs tens of milliseconds at the start.
  @Override
  public boolean equals(Object other) {
    return other instanceof Guid guid && guid.low == low && guid.high == high;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(low * 31 + high);
  }

  /** Lower case, with hyphens, without braces. */
  @Override
  public String toString() {
    char[] text = new char[36];
    put(text, 0, low & 0xFFFF_FFFFL, 8);
    text[8] = '-';
    put(text, 9, low >>> 32 & 0xFFFF, 4);
    text[13] = '-';
    put(text, 14, low >>> 48, 4);
    text[18] = '-';
    long data4 = Long.reverseBytes(high);
    put(text, 19, data4 >>> 48, 4);
    text[23] = '-';
    put(text, 24, data4 & 0xFFFF_FFFF_FFFFL, 12);
    return new String(text);
  }

  private static void put(char[] text, int at, long value, int digits) {
    for (int i = digits - 1; i >= 0; i--) {
      text[at + i] = HEX[(int) value & 15];
      value >>>= 4;
    }
  }
}
