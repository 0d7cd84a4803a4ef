package io.ntrail.testkit.profile;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes of a record read one after the other, in little-endian order. */
final class LittleEndianReader {
  private final byte[] bytes;
  private final int pointer;
  private int at;

  LittleEndianReader(byte[] bytes, int at, int pointer) {
    this.bytes = bytes;
    this.at = at;
    this.pointer = pointer;
  }

  /** Returns a reader of the bytes from here on with pointers of another size. */
  LittleEndianReader with(int otherPointer) {
    return new LittleEndianReader(bytes, at, otherPointer);
  }

  int left() {
    return bytes.length - at;
  }

  LittleEndianReader skip(int count) {
    at += count;
    return this;
  }

  private long number(int count) {
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | (bytes[at + i] & 0xFF);
    }
    at += count;
    return value;
  }

  int u8() {
    return (int) number(1);
  }

  int u16() {
    return (int) number(2);
  }

  long u32() {
    return number(4);
  }

  long u64() {
    return number(8);
  }

  long p() {
    return number(pointer);
  }

  String guid() {
    long a = u32();
    int b = u16();
    int c = u16();
    StringBuilder out = new StringBuilder("%08x-%04x-%04x-".formatted(a, b, c));
    for (int i = 0; i < 8; i++) {
      out.append(i == 2 ? "-" : "").append("%02x".formatted(u8()));
    }
    return out.toString();
  }

  /** UTF-16 up to a zero unit. */
  String wide() {
    int end = at;
    while (end + 1 < bytes.length && (bytes[end] | bytes[end + 1]) != 0) {
      end += 2;
    }
    String text = new String(Arrays.copyOfRange(bytes, at, end), StandardCharsets.UTF_16LE);
    at = end + 2;
    return text;
  }

  /** Bytes up to a zero byte. */
  String narrow() {
    int end = at;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    String text = new String(Arrays.copyOfRange(bytes, at, end), StandardCharsets.UTF_8);
    at = end + 1;
    return text;
  }

  /** Every pointer that is left. */
  long[] pointers() {
    long[] out = new long[left() / pointer];
    Arrays.setAll(out, i -> p());
    return out;
  }

  byte[] rest() {
    return Arrays.copyOfRange(bytes, at, bytes.length);
  }
}
