package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.identity.Guid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing array of bytes in the number forms of docs/ntr.md section 1. */
final class ColumnWriter {
  /** The longest variable-length number. */
  private static final int LONGEST = 10;

  byte[] bytes;
  int size;

  ColumnWriter(int capacity) {
    bytes = new byte[Math.max(LONGEST, capacity)];
  }

  void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Growth.length(bytes.length, size + more));
    }
  }

  void var(long value) {
    room(LONGEST);
    long left = value;
    int at = size;
    while ((left & ~0x7FL) != 0) {
      bytes[at++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[at++] = (byte) left;
    size = at;
  }

  void zig(long value) {
    var(value << 1 ^ value >> 63);
  }

  /** Returns the number of bytes that {@link #zig} takes for a value. */
  static int zigLength(long value) {
    long zigzag = value << 1 ^ value >> 63;
    return (70 - Long.numberOfLeadingZeros(zigzag | 1)) / 7;
  }

  void text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    var(utf8.length);
    put(utf8, 0, utf8.length);
  }

  /** Inserts a number before everything else. */
  void prepend(long value) {
    ColumnWriter first = new ColumnWriter(LONGEST);
    first.var(value);
    room(first.size);
    System.arraycopy(bytes, 0, bytes, first.size, size);
    System.arraycopy(first.bytes, 0, bytes, 0, first.size);
    size += first.size;
  }

  void put(byte[] source, int from, int length) {
    room(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
  }

  void u16(int value) {
    room(2);
    bytes[size++] = (byte) value;
    bytes[size++] = (byte) (value >> 8);
  }

  void u32(int value) {
    u16(value);
    u16(value >> 16);
  }

  void u64(long value) {
    u32((int) value);
    u32((int) (value >> 32));
  }

  void guid(Guid guid) {
    u64(guid.low());
    u64(guid.high());
  }

  void setU32(int at, int value) {
    for (int i = 0; i < 4; i++) {
      bytes[at + i] = (byte) (value >> (8 * i));
    }
  }

  /** An event as it is: operation 10. */
  void event(int kind, long function, int slot, long key, long value, long[] more, int count) {
    var(kind);
    var(function);
    var(slot & 0xFFFF_FFFFL);
    var(key);
    var(value);
    var(count);
    for (int i = 0; i < count; i++) {
      var(more[i]);
    }
  }

  /** Definition of a site. */
  void site(long function, long returnAddressStep, long keyStep, int slotStep, int shape) {
    var(function);
    zig(returnAddressStep);
    zig(keyStep);
    zig(slotStep);
    var(shape);
  }

  void zeros(int count) {
    room(count);
    Arrays.fill(bytes, size, size + count, (byte) 0);
    size += count;
  }
}
