package io.ntrail.formats.compression;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;

/**
 * Any input ends in bytes or in damage, writes nothing beyond its limit, and a smaller limit gives
 * the beginning of what a larger one does. The first two bytes are the limit, the rest is
 * compressed.
 */
class XpressHuffmanFuzzTest {
  private static final int LIMIT = 0xFFFF;

  private final Unpacking unpacking = new Unpacking(LIMIT);

  @AfterEach
  void giveMemoryBack() {
    unpacking.close();
  }

  @FuzzTest(maxDuration = "60s")
  void anythingIsUnpackedOrRefused(byte[] data) {
    if (data.length < 2) {
      return;
    }
    int limit = (data[0] & 0xFF) << 8 | (data[1] & 0xFF);
    byte[] packed = Arrays.copyOfRange(data, 2, data.length);
    byte[] full = unpacking.unpack(Compression.XPRESS_HUFF, packed, LIMIT).output();
    int shorter = Math.min(limit, full.length);
    byte[] part = unpacking.unpack(Compression.XPRESS_HUFF, packed, shorter).output();
    if (!Arrays.equals(part, Arrays.copyOf(full, shorter))) {
      throw new AssertionError("a smaller limit gives other bytes");
    }
  }
}
