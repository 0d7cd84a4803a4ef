package io.ntrail.testkit.compress;

import io.ntrail.testkit.LittleEndian;

/**
 * LZ77 with Huffman codes (MS-XCA 2.1): chunks of 65,536 bytes of output, each with its own table
 * of 512 code lengths; matches reach back over chunk borders but end at them.
 */
public final class XpressHuffmanEncoder {
  private static final int CHUNK = 65536;
  private static final int FARTHEST = 65535;
  private static final int SYMBOLS = 512;
  private static final int END = 256;
  private static final int LONGEST_CODE = 15;

  private final LittleEndian out;
  private int word;
  private int free;
  private int wordAt;
  private int nextWordAt;

  private XpressHuffmanEncoder(int size) {
    out = new LittleEndian(size + 512);
  }

  /** The compressed form of {@code data}, closed by the end symbol. */
  public static byte[] compress(byte[] data) {
    XpressHuffmanEncoder encoder = new XpressHuffmanEncoder(data.length);
    MatchFinder finder = new MatchFinder(data, FARTHEST);
    int start = 0;
    do {
      int end = Math.min(start + CHUNK, data.length);
      encoder.chunk(data, start, end, finder, end == data.length);
      start = end;
    } while (start < data.length);
    return encoder.out.toByteArray();
  }

  private void chunk(byte[] data, int start, int end, MatchFinder finder, boolean last) {
    // Two numbers an item: length and distance of a match, or 0 and the literal.
    int[] items = new int[2 * (end - start) + 2];
    int count = 0;
    int[] frequency = new int[SYMBOLS];
    for (int at = start; at < end; ) {
      int length = finder.find(at, 0, end, Integer.MAX_VALUE);
      if (length == 0) {
        items[count++] = 0;
        items[count++] = data[at] & 0xFF;
        frequency[data[at] & 0xFF]++;
        at++;
      } else {
        items[count++] = length;
        items[count++] = finder.distance();
        frequency[symbol(length, finder.distance())]++;
        at += length;
      }
    }
    if (last) {
      frequency[END]++;
    }
    int[] lengths = PrefixCode.lengths(frequency, LONGEST_CODE);
    int[] codes = PrefixCode.codes(lengths);
    for (int i = 0; i < SYMBOLS; i += 2) {
      out.u8(lengths[i] | lengths[i + 1] << 4);
    }
    startBits();
    for (int i = 0; i < count; i += 2) {
      int length = items[i];
      int value = items[i + 1];
      int symbol = length == 0 ? value : symbol(length, value);
      bits(lengths[symbol], codes[symbol]);
      if (length != 0) {
        lengthBytes(length - 3);
        int distanceBits = 31 - Integer.numberOfLeadingZeros(value);
        bits(distanceBits, value - (1 << distanceBits));
      }
    }
    if (last) {
      bits(lengths[END], codes[END]);
    }
    endBits();
  }

  private static int symbol(int length, int distance) {
    int distanceBits = 31 - Integer.numberOfLeadingZeros(distance);
    return 256 + distanceBits * 16 + Math.min(length - 3, 15);
  }

  private void lengthBytes(int rest) {
    if (rest < 15) {
      return;
    }
    if (rest - 15 < 255) {
      out.u8(rest - 15);
    } else {
      // A match ends at its chunk's border, so 16 bits always suffice.
      out.u8(255).u16(rest);
    }
  }

  private void startBits() {
    word = 0;
    free = 16;
    wordAt = out.size();
    nextWordAt = wordAt + 2;
    out.u32(0);
  }

  /** A decoder holds two words in advance, so words are placed two before the length bytes. */
  private void bits(int count, int value) {
    if (count <= free) {
      free -= count;
      word = word << count | value;
      return;
    }
    int over = count - free;
    out.setU16(wordAt, word << free | value >> over);
    wordAt = nextWordAt;
    nextWordAt = out.size();
    out.u16(0);
    word = value & ((1 << over) - 1);
    free = 16 - over;
  }

  private void endBits() {
    out.setU16(wordAt, word << free);
  }
}
