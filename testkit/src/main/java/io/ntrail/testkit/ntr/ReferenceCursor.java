package io.ntrail.testkit.ntr;

import java.nio.charset.StandardCharsets;

/** Cursor over bytes in the number forms of docs/ntr.md section 1. */
final class ReferenceCursor {
  final byte[] bytes;
  int at;
  final int end;
  private final int longest;

  /**
   * Reads from {@code at} to {@code end}.
   *
   * @param longest bound of the length of a text
   */
  ReferenceCursor(byte[] bytes, int at, int end, int longest) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.longest = longest;
  }

  boolean more() {
    return at < end;
  }

  long fixed(int size) {
    if (end - at < size) {
      throw new NtrFormatException("ends early");
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value |= (bytes[at++] & 0xFFL) << 8 * i;
    }
    return value;
  }

  long var() {
    long value = 0;
    for (int i = 0; i < 10; i++) {
      long b = fixed(1);
      if (i == 9 && b > 1) {
        break;
      }
      value |= (b & 127) << 7 * i;
      if (b < 128) {
        return value;
      }
    }
    throw new NtrFormatException("no number");
  }

  long zig() {
    long v = var();
    return v % 2 == 0 ? v >>> 1 : ~(v >>> 1);
  }

  int upTo(long most) {
    long value = var();
    if (Long.compareUnsigned(value, most) > 0) {
      throw new NtrFormatException("too much: " + value);
    }
    return (int) value;
  }

  String text() {
    int length = upTo(longest);
    if (length > end - at) {
      throw new NtrFormatException("text ends early");
    }
    at += length;
    return new String(bytes, at - length, length, StandardCharsets.UTF_8);
  }
}
