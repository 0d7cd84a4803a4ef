package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.identity.Guid;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads the number forms of docs/ntr.md section 1 from a part of an array. */
final class ColumnReader {
  /** The bits of a byte that make up a number, and the one that says that another byte follows. */
  private static final long GROUPS = 0x7F7F_7F7F_7F7F_7F7FL;

  private static final long LAST = ~GROUPS;

  /** Bytes that an array should have after the last number, to be read without looking at each. */
  static final int ROOM = Long.BYTES;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final String what;
  private String file = "";
  private long base;
  private byte[] bytes = {};
  private int at;
  private int end;

  /** Makes a reader; {@code what} names the column in messages about damage. */
  ColumnReader(String what) {
    this.what = what;
  }

  /**
   * Reads from here on.
   *
   * @param chunk where the part's chunk is in the file, for messages
   */
  ColumnReader on(byte[] source, int from, int length, String name, long chunk) {
    bytes = source;
    at = from;
    end = from + length;
    file = name;
    base = chunk;
    return this;
  }

  boolean atEnd() {
    return at >= end;
  }

  int position() {
    return at;
  }

  void skipTo(int position) {
    at = position;
  }

  /** Hides everything past a position; returns the end there was before. */
  int stopAt(int position) {
    int before = end;
    end = position;
    return before;
  }

  int left() {
    return end - at;
  }

  long var() {
    if (at >= end) {
      throw damaged("ends too early");
    }
    byte b = bytes[at++];
    if (b >= 0) {
      return b;
    }
    return longer(b & 0x7F);
  }

  /**
   * Like {@link #var}, faster for numbers of varying length: their bytes are taken together, so
   * that no branch depends on how many they are.
   */
  long varied() {
    return variedIf(-1);
  }

  /**
   * Like {@link #varied}, or nothing: no branch depends on that either.
   *
   * @param mask -1 to read a number; 0 to stay, which returns 0
   */
  long variedIf(long mask) {
    if (at > bytes.length - ROOM) {
      return mask == 0 ? 0 : var();
    }
    long word = (long) LONGS.get(bytes, at);
    long last = ~word & LAST;
    if (last == 0) {
      return mask == 0 ? 0 : var();
    }
    at += (Long.numberOfTrailingZeros(last) + 1 >>> 3) & (int) mask;
    if (at > end) {
      throw damaged("ends too early");
    }
    // The bytes up to the last one, then two, four, eight groups of 7 bits side by side.
    long value = word & GROUPS & (last ^ last - 1) & mask;
    value = value & 0x007F_007F_007F_007FL | value >>> 1 & 0x3F80_3F80_3F80_3F80L;
    value = value & 0x0000_3FFF_0000_3FFFL | value >>> 2 & 0x0FFF_C000_0FFF_C000L;
    return value & 0x0FFF_FFFFL | value >>> 4 & 0x00FF_FFFF_F000_0000L;
  }

  /**
   * Like {@link #zig}, or nothing.
   *
   * @param mask -1 to read a number; 0 to stay, which returns 0
   */
  long zigIf(long mask) {
    long value = variedIf(mask);
    return value >>> 1 ^ -(value & 1);
  }

  private long longer(long first) {
    long value = first;
    for (int shift = 7; shift < 64; shift += 7) {
      if (at >= end) {
        throw damaged("ends too early");
      }
      byte b = bytes[at++];
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        if (shift == 63 && b > 1) {
          throw damaged("has a number beyond 64 bits");
        }
        return value;
      }
    }
    throw damaged("has a number of more than 10 bytes");
  }

  long zig() {
    long value = var();
    return value >>> 1 ^ -(value & 1);
  }

  /** A number from 0 to {@code max}. */
  int bounded(int max, String name) {
    long value = var();
    if (value < 0 || value > max) {
      throw damaged("has " + Long.toUnsignedString(value) + " " + name);
    }
    return (int) value;
  }

  /** A 32-bit unsigned number. */
  int var32(String name) {
    long value = var();
    if (value >>> 32 != 0) {
      throw damaged("has the " + name + " " + Long.toUnsignedString(value));
    }
    return (int) value;
  }

  String text() {
    long length = var();
    if (length < 0 || length > left()) {
      throw damaged("has a text of " + Long.toUnsignedString(length) + " bytes");
    }
    String text = new String(bytes, at, (int) length, StandardCharsets.UTF_8);
    at += (int) length;
    return text;
  }

  int u8() {
    need(1);
    return bytes[at++] & 0xFF;
  }

  int u16() {
    return u8() | u8() << 8;
  }

  int u32() {
    return u16() | u16() << 16;
  }

  long u64() {
    return u32() & 0xFFFF_FFFFL | (long) u32() << 32;
  }

  Guid guid() {
    return new Guid(u64(), u64());
  }

  private void need(int length) {
    if (left() < length) {
      throw damaged("ends too early");
    }
  }

  DamagedInput damaged(String found) {
    return new DamagedInput(file, base, what + " " + found);
  }
}
