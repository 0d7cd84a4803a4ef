package io.ntrail.formats.compression;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;

/**
 * Any input ends in bytes or in damage, writes nothing beyond its limit, and what comes out is what
 * the plain decoder makes of it. The first two bytes are the limit, the rest is compressed.
 */
class XpressFuzzTest {
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
    byte[] expected = PlainXpress.unpack(packed, limit);
    byte[] found = unpacking.unpack(Compression.XPRESS, packed, limit).output();
    if (!Arrays.equals(expected, found)) {
      throw new AssertionError("differs from the plain decoder");
    }
  }
}
