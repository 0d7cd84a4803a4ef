package io.ntrail.testkit.code;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Stretches of code in one array. A chunk is decoded by itself: no instruction crosses its end. The
 * arrays are handed over and out as they are; they are never written to.
 */
public final class CodeChunks {
  private final byte[] bytes;
  private final int[] offsets;
  private final int[] lengths;

  /**
   * Chunks of an array.
   *
   * @param bytes all bytes
   * @param offsets where each chunk begins in them
   * @param lengths how long each is
   */
  public CodeChunks(byte[] bytes, int[] offsets, int[] lengths) {
    this.bytes = bytes;
    this.offsets = offsets;
    this.lengths = lengths;
  }

  /** All bytes, also those of no chunk. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the offset of each chunk. */
  public int[] offsets() {
    return offsets;
  }

  /** Returns the length of each. */
  public int[] lengths() {
    return lengths;
  }

  /** Each string as a chunk. */
  public static CodeChunks of(byte[][] strings) {
    int[] offsets = new int[strings.length];
    int[] lengths = new int[strings.length];
    int size = 0;
    for (int i = 0; i < strings.length; i++) {
      offsets[i] = size;
      lengths[i] = strings[i].length;
      size += lengths[i];
    }
    byte[] bytes = new byte[size];
    for (int i = 0; i < strings.length; i++) {
      System.arraycopy(strings[i], 0, bytes, offsets[i], lengths[i]);
    }
    return new CodeChunks(bytes, offsets, lengths);
  }

  /** Number of chunks. */
  public int count() {
    return offsets.length;
  }

  /** Bytes of all chunks. */
  public long size() {
    return Arrays.stream(lengths).asLongStream().sum();
  }

  /** Writes count, offsets and lengths, and the bytes, as the oracle programs read them. */
  public void write(Path file) throws IOException {
    LittleEndian out = new LittleEndian(4 + 8 * count() + bytes.length);
    out.u32(count());
    for (int i = 0; i < count(); i++) {
      out.u32(offsets[i]).u32(lengths[i]);
    }
    Files.write(file, out.bytes(bytes).toByteArray());
  }
}
