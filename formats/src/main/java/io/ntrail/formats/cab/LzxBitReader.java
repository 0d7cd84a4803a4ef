package io.ntrail.formats.cab;

/**
 * Bit reader of one LZX block: 16-bit words, lower byte first, bits from the most significant one
 * down; stretches of plain bytes are between them.
 */
final class LzxBitReader {
  /** Number of bytes past the end that words read ahead may take. */
  private static final int AHEAD = 8;

  private byte[] input = {};
  private int length;

  /** The next byte to read. */
  private int in;

  /** The bits read ahead, from the most significant one down. */
  private long bits;

  private int held;

  LzxBitReader() {}

  /** Starts at the first byte of another block. */
  void begin(byte[] block, int blockLength) {
    input = block;
    length = blockLength;
    in = 0;
    bits = 0;
    held = 0;
  }

  /**
   * Reads ahead until at least 49 bits are held: enough for a symbol of the main tree, one of the
   * length tree, and the bits of an offset. Past the end there are zeros.
   */
  void fill() throws DamagedBlock {
    while (held <= 48) {
      if (in + 1 < length) {
        bits |= (long) (input[in] & 0xFF | (input[in + 1] & 0xFF) << 8) << (48 - held);
      } else if (in < length) {
        bits |= (long) (input[in] & 0xFF) << (48 - held);
      } else if (in > length + AHEAD) {
        throw endsEarly();
      }
      in += 2;
      held += 16;
    }
  }

  /** The next bits, at most 31, which stay. */
  int ahead(int count) {
    return (int) (bits >>> 1 >>> (63 - count));
  }

  /** Takes bits that are held. */
  void drop(int count) {
    bits <<= count;
    held -= count;
  }

  /** Takes bits that are held, at most 31. */
  int take(int count) {
    int value = ahead(count);
    drop(count);
    return value;
  }

  /** Takes bits, at most 31. */
  int read(int count) throws DamagedBlock {
    fill();
    return take(count);
  }

  /**
   * Continues with plain bytes at the end of the current word, or, if the word is untouched, after
   * it.
   */
  void alignForBytes() throws DamagedBlock {
    fill();
    int rest = held & 15;
    drop(rest == 0 ? 16 : rest);
    in -= held >>> 3;
    bits = 0;
    held = 0;
  }

  /** Plain bytes; none may be held as bits. */
  void bytes(byte[] target, int to, int count) throws DamagedBlock {
    if (count > length - in) {
      throw endsEarly();
    }
    System.arraycopy(input, in, target, to, count);
    in += count;
  }

  /** A plain 32-bit number. */
  int i32() throws DamagedBlock {
    if (length - in < 4) {
      throw endsEarly();
    }
    in += 4;
    return (input[in - 4] & 0xFF)
        | (input[in - 3] & 0xFF) << 8
        | (input[in - 2] & 0xFF) << 16
        | input[in - 1] << 24;
  }

  /** Passes over a plain byte; false if there is none. */
  boolean skipByte() {
    if (in >= length) {
      return false;
    }
    in++;
    return true;
  }

  /** Makes sure that no more was taken than there is. */
  void checkEnd() throws DamagedBlock {
    if (8L * in - held > 8L * length) {
      throw endsEarly();
    }
  }

  private static DamagedBlock endsEarly() {
    return new DamagedBlock("LZX: a compressed block is truncated");
  }
}
