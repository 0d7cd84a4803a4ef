package io.ntrail.formats.bytes;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Bounds-checked, read-only, little-endian window with absolute access.
 *
 * <p>Offsets are relative to the window; {@link #base()} is the window's offset in the input, so
 * that messages name the place in the file. A window is at most 2 GiB long. It may be read by
 * several threads and is valid as long as its {@link InputFile} or {@link NativeBuffer}.
 */
public final class Bytes {
  private final ByteBuffer buffer;
  private final String name;
  private final long base;

  Bytes(ByteBuffer readOnlyDirect, String name, long base) {
    this.buffer = readOnlyDirect.order(ByteOrder.LITTLE_ENDIAN);
    this.name = name;
    this.base = base;
  }

  /** A window on a copy of {@code bytes}; for vectors in tests and bytes put together by hand. */
  public static Bytes copyOf(byte[] bytes, String name) {
    ByteBuffer memory =
        Arena.ofAuto().allocate(Math.max(1, bytes.length), 8).asByteBuffer().put(bytes);
    return new Bytes(memory.flip().asReadOnlyBuffer(), name, 0);
  }

  /** A window on a copy of several pieces in a row. */
  public static Bytes joined(List<byte[]> pieces, String name) {
    long length = pieces.stream().mapToLong(piece -> piece.length).sum();
    ByteBuffer memory =
        Arena.ofAuto().allocate(Math.max(1, Math.toIntExact(length)), 8).asByteBuffer();
    pieces.forEach(memory::put);
    return new Bytes(memory.flip().asReadOnlyBuffer(), name, 0);
  }

  /** The name of the input, for messages. */
  public String name() {
    return name;
  }

  /** Returns the offset of this window in the input, in bytes. */
  public long base() {
    return base;
  }

  /** Number of bytes in this window. */
  public int length() {
    return buffer.limit();
  }

  /** Returns true if {@code length} bytes at {@code at} lie inside this window. */
  public boolean has(int at, int length) {
    return at >= 0 && length >= 0 && at <= buffer.limit() - length;
  }

  /** Unsigned byte. */
  public int u8(int at) {
    try {
      return buffer.get(at) & 0xFF;
    } catch (IndexOutOfBoundsException e) {
      throw outside(at, 1);
    }
  }

  /** Unsigned 16-bit number. */
  public int u16(int at) {
    try {
      return buffer.getShort(at) & 0xFFFF;
    } catch (IndexOutOfBoundsException e) {
      throw outside(at, 2);
    }
  }

  /** Signed 32-bit number. */
  public int i32(int at) {
    try {
      return buffer.getInt(at);
    } catch (IndexOutOfBoundsException e) {
      throw outside(at, 4);
    }
  }

  /** Unsigned 32-bit number. */
  public long u32(int at) {
    return i32(at) & 0xFFFF_FFFFL;
  }

  /** 64-bit number. */
  public long i64(int at) {
    try {
      return buffer.getLong(at);
    } catch (IndexOutOfBoundsException e) {
      throw outside(at, 8);
    }
  }

  /**
   * A pointer of the writer, zero-extended.
   *
   * @param pointerBytes 4 or 8
   */
  public long pointer(int at, int pointerBytes) {
    return pointerBytes == 8 ? i64(at) : u32(at);
  }

  /**
   * Up to eight bytes as a number, the first one lowest.
   *
   * @param length bytes that are needed; there may be others above them
   */
  public long word(int at, int length) {
    if (has(at, Long.BYTES)) {
      return i64(at);
    }
    long word = 0;
    for (int i = Math.min(length, Long.BYTES) - 1; i >= 0; i--) {
      word = word << 8 | u8(at + i);
    }
    return word;
  }

  /** A copy of {@code length} bytes. */
  public byte[] array(int at, int length) {
    if (!has(at, length)) {
      throw outside(at, length);
    }
    byte[] copy = new byte[length];
    buffer.get(at, copy);
    return copy;
  }

  /** Copies {@code length} bytes into {@code target} from its index {@code to} on. */
  public void copyTo(int at, byte[] target, int to, int length) {
    if (!has(at, length)) {
      throw outside(at, length);
    }
    buffer.get(at, target, to, length);
  }

  /** Copies {@code count} 64-bit numbers into {@code target} from its index 0 on. */
  public void copyTo(int at, long[] target, int count) {
    if (!has(at, count * Long.BYTES)) {
      throw outside(at, count * Long.BYTES);
    }
    ByteBuffer numbers = buffer.slice(at, count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    numbers.asLongBuffer().get(target, 0, count);
  }

  /** A narrower window on the same bytes. */
  public Bytes slice(int at, int length) {
    if (!has(at, length)) {
      throw outside(at, length);
    }
    return new Bytes(buffer.slice(at, length), name, base + at);
  }

  /**
   * UTF-16 text of exactly {@code chars} units, each of which it has: also halves of characters,
   * for which decoders put a replacement, some with the unit after it.
   */
  public String utf16(int at, int chars) {
    if (chars < 0 || !has(at, 2 * chars)) {
      throw outside(at, chars);
    }
    byte[] text = new byte[2 * chars];
    buffer.get(at, text);
    // Most texts are Latin, for which the decoder takes a detour.
    byte[] latin = new byte[chars];
    for (int i = 0; i < chars; i++) {
      if (text[2 * i + 1] != 0) {
        return utf16(text);
      }
      latin[i] = text[2 * i];
    }
    return new String(latin, StandardCharsets.ISO_8859_1);
  }

  private static String utf16(byte[] text) {
    char[] units = new char[text.length / 2];
    for (int i = 0; i < units.length; i++) {
      units[i] = (char) (text[2 * i] & 0xFF | text[2 * i + 1] << 8);
    }
    return new String(units);
  }

  /** Number of UTF-16 units before the NUL at or after {@code at}, or before {@code end}. */
  public int utf16Length(int at, int end) {
    int stop = Math.min(end, length());
    int i = at;
    while (i + 8 <= stop && !hasZeroUnit(i64(i))) {
      i += 8;
    }
    while (i + 2 <= stop && u16(i) != 0) {
      i += 2;
    }
    return (i - at) / 2;
  }

  /** Returns true if one of the four 16-bit units of a word is zero. */
  private static boolean hasZeroUnit(long word) {
    return (word - 0x0001_0001_0001_0001L & ~word & 0x8000_8000_8000_8000L) != 0;
  }

  /** UTF-16 text up to a NUL or {@code end}, whichever comes first. */
  public String utf16z(int at, int end) {
    return utf16(at, utf16Length(at, end));
  }

  /** Number of bytes before the NUL at or after {@code at}, or before {@code end}. */
  public int byteStringLength(int at, int end) {
    int stop = Math.min(end, length());
    int i = at;
    while (i + 8 <= stop && !hasZeroByte(i64(i))) {
      i += 8;
    }
    while (i < stop && u8(i) != 0) {
      i++;
    }
    return i - at;
  }

  /** Returns true if one of the eight bytes of a word is zero. */
  private static boolean hasZeroByte(long word) {
    return (word - 0x0101_0101_0101_0101L & ~word & 0x8080_8080_8080_8080L) != 0;
  }

  /** UTF-8 text up to a NUL or {@code end}, whichever comes first. */
  public String utf8z(int at, int end) {
    return new String(array(at, byteStringLength(at, end)), StandardCharsets.UTF_8);
  }

  /** 8-bit text up to a NUL or {@code end}, one character a byte. */
  public String latin1z(int at, int end) {
    return new String(array(at, byteStringLength(at, end)), StandardCharsets.ISO_8859_1);
  }

  /** Returns true if all of {@code length} bytes at {@code at} are zero. */
  public boolean isZero(int at, int length) {
    int i = at;
    int end = at + length;
    for (; i + 8 <= end; i += 8) {
      if (i64(i) != 0) {
        return false;
      }
    }
    for (; i < end; i++) {
      if (u8(i) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns true if all bytes are those of another window of the same length. */
  public boolean equalsBytes(Bytes other) {
    return buffer.mismatch(other.buffer) < 0;
  }

  /** Returns the number of leading zero bytes, counted in steps of 8 where possible. */
  public int leadingZeros() {
    int i = 0;
    int end = length();
    while (i + 8 <= end && buffer.getLong(i) == 0) {
      i += 8;
    }
    while (i < end && buffer.get(i) == 0) {
      i++;
    }
    return i;
  }

  /** The sum of all whole 64-bit words: the yardstick that walks are measured beside. */
  public long sumOfWords() {
    long sum = 0;
    int end = length() & ~7;
    for (int i = 0; i < end; i += 8) {
      sum += buffer.getLong(i);
    }
    return sum;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  private DamagedInput outside(int at, int length) {
    return new DamagedInput(
        name,
        base + at,
        "needs " + length + " bytes, but only " + Math.max(0, length() - at) + " are left");
  }
}
