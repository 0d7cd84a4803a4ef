package io.ntrail.live.simulation;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Memory in pages, which are there once they are written to. */
final class SimulatedMemory {
  private static final int PAGE = 0x1000;
  private static final int MOST_TEXT = 1024;

  private final Map<Long, byte[]> pages = new HashMap<>();

  /** Reads up to the first byte that is not there. */
  byte[] read(long address, int length) {
    byte[] bytes = new byte[length];
    int done = 0;
    while (done < length) {
      byte[] page = pages.get(address + done & -PAGE);
      if (page == null) {
        return Arrays.copyOf(bytes, done);
      }
      int from = (int) (address + done & PAGE - 1);
      int piece = Math.min(length - done, PAGE - from);
      System.arraycopy(page, from, bytes, done, piece);
      done += piece;
    }
    return bytes;
  }

  void write(long address, byte[] bytes) {
    int done = 0;
    while (done < bytes.length) {
      byte[] page = pages.computeIfAbsent(address + done & -PAGE, _ -> new byte[PAGE]);
      int from = (int) (address + done & PAGE - 1);
      int piece = Math.min(bytes.length - done, PAGE - from);
      System.arraycopy(bytes, done, page, from, piece);
      done += piece;
    }
  }

  /** Writes 8-byte numbers, one after the other. */
  void words(long address, long... values) {
    BytesBuilder words = new BytesBuilder(8 * values.length);
    for (long value : values) {
      words.u64(value);
    }
    write(address, words.toArray());
  }

  /** Makes bytes zero. */
  void zeros(long address, int length) {
    write(address, new byte[length]);
  }

  /** Reads an 8-bit text up to its NUL. */
  String text(long address) {
    byte[] bytes = read(address, MOST_TEXT);
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /** Reads a 16-bit text up to its NUL. */
  String wideText(long address) {
    byte[] read = read(address, MOST_TEXT);
    Bytes bytes = Bytes.copyOf(read, "text");
    return bytes.utf16z(0, read.length & ~1);
  }
}
