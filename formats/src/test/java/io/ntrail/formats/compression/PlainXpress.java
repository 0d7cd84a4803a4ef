package io.ntrail.formats.compression;

import java.util.Arrays;

/**
 * XPRESS byte by byte, as MS-XCA specifies it, without regard to speed: what the fast one is
 * compared with on inputs that no encoder would write.
 */
final class PlainXpress {
  private final byte[] packed;
  private final byte[] output;
  private int at;
  private int size;

  private PlainXpress(byte[] packed, int limit) {
    this.packed = packed;
    this.output = new byte[limit];
  }

  /** All that comes out before the limit, the end or the damage. */
  static byte[] unpack(byte[] packed, int limit) {
    PlainXpress plain = new PlainXpress(packed, limit);
    try {
      plain.unpack();
    } catch (ArrayIndexOutOfBoundsException e) {
      // The input or the room for output has ended.
      return Arrays.copyOf(plain.output, plain.size);
    }
    return Arrays.copyOf(plain.output, plain.size);
  }

  private void unpack() {
    long flags = 0;
    int flagCount = 0;
    int halfAt = -1;
    while (size < output.length) {
      if (flagCount == 0) {
        flags = number(4);
        flagCount = 32;
      }
      flagCount--;
      if ((flags >> flagCount & 1) == 0) {
        write((byte) number(1));
        continue;
      }
      long match = number(2);
      int distance = (int) (match / 8) + 1;
      if (distance > size) {
        return;
      }
      long length = match % 8;
      if (length == 7) {
        if (halfAt < 0) {
          halfAt = at;
          length = number(1) % 16;
        } else {
          length = (packed[halfAt] & 0xFF) / 16;
          halfAt = -1;
        }
        if (length == 15) {
          length = number(1);
          if (length == 255) {
            length = number(2);
            if (length == 0) {
              length = number(4);
            }
            if (length < 15 + 7) {
              return;
            }
            length -= 15 + 7;
          }
          length += 15;
        }
        length += 7;
      }
      length += 3;
      for (long i = 0; i < length; i++) {
        write(output[size - distance]);
      }
    }
  }

  private void write(byte value) {
    output[size] = value;
    size++;
  }

  private long number(int bytes) {
    if (at + bytes > packed.length) {
      throw new ArrayIndexOutOfBoundsException(at);
    }
    long value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      value = value << 8 | (packed[at + i] & 0xFF);
    }
    at += bytes;
    return value;
  }
}
