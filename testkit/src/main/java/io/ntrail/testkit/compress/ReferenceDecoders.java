package io.ntrail.testkit.compress;

import java.io.ByteArrayOutputStream;

/** Slow decoders, written from the format's prose alone and sharing nothing with the encoders. */
public final class ReferenceDecoders {
  private final byte[] in;
  private int at;

  private ReferenceDecoders(byte[] in) {
    this.in = in;
  }

  private int u8() {
    return in[at++] & 0xFF;
  }

  private int u16() {
    int low = u8();
    return low | u8() << 8;
  }

  private long u32() {
    long low = u16();
    return low | (long) u16() << 16;
  }

  /** Plain LZ77 until {@code size} bytes are there. */
  public static byte[] xpress(byte[] packed, int size) {
    ReferenceDecoders d = new ReferenceDecoders(packed);
    byte[] out = new byte[size];
    int o = 0;
    int half = -1;
    while (o < size) {
      long flags = d.u32();
      for (int bit = 31; bit >= 0 && o < size; bit--) {
        if ((flags >>> bit & 1) == 0) {
          out[o++] = (byte) d.u8();
          continue;
        }
        int m = d.u16();
        int distance = (m >> 3) + 1;
        long length = m & 7;
        if (length == 7) {
          if (half < 0) {
            half = d.u8();
            length = half & 15;
          } else {
            length = half >> 4;
            half = -1;
          }
          if (length == 15) {
            length = d.u8();
            if (length == 255) {
              length = d.u16();
              if (length == 0) {
                length = d.u32();
              }
              if (length < 22) {
                throw new IllegalStateException("long form for a short length");
              }
              length -= 22;
            }
            length += 15;
          }
          length += 7;
        }
        for (length += 3; length > 0; length--) {
          out[o] = out[o - distance];
          o++;
        }
      }
    }
    return out;
  }

  /** LZNT1 until the input ends. */
  public static byte[] lznt1(byte[] packed) {
    ReferenceDecoders d = new ReferenceDecoders(packed);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (d.at + 2 <= packed.length) {
      int header = d.u16();
      if (header == 0) {
        break;
      }
      if ((header >> 12 & 7) != 3) {
        throw new IllegalStateException("signature " + header);
      }
      int end = d.at + (header & 0xFFF) + 1;
      byte[] out = new byte[4096];
      int o = 0;
      if ((header & 0x8000) == 0) {
        while (d.at < end) {
          out[o++] = (byte) d.u8();
        }
      }
      while (d.at < end) {
        int flags = d.u8();
        for (int bit = 0; bit < 8 && d.at < end; bit++) {
          if ((flags >> bit & 1) == 0) {
            out[o++] = (byte) d.u8();
            continue;
          }
          int t = d.u16();
          int bits = 4;
          while ((1 << bits) < o) {
            bits++;
          }
          int distance = (t >> (16 - bits)) + 1;
          for (int n = (t & ((1 << (16 - bits)) - 1)) + 3; n > 0; n--) {
            out[o] = out[o - distance];
            o++;
          }
        }
      }
      all.write(out, 0, o);
    }
    return all.toByteArray();
  }

  /** LZ77 with Huffman codes until {@code size} bytes are there. */
  public static byte[] xpressHuffman(byte[] packed, int size) {
    ReferenceDecoders d = new ReferenceDecoders(packed);
    byte[] out = new byte[size];
    int o = 0;
    while (o < size) {
      int[] lengths = new int[512];
      for (int i = 0; i < 256; i++) {
        int two = d.u8();
        lengths[2 * i] = two & 15;
        lengths[2 * i + 1] = two >> 4;
      }
      // Every 15-bit prefix has exactly one symbol; a wrong table shows as a gap or an overrun.
      int[] symbolOf = new int[1 << 15];
      int slot = 0;
      for (int length = 1; length <= 15; length++) {
        for (int s = 0; s < 512; s++) {
          if (lengths[s] == length) {
            for (int i = 0; i < 1 << (15 - length); i++) {
              symbolOf[slot++] = s;
            }
          }
        }
      }
      if (slot != 1 << 15) {
        throw new IllegalStateException("codes fill " + slot);
      }
      long bits = (long) d.u16() << 16 | d.u16();
      int extra = 16;
      int end = Math.min(size, (o / 65536 + 1) * 65536);
      while (o < end) {
        int symbol = symbolOf[(int) (bits >>> 17 & 0x7FFF)];
        int used = lengths[symbol];
        bits = bits << used & 0xFFFF_FFFFL;
        extra -= used;
        if (extra < 0) {
          bits |= (long) d.u16() << -extra;
          extra += 16;
        }
        if (symbol < 256) {
          out[o++] = (byte) symbol;
          continue;
        }
        int length = (symbol - 256) & 15;
        int distanceBits = (symbol - 256) >> 4;
        if (length == 15) {
          length = d.u8();
          if (length == 255) {
            length = d.u16();
            if (length < 15) {
              throw new IllegalStateException("long form for a short length");
            }
            length -= 15;
          }
          length += 15;
        }
        int distance = (1 << distanceBits) + (int) (bits >>> (32 - distanceBits));
        bits = bits << distanceBits & 0xFFFF_FFFFL;
        extra -= distanceBits;
        if (extra < 0) {
          bits |= (long) d.u16() << -extra;
          extra += 16;
        }
        for (int n = length + 3; n > 0; n--) {
          out[o] = out[o - distance];
          o++;
        }
      }
    }
    return out;
  }
}
