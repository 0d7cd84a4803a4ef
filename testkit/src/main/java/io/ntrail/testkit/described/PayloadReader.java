package io.ntrail.testkit.described;

import java.util.Arrays;

/** Bytes read one after the other, in little-endian order. */
final class PayloadReader {
  /** The bytes end before the requested ones. */
  static final class Ended extends RuntimeException {
    private static final long serialVersionUID = 1;

    Ended(int wanted, int left) {
      super(wanted + " bytes wanted, " + left + " left");
    }
  }

  private final byte[] bytes;
  private int at;

  PayloadReader(byte[] bytes) {
    this.bytes = bytes;
  }

  PayloadReader(byte[] bytes, int at) {
    this.bytes = bytes;
    this.at = at;
  }

  int at() {
    return at;
  }

  int left() {
    return Math.max(0, bytes.length - at);
  }

  byte[] take(long count) {
    if (count < 0 || count > left()) {
      throw new Ended((int) Math.min(count, Integer.MAX_VALUE), left());
    }
    byte[] out = Arrays.copyOfRange(bytes, at, at + (int) count);
    at += (int) count;
    return out;
  }

  /** An unsigned number of {@code count} bytes, the lowest first. */
  long number(int count) {
    byte[] taken = take(count);
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | (taken[i] & 0xFF);
    }
    return value;
  }

  int u8() {
    return (int) number(1);
  }

  int u16() {
    return (int) number(2);
  }

  int u16BigEndian() {
    int high = u8();
    return high << 8 | u8();
  }

  long u32() {
    return number(4);
  }

  long u64() {
    return number(8);
  }

  /** The bytes before the next zero unit, or all that are left if there is none. */
  byte[] untilZero(int unit) {
    if (left() == 0) {
      throw new Ended(unit, 0);
    }
    int end = at;
    while (end + unit <= bytes.length) {
      boolean zero = true;
      for (int i = 0; i < unit; i++) {
        zero &= bytes[end + i] == 0;
      }
      if (zero) {
        byte[] out = Arrays.copyOfRange(bytes, at, end);
        at = end + unit;
        return out;
      }
      end += unit;
    }
    return take(left());
  }
}
