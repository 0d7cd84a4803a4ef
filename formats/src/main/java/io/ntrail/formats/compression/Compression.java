package io.ntrail.formats.compression;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.NativeBuffer;

/**
 * One way of compressing, with the number that {@code RtlDecompressBuffer} and MS-XCA give it.
 *
 * <p>All are stateless and may be used by several threads at once.
 */
public enum Compression {
  /** COMPRESSION_FORMAT_LZNT1. */
  LZNT1(2),
  /** COMPRESSION_FORMAT_XPRESS: plain LZ77. */
  XPRESS(3),
  /** COMPRESSION_FORMAT_XPRESS_HUFF: LZ77 with Huffman. */
  XPRESS_HUFF(4);

  private final int number;

  Compression(int number) {
    this.number = number;
  }

  /** The number in files. */
  public int number() {
    return number;
  }

  /** Decompresses one buffer; who has several keeps the {@link WorkArrays}. */
  public int decompress(Bytes input, int from, int to, NativeBuffer output, int outputLength) {
    return decompress(input, from, to, output, outputLength, new WorkArrays());
  }

  /**
   * Decompresses until {@code outputLength} bytes are written or the input ends.
   *
   * @param input the window that holds the compressed bytes
   * @param from their start in {@code input}
   * @param to their end
   * @param output written from index 0 on; never beyond {@code outputLength}. After the bytes that
   *     it reports as {@link NativeBuffer#filled()} and before {@code outputLength} anything may be
   *     left
   * @param arrays to work in
   * @return the number of bytes written; less than {@code outputLength} if the input ended cleanly
   *     before
   * @throws io.ntrail.formats.bytes.DamagedInput if the input is not of this compression; what was
   *     written until then is in {@code output}, and its length in {@link NativeBuffer#filled()}
   * @throws IllegalArgumentException if {@code from} to {@code to} is not inside {@code input}, or
   *     {@code outputLength} is negative or more than fits into {@code output}
   */
  public int decompress(
      Bytes input, int from, int to, NativeBuffer output, int outputLength, WorkArrays arrays) {
    if (from < 0 || from > to || to > input.length()) {
      throw new IllegalArgumentException(
          "no window " + from + " to " + to + " in " + input.length() + " bytes");
    }
    if (outputLength < 0 || outputLength > output.capacity()) {
      throw new IllegalArgumentException(
          "no room for " + outputLength + " bytes in " + output.capacity());
    }
    return switch (this) {
      case LZNT1 -> Lznt1.decompress(input, from, to, output, outputLength);
      case XPRESS -> Xpress.decompress(input, from, to, output, outputLength, arrays);
      case XPRESS_HUFF -> XpressHuffman.decompress(input, from, to, output, outputLength);
    };
  }
}
