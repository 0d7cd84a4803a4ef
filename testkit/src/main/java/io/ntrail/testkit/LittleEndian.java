package io.ntrail.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * A growing array of bytes written in little-endian order, the byte order of everything Windows
 * writes. Every method returns this object so that a layout reads as one chain.
 */
public final class LittleEndian {
  private byte[] bytes;
  private int size;

  /** An empty array. */
  public LittleEndian() {
    this(64);
  }

  /**
   * An empty array with room for {@code capacity} bytes.
   *
   * @param capacity bytes
   */
  public LittleEndian(int capacity) {
    bytes = new byte[Math.max(16, capacity)];
  }

  /** The number of bytes written so far. */
  public int size() {
    return size;
  }

  /** A copy of what was written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** Forgets everything written; keeps the room. */
  public LittleEndian clear() {
    size = 0;
    return this;
  }

  /** Copies what was written into {@code target} at {@code at}. */
  public void copyTo(byte[] target, int at) {
    System.arraycopy(bytes, 0, target, at, size);
  }

  private void room(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }

  /** One byte. */
  public LittleEndian u8(int value) {
    room(1);
    bytes[size++] = (byte) value;
    return this;
  }

  /** Two bytes. */
  public LittleEndian u16(int value) {
    return u8(value).u8(value >> 8);
  }

  /** Four bytes. */
  public LittleEndian u32(long value) {
    return u16((int) value).u16((int) (value >> 16));
  }

  /** Eight bytes. */
  public LittleEndian u64(long value) {
    room(8);
    for (int i = 0; i < 8; i++) {
      bytes[size++] = (byte) (value >> (8 * i));
    }
    return this;
  }

  /** A 64-bit floating point number. */
  public LittleEndian f64(double value) {
    return u64(Double.doubleToRawLongBits(value));
  }

  /**
   * A pointer or SIZE_T.
   *
   * @param size 4 or 8 bytes
   */
  public LittleEndian pointer(int size, long value) {
    return size == 8 ? u64(value) : u32(value);
  }

  /** All of {@code more}. */
  public LittleEndian bytes(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
    return this;
  }

  /** Appends a byte {@code count} times. */
  public LittleEndian fill(int count, int value) {
    room(count);
    Arrays.fill(bytes, size, size + count, (byte) value);
    size += count;
    return this;
  }

  /** {@code count} zero bytes. */
  public LittleEndian zeros(int count) {
    return fill(count, 0);
  }

  /** Zero bytes up to the next multiple of {@code unit} counted from the start of this array. */
  public LittleEndian align(int unit) {
    return zeros((unit - size % unit) % unit);
  }

  /** A GUID: the first three fields little-endian, the last eight bytes as they are spelled. */
  public LittleEndian guid(UUID guid) {
    long high = guid.getMostSignificantBits();
    u32(high >>> 32).u16((int) (high >>> 16)).u16((int) high);
    long low = guid.getLeastSignificantBits();
    for (int i = 7; i >= 0; i--) {
      u8((int) (low >> (8 * i)));
    }
    return this;
  }

  /** UTF-16 with a terminating zero unit. */
  public LittleEndian utf16z(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_16LE)).u16(0);
  }

  /** UTF-16 in exactly {@code units} units of two bytes, cut or filled with zeros. */
  public LittleEndian utf16(String text, int units) {
    byte[] all = text.getBytes(StandardCharsets.UTF_16LE);
    return bytes(Arrays.copyOf(all, 2 * units));
  }

  /** UTF-8 (and so ASCII) with a terminating zero byte. */
  public LittleEndian utf8z(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_8)).u8(0);
  }

  /** Overwrites the byte at {@code at}. */
  public LittleEndian setU8(int at, int value) {
    bytes[at] = (byte) value;
    return this;
  }

  /** Overwrites two bytes at {@code at}. */
  public LittleEndian setU16(int at, int value) {
    putU16(bytes, at, value);
    return this;
  }

  /** Overwrites four bytes at {@code at}. */
  public LittleEndian setU32(int at, long value) {
    putU32(bytes, at, value);
    return this;
  }

  /** Sets bits of the byte at {@code at}. */
  public LittleEndian orU8(int at, int bits) {
    bytes[at] = (byte) (bytes[at] | bits);
    return this;
  }

  /** Stores two bytes into {@code target} at {@code at}. */
  public static void putU16(byte[] target, int at, int value) {
    target[at] = (byte) value;
    target[at + 1] = (byte) (value >> 8);
  }

  /** Stores four bytes into {@code target} at {@code at}. */
  public static void putU32(byte[] target, int at, long value) {
    putU16(target, at, (int) value);
    putU16(target, at + 2, (int) (value >> 16));
  }

  /** Stores eight bytes into {@code target} at {@code at}. */
  public static void putU64(byte[] target, int at, long value) {
    putU32(target, at, value);
    putU32(target, at + 4, value >> 32);
  }

  /** Reads two bytes of {@code source} at {@code at} as an unsigned number. */
  public static int getU16(byte[] source, int at) {
    return (source[at] & 0xFF) | (source[at + 1] & 0xFF) << 8;
  }

  /** Reads four bytes of {@code source} at {@code at} as an unsigned number. */
  public static long getU32(byte[] source, int at) {
    return getU16(source, at) | (long) getU16(source, at + 2) << 16;
  }

  /** Reads eight bytes of {@code source} at {@code at}. */
  public static long getU64(byte[] source, int at) {
    return getU32(source, at) | getU32(source, at + 4) << 32;
  }
}
