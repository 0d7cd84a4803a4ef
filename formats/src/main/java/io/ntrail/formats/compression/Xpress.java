package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.NativeBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

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
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

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

  /** Sizes up to which arrays are made; larger than any buffer that Windows lets a session have. */
  private static final int MOST_IN_ARRAYS = 1 << 24;

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
    if (to - in > MOST_IN_ARRAYS || limit > MOST_IN_ARRAYS) {
      return;
    }
    // Arrays cost a check of bounds at each access, mapped and native memory also one of its life.
    byte[] from = input.array(in, to - in);
    byte[] made = new byte[limit];
    int base = in;
    int lastIn = from.length - FAST_INPUT;
    int lastOut = limit - FAST_OUTPUT;
    int i = 0;
    int o = out;
    long f = flags;
    int half = -1;
    try {
      while (i <= lastIn && o <= lastOut) {
        if (f == NO_FLAGS) {
          f = ((long) (int) INTS.get(from, i) << 32) | (1L << 31);
          i += 4;
        }
        int literals = Long.numberOfLeadingZeros(f);
        LONGS.set(made, o, (long) LONGS.get(from, i));
        for (int done = 8; done < literals; done += 8) {
          LONGS.set(made, o + done, (long) LONGS.get(from, i + done));
        }
        i += literals;
        o += literals;
        f <<= literals;
        if (f == NO_FLAGS) {
          continue;
        }
        int word = (short) SHORTS.get(from, i) & 0xFFFF;
        int distance = (word >>> 3) + 1;
        if (distance > o) {
          out = o;
          throw tooFar(base + i, distance);
        }
        i += 2;
        int length = (word & 7) + 3;
        if (length == 10) {
          // Without branches, because no processor can guess whose turn it is.
          int pair = from[i] & 0xFF;
          boolean first = half < 0;
          int nibble = first ? pair & 15 : half;
          i += first ? 1 : 0;
          half = first ? pair >>> 4 : -1;
          length += nibble;
          if (nibble == 15) {
            in = base + i;
            out = o;
            long longer = longerLength() + 3;
            i = in - base;
            if (longer > limit - o - NativeBuffer.ROOM) {
              int end = (int) Math.min(limit, o + longer);
              for (; o < end; o++) {
                made[o] = made[o - distance];
              }
              f <<= 1;
              continue;
            }
            length = (int) longer;
          }
        }
        repeatLoosely(made, o, distance, length);
        o += length;
        f <<= 1;
      }
      out = o;
    } finally {
      output.put(0, made, out);
    }
    in = base + i;
    flags = f;
    halfNibble = half;
  }

  /** Repeats in an array as {@link NativeBuffer#repeatLoosely} does in native memory. */
  private static void repeatLoosely(byte[] made, int at, int distance, int length) {
    int from = at - distance;
    if (distance >= 8) {
      // Most matches are short: the first 16 bytes without asking for the length.
      LONGS.set(made, at, (long) LONGS.get(made, from));
      LONGS.set(made, at + 8, (long) LONGS.get(made, from + 8));
      for (int i = 16; i < length; i += 16) {
        LONGS.set(made, at + i, (long) LONGS.get(made, from + i));
        LONGS.set(made, at + i + 8, (long) LONGS.get(made, from + i + 8));
      }
      return;
    }
    // 8 bytes of the pattern, then on by as many whole patterns as fit into 8 bytes.
    long pattern = (long) LONGS.get(made, from) & ((1L << (8 * distance)) - 1);
    int step = distance;
    for (; 2 * step <= 8; step *= 2) {
      pattern |= pattern << (8 * step);
    }
    if (step < 8) {
      pattern |= pattern << (8 * step);
    }
    for (int i = 0; i < length; i += step) {
      LONGS.set(made, at + i, pattern);
    }
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
