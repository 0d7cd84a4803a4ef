package io.ntrail.testkit.compress;

import io.ntrail.testkit.LittleEndian;

/**
 * LZNT1 (MS-XCA 2.5): chunks of 4,096 bytes, each compressed by itself or stored, matches of 16
 * bits whose split between distance and length moves with the position in the chunk.
 */
public final class Lznt1Encoder {
  private static final int CHUNK = 4096;
  private static final int SIGNATURE = 0x3000;

  private Lznt1Encoder() {}

  /** The compressed form of {@code data}, without a terminating zero chunk. */
  public static byte[] compress(byte[] data) {
    LittleEndian out = new LittleEndian(data.length + 64);
    MatchFinder finder = new MatchFinder(data, CHUNK);
    for (int start = 0; start < data.length; start += CHUNK) {
      int end = Math.min(start + CHUNK, data.length);
      byte[] packed = chunk(data, start, end, finder);
      if (packed.length < end - start) {
        out.u16((packed.length - 1) | SIGNATURE | 0x8000).bytes(packed);
      } else {
        out.u16((end - start - 1) | SIGNATURE);
        out.bytes(java.util.Arrays.copyOfRange(data, start, end));
      }
    }
    return out.toByteArray();
  }

  private static byte[] chunk(byte[] data, int start, int end, MatchFinder finder) {
    LittleEndian out = new LittleEndian(CHUNK + 600);
    int flagsAt = 0;
    int items = 0;
    int at = start;
    while (at < end) {
      if (items % 8 == 0) {
        flagsAt = out.size();
        out.u8(0);
      }
      int distanceBits = 4;
      while (1 << distanceBits < at - start) {
        distanceBits++;
      }
      int lengthBits = 16 - distanceBits;
      int length = finder.find(at, start, end, (1 << lengthBits) - 1 + 3);
      if (length == 0) {
        out.u8(data[at]);
        at++;
      } else {
        out.orU8(flagsAt, 1 << (items % 8));
        out.u16((finder.distance() - 1) << lengthBits | (length - 3));
        at += length;
      }
      items++;
    }
    return out.toByteArray();
  }
}
