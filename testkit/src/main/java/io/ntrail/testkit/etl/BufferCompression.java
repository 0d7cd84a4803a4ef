package io.ntrail.testkit.etl;

import io.ntrail.testkit.compress.Lznt1Encoder;
import io.ntrail.testkit.compress.XpressEncoder;
import io.ntrail.testkit.compress.XpressHuffmanEncoder;

/** Compressions of buffers, by the numbers of RtlCompressBuffer. */
public enum BufferCompression {
  /** Not at all. */
  NONE(0),
  /** LZNT1. */
  LZNT1(2),
  /** Plain LZ77, what Windows' own mergers write. */
  XPRESS(3),
  /** LZ77 with Huffman codes. */
  XPRESS_HUFF(4);

  private final int number;

  BufferCompression(int number) {
    this.number = number;
  }

  /** The number in the low 16 bits of the first buffer's State. */
  public int number() {
    return number;
  }

  /** The compressed form of {@code data}. */
  public byte[] compress(byte[] data) {
    return switch (this) {
      case NONE -> data.clone();
      case LZNT1 -> Lznt1Encoder.compress(data);
      case XPRESS -> XpressEncoder.compress(data);
      case XPRESS_HUFF -> XpressHuffmanEncoder.compress(data);
    };
  }
}
