package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.NativeBuffer;
import java.util.Arrays;

/**
 * XPRESS with Huffman, which MS-XCA calls "LZ77+Huffman".
 *
 * <p>The input is a row of blocks, each of which gives 65,536 bytes of output, the last one perhaps
 * fewer. A block begins with 256 bytes, the lengths of the codes of 512 symbols, 4 bits each, lower
 * half first; 0 means that a symbol does not occur. The code is the canonical one: shorter before
 * longer, then in the order of symbols; it must be complete.
 *
 * <p>Then comes a stream of bits in 16-bit words, most significant bit first. Two words are read
 * ahead at the start, and another one whenever fewer than 16 bits are left; this matters because
 * plain bytes are between the words, namely at the place where the next word would be read.
 *
 * <ul>
 *   <li>A symbol below 256 is a literal.
 *   <li>Any other is a match: with symbol - 256, the lower 4 bits are length - 3, the upper ones
 *       the number of bits of the distance below its leading one. A length of 15 there means that
 *       more follows: a plain byte to add. A byte of 255 means that instead a plain 16-bit word
 *       gives length - 3, and a word of 0 that a 32-bit word after it does; neither may be less
 *       than 15. The bits of the distance are after all that.
 * </ul>
 *
 * <p>Symbol 256 is also the end if all of the input has been read.
 */
final class XpressHuffman {
  private static final int TABLE_BYTES = 256;
  private static final int SYMBOLS = 512;
  private static final int BLOCK = 65536;
  private static final int END = 256;
  private static final int MAX_BITS = 15;

  /** Codes up to this length are looked up at once. */
  private static final int FAST_BITS = 11;

  private final Bytes input;
  private final int to;
  private final NativeBuffer output;
  private final int limit;

  /** By the next {@link #FAST_BITS} bits: symbol * 16 + length, or 0 for a longer code. */
  private final short[] fast = new short[1 << FAST_BITS];

  /** The symbols that occur, in the order of their codes. */
  private final short[] symbols = new short[SYMBOLS];

  /** By length: the first code of the next length, as the upper bits of {@link #MAX_BITS} bits. */
  private final int[] codeEnd = new int[MAX_BITS + 1];

  /** By length: what to add to a code to get its index in {@link #symbols}. */
  private final int[] codeToIndex = new int[MAX_BITS + 1];

  /** Next byte of input. */
  private int in;

  /** Next byte of output. */
  private int out;

  /** The bits read ahead, from the most significant one down. */
  private int bits;

  /** Number of valid bits in {@link #bits}. */
  private int held;

  private XpressHuffman(Bytes input, int from, int to, NativeBuffer output, int limit) {
    this.input = input;
    this.in = from;
    this.to = to;
    this.output = output;
    this.limit = limit;
  }

  static int decompress(Bytes input, int from, int to, NativeBuffer output, int limit) {
    XpressHuffman huffman = new XpressHuffman(input, from, to, output, limit);
    try {
      huffman.run();
      return huffman.out;
    } finally {
      output.filled(huffman.out);
    }
  }

  private void run() {
    while (out < limit) {
      if (in == to) {
        return;
      }
      if (to - in < TABLE_BYTES) {
        // Behind a full last block the end mark may need a last word of its own.
        if (out > 0 && isEnd(next())) {
          return;
        }
        throw damaged(in, "compressed data ends inside a table of code lengths");
      }
      readTable();
      readAhead();
      int blockEnd = (int) Math.min(limit, (long) out + BLOCK);
      while (out < blockEnd) {
        int start = in;
        int symbol = next();
        if (symbol < END) {
          output.put(out++, symbol);
          continue;
        }
        // As a match it would be 3 bytes at distance 1; the end mark has nothing but padding after
        // it.
        if (isEnd(symbol) && bits == 0) {
          return;
        }
        long length = (symbol & 15) < 15 ? symbol & 15 : longLength();
        int distanceBits = (symbol - END) >>> 4;
        // Two shifts, because a shift by 32 does nothing.
        int distance = (1 << distanceBits) | (bits >>> 1 >>> (31 - distanceBits));
        consume(distanceBits);
        if (distance > out) {
          throw damaged(
              start, "match distance " + distance + " exceeds the " + out + " bytes written");
        }
        out = output.repeatWithin(out, distance, length + 3, limit);
      }
    }
  }

  private boolean isEnd(int symbol) {
    return symbol == END && in == to;
  }

  /** Takes the next symbol out of the stream. */
  private int next() {
    int code = fast[bits >>> (32 - FAST_BITS)];
    if (code == 0) {
      int ahead = bits >>> (32 - MAX_BITS);
      int length = FAST_BITS + 1;
      while (ahead >= codeEnd[length]) {
        length++;
      }
      int index = (ahead >>> (MAX_BITS - length)) + codeToIndex[length];
      code = symbols[index] << 4 | length;
    }
    consume(code & 15);
    return code >>> 4;
  }

  private void readAhead() {
    bits = 0;
    held = 0;
    refill();
    refill();
  }

  private void consume(int count) {
    if (count > held) {
      throw damaged(in, "compressed data ends inside a symbol");
    }
    bits <<= count;
    held -= count;
    if (held < 16) {
      refill();
    }
  }

  /** Reads a word; at the end of the input there is none, and the bits held are the last ones. */
  private void refill() {
    if (to - in >= 2) {
      bits |= input.u16(in) << (16 - held);
      held += 16;
      in += 2;
    }
  }

  /** Reads length - 3 of a match whose symbol has the escape value. */
  private long longLength() {
    need(1);
    int more = input.u8(in++);
    if (more < 255) {
      return more + 15L;
    }
    int start = in;
    need(2);
    long length = input.u16(in);
    in += 2;
    if (length == 0) {
      need(4);
      length = input.u32(in);
      in += 4;
    }
    if (length < 15) {
      throw damaged(start, "match length " + length + " uses the encoding of lengths above 14");
    }
    return length;
  }

  private void readTable() {
    int[] count = new int[MAX_BITS + 1];
    for (int i = 0; i < TABLE_BYTES; i++) {
      int pair = input.u8(in + i);
      count[pair & 15]++;
      count[pair >>> 4]++;
    }
    int code = 0;
    int index = 0;
    int[] place = new int[MAX_BITS + 1];
    for (int length = 1; length <= MAX_BITS; length++) {
      place[length] = index;
      codeToIndex[length] = index - (code >>> (MAX_BITS - length));
      code += count[length] << (MAX_BITS - length);
      index += count[length];
      codeEnd[length] = code;
    }
    if (code != 1 << MAX_BITS) {
      throw damaged(in, "a table of code lengths is not a complete prefix code");
    }
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
      int length = input.u8(in + (symbol >>> 1)) >>> ((symbol & 1) << 2) & 15;
      if (length != 0) {
        symbols[place[length]++] = (short) symbol;
      }
    }
    int at = 0;
    for (int length = 1, i = 0; length <= FAST_BITS; length++) {
      for (int n = count[length]; n > 0; n--) {
        int next = at + (1 << (FAST_BITS - length));
        Arrays.fill(fast, at, next, (short) (symbols[i++] << 4 | length));
        at = next;
      }
    }
    Arrays.fill(fast, at, fast.length, (short) 0);
    in += TABLE_BYTES;
  }

  private void need(int bytes) {
    if (bytes > to - in) {
      throw damaged(in, "compressed data ends inside the length of a match");
    }
  }

  private DamagedInput damaged(int at, String why) {
    return new DamagedInput(input.name(), input.base() + at, "XPRESS with Huffman: " + why);
  }
}
