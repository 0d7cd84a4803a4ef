package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.NativeBuffer;

/**
 * LZNT1 decompressor, the compression of NTFS, as in MS-XCA.
 *
 * <p>The input is a sequence of chunks, each of which gives 4,096 bytes of output, the last one
 * perhaps fewer; if one before the last gives fewer, zeros follow up to 4,096, as on Windows. A
 * chunk starts with a 16-bit header: 0 ends the input; else the lower 12 bits are the number of
 * bytes after the header - 1, bit 15 is set if they are compressed, and bits 12 to 14 (always 3)
 * are ignored.
 *
 * <p>A compressed chunk is a sequence of groups: a byte of flags, tested from the least significant
 * bit up, then up to eight items. 0 is a literal, one byte. 1 is a match, a 16-bit word: distance -
 * 1 in the upper bits, length - 3 in the lower ones. The number of distance bits depends on how
 * much of this chunk has been written: as many as are needed for the longest possible distance - 1,
 * and at least 4. Matches do not reach into the previous chunk.
 */
final class Lznt1 {
  private static final int CHUNK = 4096;

  private final Bytes input;
  private final int to;
  private final NativeBuffer output;
  private final int limit;

  /** Next byte of output. */
  private int out;

  private Lznt1(Bytes input, int to, NativeBuffer output, int limit) {
    this.input = input;
    this.to = to;
    this.output = output;
    this.limit = limit;
  }

  static int decompress(Bytes input, int from, int to, NativeBuffer output, int limit) {
    Lznt1 lznt1 = new Lznt1(input, to, output, limit);
    try {
      lznt1.run(from);
      return lznt1.out;
    } finally {
      output.filled(lznt1.out);
    }
  }

  private void run(int from) {
    int in = from;
    while (out < limit && in < to) {
      if (to - in < 2) {
        throw damaged(in, "compressed data ends inside the header of a chunk");
      }
      int header = input.u16(in);
      if (header == 0) {
        return;
      }
      int fill = Math.min(-out & (CHUNK - 1), limit - out);
      output.zero(out, fill);
      out += fill;
      in += 2;
      int end = in + (header & 0xFFF) + 1;
      // What is there of a chunk that is cut off is still worth having.
      int available = Math.min(end, to);
      if ((header & 0x8000) == 0) {
        int length = Math.min(available - in, limit - out);
        output.put(out, input, in, length);
        out += length;
      } else {
        chunk(in, available);
      }
      if (out < limit && available < end) {
        throw damaged(to, "compressed data ends inside a chunk");
      }
      in = end;
    }
  }

  private void chunk(int from, int end) {
    int in = from;
    int start = out;
    int stop = (int) Math.min(limit, (long) start + CHUNK);
    while (in < end) {
      int flags = input.u8(in++);
      for (int item = 0; item < 8 && in < end; item++, flags >>>= 1) {
        if (out == stop) {
          if (out == limit) {
            return;
          }
          throw damaged(in, "a chunk holds more than 4096 bytes");
        }
        if ((flags & 1) == 0) {
          output.put(out++, input.u8(in++));
          continue;
        }
        if (end - in < 2) {
          throw damaged(in, "a chunk ends inside a match");
        }
        int word = input.u16(in);
        int written = out - start;
        int lengthBits = 16 - Math.max(4, 32 - Integer.numberOfLeadingZeros(written - 1));
        int distance = (word >>> lengthBits) + 1;
        if (distance > written) {
          throw damaged(
              in, "match distance " + distance + " exceeds the " + written + " bytes of its chunk");
        }
        int length = (word & ((1 << lengthBits) - 1)) + 3;
        boolean fits = length <= stop - out;
        out = output.repeatWithin(out, distance, length, stop);
        if (!fits) {
          if (out == limit) {
            return;
          }
          throw damaged(in, "a chunk holds more than 4096 bytes");
        }
        in += 2;
      }
    }
  }

  private DamagedInput damaged(int at, String why) {
    return new DamagedInput(input.name(), input.base() + at, "LZNT1: " + why);
  }
}
