package io.ntrail.testkit.ntr;

import java.util.Arrays;

/** Unpacks raw deflate streams (RFC 1951), slowly and on its own account. */
final class ReferenceInflate {
  private static final int[] LENGTH_BASE = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258
  };
  private static final int[] LENGTH_BITS = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0
  };
  private static final int[] ORDER = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
  };

  private final byte[] in;
  private byte[] out = new byte[64];
  private int size;
  private int bit;

  private ReferenceInflate(byte[] in) {
    this.in = in;
  }

  /** Returns the contents of the stream; throws if it is not one or does not end with the bytes. */
  static byte[] unpack(byte[] stream) {
    ReferenceInflate inflate = new ReferenceInflate(stream);
    boolean last;
    do {
      last = inflate.bits(1) == 1;
      inflate.block(inflate.bits(2));
    } while (!last);
    if ((inflate.bit + 7) / 8 != stream.length) {
      throw new NtrFormatException("the packed column is longer than its stream");
    }
    return Arrays.copyOf(inflate.out, inflate.size);
  }

  private void write(int value) {
    if (size == out.length) {
      out = Arrays.copyOf(out, 2 * size);
    }
    out[size++] = (byte) value;
  }

  private int bits(int count) {
    int value = 0;
    for (int i = 0; i < count; i++, bit++) {
      if (bit / 8 >= in.length) {
        throw new NtrFormatException("the packed column ends early");
      }
      value |= (in[bit / 8] >> bit % 8 & 1) << i;
    }
    return value;
  }

  private void block(int type) {
    switch (type) {
      case 0 -> {
        bit = (bit + 7) / 8 * 8;
        int length = bits(16);
        if ((bits(16) ^ length) != 0xFFFF) {
          throw new NtrFormatException("a stored block has two lengths");
        }
        for (int i = 0; i < length; i++) {
          write(bits(8));
        }
      }
      case 1 -> {
        int[] literals = new int[288];
        for (int i = 0; i < 288; i++) {
          literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        }
        int[] distances = new int[30];
        Arrays.fill(distances, 5);
        codes(literals, distances);
      }
      case 2 -> {
        int literalCount = bits(5) + 257;
        int distanceCount = bits(5) + 1;
        int[] small = new int[19];
        for (int i = bits(4) + 4, k = 0; k < i; k++) {
          small[ORDER[k]] = bits(3);
        }
        if (literalCount > 286 || distanceCount > 30 || left(small) != 0) {
          throw new NtrFormatException("codes that cannot be");
        }
        int[] lengths = new int[literalCount + distanceCount];
        for (int i = 0; i < lengths.length; ) {
          int symbol = symbol(small);
          int repeat = 1;
          int value = symbol;
          if (symbol == 16) {
            if (i == 0) {
              throw new NtrFormatException("nothing to repeat");
            }
            value = lengths[i - 1];
            repeat = 3 + bits(2);
          } else if (symbol > 16) {
            value = 0;
            repeat = symbol == 17 ? 3 + bits(3) : 11 + bits(7);
          }
          if (repeat > lengths.length - i) {
            throw new NtrFormatException("more code lengths than codes");
          }
          while (repeat-- > 0) {
            lengths[i++] = value;
          }
        }
        int[] literals = Arrays.copyOf(lengths, literalCount);
        int[] distances = Arrays.copyOfRange(lengths, literalCount, lengths.length);
        if (literals[256] == 0 || !isCode(literals) || !isCode(distances)) {
          throw new NtrFormatException("codes that cannot be");
        }
        codes(literals, distances);
      }
      default -> throw new NtrFormatException("a packed block of type 3");
    }
  }

  /** Returns the number of 15-bit codes that the lengths leave free; negative if they need more. */
  private static int left(int[] lengths) {
    int left = 1 << 15;
    for (int length : lengths) {
      left -= length == 0 ? 0 : 1 << 15 - length;
    }
    return left;
  }

  /** Codes leave nothing free, but where there is none, or one of a single bit. */
  private static boolean isCode(int[] lengths) {
    return left(lengths) == 0 || Arrays.stream(lengths).sum() <= 1;
  }

  private void codes(int[] literals, int[] distances) {
    while (true) {
      int symbol = symbol(literals);
      if (symbol == 256) {
        return;
      }
      if (symbol < 256) {
        write(symbol);
        continue;
      }
      if (symbol - 257 >= LENGTH_BASE.length) {
        throw new NtrFormatException("a length that does not exist");
      }
      int length = LENGTH_BASE[symbol - 257] + bits(LENGTH_BITS[symbol - 257]);
      int code = symbol(distances);
      if (code >= 30) {
        throw new NtrFormatException("a distance that does not exist");
      }
      int distance = code < 4 ? code + 1 : (2 + code % 2 << code / 2 - 1) + 1 + bits(code / 2 - 1);
      if (distance > size) {
        throw new NtrFormatException("a match before the beginning");
      }
      for (int i = 0; i < length; i++) {
        write(out[size - distance]);
      }
    }
  }

  /** One symbol, by counting through the canonical code bit by bit. */
  private int symbol(int[] lengths) {
    int code = 0;
    int first = 0;
    for (int length = 1; length <= 15; length++) {
      code = code << 1 | bits(1);
      int count = 0;
      for (int i = 0; i < lengths.length; i++) {
        if (lengths[i] == length && first + count++ == code) {
          return i;
        }
      }
      first = first + count << 1;
    }
    throw new NtrFormatException("a code that means nothing");
  }
}
