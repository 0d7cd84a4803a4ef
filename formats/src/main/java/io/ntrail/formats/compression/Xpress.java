package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Scratch;

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
 *       behind it does; neither may be less than the 22 that the shorter forms reach.
 * </ul>
 *
 * <p>The input ends with a flag of 1 and nothing behind it (an encoder fills the last flags with
 * ones), or just before a word of flags.
 */
final class Xpress {
  private final Bytes input;
  private final int to;
  private final Scratch output;
  private final int limit;

  /** Next byte of input. */
  private int in;

  /** The byte whose upper half is the next nibble, or -1 if a new byte must be read. */
  private int halfByte = -1;

  private Xpress(Bytes input, int from, int to, Scratch output, int limit) {
    this.input = input;
    this.in = from;
    this.to = to;
    this.output = output;
    this.limit = limit;
  }

  static int decompress(Bytes input, int from, int to, Scratch output, int limit) {
    return new Xpress(input, from, to, output, limit).run();
  }

  private int run() {
    int out = 0;
    while (out < limit) {
      if (in == to) {
        return out;
      }
      need(4, "flags");
      int flags = input.i32(in);
      in += 4;
      for (int left = 32; left > 0 && out < limit; left--) {
        if (flags >= 0) {
          need(1, "a literal");
          output.put(out++, input.u8(in++));
        } else {
          if (in == to) {
            return out;
          }
          int start = in;
          need(2, "a match");
          int word = input.u16(in);
          in += 2;
          int distance = (word >>> 3) + 1;
          if (distance > out) {
            throw damaged(
                start, "a match reaches back " + distance + " bytes where only " + out + " are");
          }
          long length = (word & 7) < 7 ? (word & 7) + 3 : longLength() + 3;
          int clipped = (int) Math.min(length, limit - out);
          output.repeat(out, distance, clipped);
          out += clipped;
        }
        flags <<= 1;
      }
    }
    return out;
  }

  /** The length - 3 of a match whose word says that more follows. */
  private long longLength() {
    int nibble;
    if (halfByte < 0) {
      need(1, "the length of a match");
      halfByte = input.u8(in++);
      nibble = halfByte & 15;
    } else {
      nibble = halfByte >>> 4;
      halfByte = -1;
    }
    if (nibble < 15) {
      return nibble + 7L;
    }
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
      throw damaged(start, "a match has the length " + length + " in a form for more than 21");
    }
    return length;
  }

  private void need(int bytes, String what) {
    if (bytes > to - in) {
      throw damaged(in, "compressed data ends inside " + what);
    }
  }

  private DamagedInput damaged(int at, String why) {
    return new DamagedInput(input.name(), input.base() + at, "XPRESS: " + why);
  }
}
