package io.ntrail.formats.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Buffers that Windows compressed. */
class RealBuffersTest {
  /** One compressed buffer of a recording. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Packed(byte[] bytes, int plainLength) {}

  @Test
  void everyBufferOfARecordingUnpacksToRecordsFromEndToEnd() throws IOException {
    Assumptions.assumeTrue(TestData.folder().isPresent(), "no test data on this machine");
    List<Packed> buffers = compressedBuffers(TestData.gunzip("etl/perfview-net452-x64.etl.gz"));
    assertEquals(359, buffers.size());
    long total = 0;
    try (Unpacking unpacking = new Unpacking(1 << 20)) {
      for (Packed packed : buffers) {
        var result =
            unpacking.unpack(Compression.XPRESS, packed.bytes(), packed.plainLength() + 100);
        assertNull(result.damage());
        assertEquals(packed.plainLength(), result.output().length);
        assertRecordsFillIt(result.output());
        total += result.output().length;
      }
    }
    assertEquals(23_016_304, total);
  }

  @Test
  void aRealBufferCutShortGivesTheBeginningOfTheWhole() throws IOException {
    Assumptions.assumeTrue(TestData.folder().isPresent(), "no test data on this machine");
    Packed packed = compressedBuffers(TestData.gunzip("etl/perfview-net452-x64.etl.gz")).getFirst();
    byte[] whole = Unpacking.whole(Compression.XPRESS, packed.bytes(), packed.plainLength());
    try (Unpacking unpacking = new Unpacking(packed.plainLength())) {
      for (int limit = 0; limit < packed.plainLength(); limit += 97) {
        var result = unpacking.unpack(Compression.XPRESS, packed.bytes(), limit);
        assertEquals(-1, Arrays.mismatch(result.output(), Arrays.copyOf(whole, limit)));
      }
    }
  }

  /** Cuts an .etl file into buffers on its own account, and keeps those with the flag 0x40. */
  static List<Packed> compressedBuffers(byte[] file) {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    List<Packed> buffers = new ArrayList<>();
    for (int at = 0; at + 72 <= file.length; at += in.getInt(at)) {
      if ((in.getShort(at + 0x34) & 0x40) != 0) {
        buffers.add(
            new Packed(
                Arrays.copyOfRange(file, at + 72, at + in.getInt(at)), in.getInt(at + 4) - 72));
      }
    }
    return buffers;
  }

  /** Every record of the kinds in this file has its marker, and the sizes add up to the whole. */
  private static void assertRecordsFillIt(byte[] records) {
    ByteBuffer in = ByteBuffer.wrap(records).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (at < records.length) {
      assertEquals(0xC0, records[at + 3] & 0xFF, "marker at " + at);
      int kind = records[at + 2];
      boolean sizeFirst = (kind >= 10 && kind <= 15) || kind >= 18;
      int size = in.getShort(sizeFirst ? at : at + 4) & 0xFFFF;
      assertTrue(size >= 16, "size " + size + " at " + at);
      at += (size + 7) & -8;
    }
    assertEquals(records.length, at);
  }
}
