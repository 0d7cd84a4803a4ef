package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.NativeBuffer;

/**
 * XPRESS, which MS-XCA calls "plain LZ77".
 *
 * <p>The input is a row of groups: a 32-bit word of flags, then up to 32 items. The flags are
 * tested from the most significant bit down.
 *
 * <ul>
 *   <li>0: a literal, one byte.
 *   <li>1: a match, a 16-bit word: distance - 1 in the upper 13 bits, length - 3 in the lower 3. A
 *       length of 7 there means that more follows: a nibble to add. Two such nibbles share a byte:
 *       the first takes the lower half of a new byte, the next one, wherever it comes, the upper
 *       half of that same byte. A nibble of 15 means that more follows: a byte to add. A byte of
 *       255 means that instead a 16-bit word gives length - 3, and a word of 0 that a 32-bit word
 *       after it does; neither may be less than the 22 that the shorter forms reach.
 * </ul>
 *
 * <p>The input ends with a flag of 1 and nothing after it (an encoder fills the last flags with
 * ones), or just before a word of flags.
 */
final class Xpress {
  /**
   * Value of the flags when a new word is due: the flags not yet tested are followed by a 1, so
   * that the number of leading zeros is the number of literals.
   */
  private static final long NO_FLAGS = 1L << 63;

  /** More than one turn of the fast loop takes: a word of flags, 32 literals, the longest match. */
  private static final int FAST_INPUT = 64;

  /**
   * Bound of the output of one turn of the fast loop, without lengths from bytes: 32 literals, 24.
   */
  private static final int FAST_OUTPUT = 32 + 24 + NativeBuffer.ROOM;

  private final Bytes input;
  private final int to;
  private final NativeBuffer output;
  private final int limit;

  /** Next byte of input. */
  private int in;

  /** Next byte of output. */
  private int out;

  /** See {@link #NO_FLAGS}. */
  private long flags = NO_FLAGS;

  /** The nibble that was left of a byte, or -1 if a new byte must be read. */
  private int halfNibble = -1;

  private Xpress(Bytes input, int from, int to, NativeBuffer output, int limit) {
    this.input = input;
    this.in = from;
    this.to = to;
    this.output = output;
    this.limit = limit;
  }

  static int decompress(Bytes input, int from, int to, NativeBuffer output, int limit) {
    Xpress xpress = new Xpress(input, from, to, output, limit);
    try {
      xpress.decompressMost();
      xpress.decompressRest();
      return xpress.out;
    } finally {
      output.filled(xpress.out);
    }
  }

  /**
   * Decompresses while input and output are so far from their ends that neither must be checked at
   * every byte, and more may be copied than is wanted.
   */
  private void decompressMost() {
    int lastIn = to - FAST_INPUT;
    int lastOut = limit - FAST_OUTPUT;
    int i = in;
    int o = out;
    long f = flags;
    int half = -1;
    while (i <= lastIn && o <= lastOut) {
      if (f == NO_FLAGS) {
        f = ((long) input.i32(i) << 32) | (1L << 31);
        i += 4;
      }
      int literals = Long.numberOfLeadingZeros(f);
      output.putLong(o, input.i64(i));
      for (int done = 8; done < literals; done += 8) {
        output.putLong(o + done, input.i64(i + done));
      }
      i += literals;
      o += literals;
      f <<= literals;
      if (f == NO_FLAGS) {
        continue;
      }
      int word = input.u16(i);
      int distance = (word >>> 3) + 1;
      if (distance > o) {
        out = o;
        throw tooFar(i, distance);
      }
      i += 2;
      int length = (word & 7) + 3;
      if (length == 10) {
        // Without branches, because no processor can guess whose turn it is.
        int pair = input.u8(i);
        boolean first = half < 0;
        int nibble = first ? pair & 15 : half;
        i += first ? 1 : 0;
        half = first ? pair >>> 4 : -1;
        length += nibble;
        if (nibble == 15) {
          in = i;
          out = o;
          long longer = longerLength() + 3;
          i = in;
          if (longer > limit - o - NativeBuffer.ROOM) {
            o = output.repeatWithin(o, distance, longer, limit);
            f <<= 1;
            continue;
          }
          length = (int) longer;
        }
      }
      output.repeatLoosely(o, distance, length);
      o += length;
      f <<= 1;
    }
    in = i;
    out = o;
    flags = f;
    halfNibble = half;
  }

  /** Decompresses to the end of the input or of the wanted output, checking every byte. */
  private void decompressRest() {
    while (out < limit) {
      if (flags == NO_FLAGS) {
        if (in == to) {
          return;
        }
        need(4, "flags");
        flags = ((long) input.i32(in) << 32) | (1L << 31);
        in += 4;
      }
      if (flags >= 0) {
        need(1, "a literal");
        output.put(out++, input.u8(in++));
      } else if (in == to) {
        return;
      } else {
        int start = in;
        need(2, "a match");
        int word = input.u16(in);
        in += 2;
        int distance = (word >>> 3) + 1;
        if (distance > out) {
          throw tooFar(start, distance);
        }
        long length = ((word & 7) < 7 ? word & 7 : longLength()) + 3;
        out = output.repeatWithin(out, distance, length, limit);
      }
      flags <<= 1;
    }
  }

  /** Reads length - 3 of a match whose word has the escape value. */
  private long longLength() {
    int nibble = halfNibble;
    if (nibble < 0) {
      need(1, "the length of a match");
      int pair = input.u8(in++);
      nibble = pair & 15;
      halfNibble = pair >>> 4;
    } else {
      halfNibble = -1;
    }
    return nibble < 15 ? nibble + 7L : longerLength();
  }

  /** Reads length - 3 of a match whose nibble has the escape value. */
  private long longerLength() {
    need(1, "the length of a match");
    int more = input.u8(in++);
    if (more < 255) {
      return more + 22L;
    }
    int start = in;
    need(2, "the length of a match");
    long length = input.u16(in);
    in += 2;
    if (length == 0) {
      need(4, "the length of a match");
      length = input.u32(in);
      in += 4;
    }
    if (length < 22) {
      throw damaged(start, "match length " + length + " uses the encoding of lengths above 21");
    }
    return length;
  }

  private void need(int bytes, String what) {
    if (bytes > to - in) {
      throw damaged(in, "compressed data ends inside " + what);
    }
  }

  private DamagedInput tooFar(int at, int distance) {
    return damaged(at, "match distance " + distance + " exceeds the " + out + " bytes written");
  }

  private DamagedInput damaged(int at, String why) {
    return new DamagedInput(input.name(), input.base() + at, "XPRESS: " + why);
  }
}
