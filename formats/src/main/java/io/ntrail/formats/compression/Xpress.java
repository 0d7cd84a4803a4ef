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

  /** By distance up to 8: the bits of the 8 bytes so far back that are written already. */
  private static final long[] WRITTEN = new long[9];

  /** By distance up to 8: a factor that repeats those over 8 bytes. */
  private static final long[] SPREAD = new long[9];

  /**
   * By distance up to 8: how much further back 8 bytes are written already that are the same ones,
   * at the smallest multiple of the distance that is 8 or more.
   */
  private static final int[] FURTHER = new int[9];

  static {
    for (int distance = 1; distance <= 8; distance++) {
      WRITTEN[distance] = -1L >>> (64 - 8 * distance);
      for (int at = 0; at < 8; at += distance) {
        SPREAD[distance] |= 1L << (8 * at);
      }
      FURTHER[distance] = Math.ceilDiv(8, distance) * distance - distance;
    }
  }

  /**
   * Value of the flags when a new word is due: the flags not yet tested are followed by a 1, so
   * that the number of leading zeros is the number of literals.
   */
  private static final long NO_FLAGS = 1L << 63;

  /**
   * Most that one turn of the fast loop reads: a word of flags, 32 literals, a match with a byte.
   */
  private static final int FAST_INPUT = 40;

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
  private final WorkArrays arrays;

  /** Next byte of input. */
  private int in;

  /** Next byte of output. */
  private int out;

  /** See {@link #NO_FLAGS}. */
  private long flags = NO_FLAGS;

  /** The nibble that was left of a byte, or -1 if a new byte must be read. */
  private int halfNibble = -1;

  private Xpress(Bytes input, int from, int to, NativeBuffer output, int limit, WorkArrays arrays) {
    this.input = input;
    this.in = from;
    this.to = to;
    this.output = output;
    this.limit = limit;
    this.arrays = arrays;
  }

  static int decompress(
      Bytes input, int from, int to, NativeBuffer output, int limit, WorkArrays arrays) {
    Xpress xpress = new Xpress(input, from, to, output, limit, arrays);
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
    WorkArrays.Pair pair = arrays.take(to - in, limit);
    try {
      decompressMost(pair.input, pair.output);
    } finally {
      output.put(0, pair.output, out);
      arrays.giveBack(pair);
    }
  }

  private void decompressMost(byte[] from, byte[] made) {
    int base = in;
    int lastIn = to - base - FAST_INPUT;
    int lastOut = limit - FAST_OUTPUT;
    input.copyTo(base, from, 0, to - base);
    int i = 0;
    int o = out;
    long f = flags;
    int half = -1;
    while (i <= lastIn && o <= lastOut) {
      if (f == NO_FLAGS) {
        f = ((long) (int) INTS.get(from, i) << 32) | (1L << 31);
        i += 4;
      }
      int literals = Long.numberOfLeadingZeros(f);
      copy8(from, i, made, o);
      if (literals > 8) {
        copy8(from, i + 8, made, o + 8);
        copy8(from, i + 16, made, o + 16);
        copy8(from, i + 24, made, o + 24);
      }
      i += literals;
      o += literals;
      f <<= literals;
      if (f == NO_FLAGS) {
        continue;
      }
      f <<= 1;
      int word = (int) INTS.get(from, i);
      int distance = (word >>> 3 & 0x1FFF) + 1;
      if (distance > o) {
        out = o;
        throw tooFar(base + i, distance);
      }
      i += 2;
      int length = (word & 7) + 3;
      // How long a match may be is known from where its length is: each of these ways copies that
      // much, without asking for the length again.
      if (length < 10) {
        int further = repeat8(made, o, distance);
        copy8(made, further + 8, made, o + 8);
        o += length;
        continue;
      }
      // Without branches, because no processor can guess whose turn it is.
      int pair = word >>> 16 & 0xFF;
      boolean first = half < 0;
      int nibble = first ? pair & 15 : half;
      i += first ? 1 : 0;
      half = first ? pair >>> 4 : -1;
      if (nibble < 15) {
        length += nibble;
        int further = repeat8(made, o, distance);
        copy8(made, further + 8, made, o + 8);
        copy8(made, further + 16, made, o + 16);
        o += length;
        continue;
      }
      int more = from[i++] & 0xFF;
      if (more < 255) {
        length = more + 25;
      } else {
        in = base + i;
        out = o;
        long longest = wholeLength() + 3;
        i = in - base;
        length = (int) Math.min(longest, limit - o);
      }
      if (length > limit - o - NativeBuffer.ROOM) {
        int end = Math.min(limit, o + length);
        for (; o < end; o++) {
          made[o] = made[o - distance];
        }
        continue;
      }
      repeatLong(made, o, distance, length);
      o += length;
    }
    in = base + i;
    out = o;
    flags = f;
    halfNibble = half;
  }

  private static void copy8(byte[] from, int at, byte[] to, int target) {
    LONGS.set(to, target, (long) LONGS.get(from, at));
  }

  /**
   * Repeats the first 8 bytes of a match.
   *
   * @return what all others may be copied from, 8 at a time: a multiple of the distance back
   */
  private static int repeat8(byte[] made, int at, int distance) {
    int from = at - distance;
    int pattern = Math.min(distance, 8);
    LONGS.set(made, at, ((long) LONGS.get(made, from) & WRITTEN[pattern]) * SPREAD[pattern]);
    return from - FURTHER[pattern];
  }

  /** Repeats, and may change {@link NativeBuffer#ROOM} bytes after the repeated ones. */
  private static void repeatLong(byte[] made, int at, int distance, int length) {
    if (distance >= length) {
      System.arraycopy(made, at - distance, made, at, length);
      return;
    }
    int from = repeat8(made, at, distance);
    for (int i = 8; i < length; i += 16) {
      copy8(made, from + i, made, at + i);
      copy8(made, from + i + 8, made, at + i + 8);
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
    if (nibble < 15) {
      return nibble + 7L;
    }
    need(1, "the length of a match");
    int more = input.u8(in++);
    return more < 255 ? more + 22L : wholeLength();
  }

  /** Reads length - 3 of a match whose byte has the escape value. */
  private long wholeLength() {
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
