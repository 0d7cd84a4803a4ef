package io.ntrail.testkit.compress;

import io.ntrail.testkit.LittleEndian;

/**
 * Plain LZ77, called XPRESS by Windows (MS-XCA 2.3): flags of 32 items, matches of 16 bits with
 * distances to 8,192, lengths in 3 bits, then a shared nibble, a byte, 16 or 32 bits.
 */
public final class XpressEncoder {
  private static final int FARTHEST = 8192;

  private final LittleEndian out;
  private int flags;
  private int flagCount;
  private int flagsAt;
  private int halfByteAt = -1;

  private XpressEncoder(int size) {
    out = new LittleEndian(size + 64).u32(0);
  }

  /** The compressed form of {@code data}. */
  public static byte[] compress(byte[] data) {
    XpressEncoder encoder = new XpressEncoder(data.length);
    MatchFinder finder = new MatchFinder(data, FARTHEST);
    int at = 0;
    while (at < data.length) {
      int length = finder.find(at, 0, data.length, Integer.MAX_VALUE);
      if (length == 0) {
        encoder.out.u8(data[at]);
        encoder.flag(0);
        at++;
      } else {
        encoder.match(finder.distance(), length);
        encoder.flag(1);
        at += length;
      }
    }
    return encoder.finish();
  }

  private void flag(int bit) {
    flags = flags << 1 | bit;
    if (++flagCount == 32) {
      out.setU32(flagsAt, flags);
      flagsAt = out.size();
      out.u32(0);
      flags = 0;
      flagCount = 0;
    }
  }

  private void match(int distance, int length) {
    int rest = length - 3;
    out.u16((distance - 1) << 3 | Math.min(rest, 7));
    if (rest < 7) {
      return;
    }
    nibble(Math.min(rest - 7, 15));
    if (rest - 7 < 15) {
      return;
    }
    if (rest - 22 < 255) {
      out.u8(rest - 22);
      return;
    }
    out.u8(255);
    // From here on the length stands whole, without what the shorter forms have covered.
    if (rest <= 0xFFFF) {
      out.u16(rest);
    } else {
      out.u16(0).u32(rest);
    }
  }

  private void nibble(int value) {
    if (halfByteAt < 0) {
      halfByteAt = out.size();
      out.u8(value);
    } else {
      out.orU8(halfByteAt, value << 4);
      halfByteAt = -1;
    }
  }

  private byte[] finish() {
    // Unused flags are ones: a match where the input ends is the end.
    int unused = 32 - flagCount;
    int filled = flagCount == 0 ? -1 : flags << unused | ((1 << unused) - 1);
    return out.setU32(flagsAt, filled).toByteArray();
  }
}
