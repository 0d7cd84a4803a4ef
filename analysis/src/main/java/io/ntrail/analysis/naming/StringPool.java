package io.ntrail.analysis.naming;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Many texts in little memory: UTF-8 in chunks, found again by their place. */
public final class StringPool {
  private static final int CHUNK = 1 << 20;

  private final List<byte[]> chunks = new ArrayList<>();
  private int chunkUsed = CHUNK;
  private long bytes;

  /** Creates an empty pool. */
  public StringPool() {}

  /** Adds a text; returns its place, -1 if it is too long to be a name. */
  public long add(String text) {
    byte[] added = text.getBytes(StandardCharsets.UTF_8);
    if (added.length >= CHUNK) {
      return -1;
    }
    if (chunkUsed + added.length > CHUNK) {
      chunks.add(new byte[CHUNK]);
      chunkUsed = 0;
    }
    System.arraycopy(added, 0, chunks.getLast(), chunkUsed, added.length);
    long place = (long) (chunks.size() - 1) << 40 | (long) chunkUsed << 20 | added.length;
    chunkUsed += added.length;
    bytes += added.length;
    return place;
  }

  /** Returns the text at a place. */
  public String at(long place) {
    return new String(
        chunks.get((int) (place >>> 40)),
        (int) (place >>> 20) & 0xF_FFFF,
        (int) place & 0xF_FFFF,
        StandardCharsets.UTF_8);
  }

  /** Returns the bytes of all texts. */
  public long bytes() {
    return bytes;
  }
}
