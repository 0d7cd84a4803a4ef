package io.ntrail.formats.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Compressed bytes come out again, by two readers of the format. */
class XpressCompressorTest {
  private final XpressCompressor encoder = new XpressCompressor();

  private void mustComeBack(byte[] bytes) {
    int length = encoder.compress(bytes, 0, bytes.length);
    if (length < 0) {
      return;
    }
    assertTrue(length < bytes.length);
    byte[] packed = Arrays.copyOf(encoder.output(), length);
    assertArrayEquals(bytes, PlainXpress.unpack(packed, bytes.length));
    try (Unpacking unpacking = new Unpacking(Math.max(1, bytes.length))) {
      assertArrayEquals(bytes, unpacking.unpack(Compression.XPRESS, packed, bytes.length).output());
    }
  }

  @Test
  void theVectorOfTheSpecificationIsWhatIsWritten() {
    byte[] text = "abc".repeat(100).getBytes(StandardCharsets.US_ASCII);
    int length = encoder.compress(text, 0, text.length);
    assertEquals(
        "ffffff1f61626317000fff2601", HexFormat.of().formatHex(encoder.output(), 0, length));
  }

  @Test
  void bytesThatDoNotGetFewerAreNotCompressed() {
    byte[] text = "abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
    assertEquals(-1, encoder.compress(text, 0, text.length));
    assertEquals(-1, encoder.compress(text, 0, 0));
  }

  @Test
  void longestAndShortestMatchesComeBack() {
    for (int length :
        new int[] {4, 9, 10, 11, 24, 25, 26, 279, 280, 281, 65_538, 65_539, 200_000}) {
      byte[] bytes = new byte[length + 3];
      bytes[0] = 1;
      bytes[length + 2] = 2;
      mustComeBack(bytes);
    }
  }

  @Test
  void anyBytesComeBack() {
    Property.check(
        300,
        g -> {
          int length = (int) g.between(0, 3000);
          byte[] bytes = new byte[length];
          int letters = 1 + g.below(6);
          int place = 0;
          while (place < length) {
            int run = (int) g.between(1, 40);
            boolean isCopy = place > 0 && g.flag();
            int from = isCopy ? g.below(place) : 0;
            for (int i = 0; i < run && place < length; i++, place++) {
              bytes[place] = isCopy ? bytes[from + i] : (byte) g.below(letters);
            }
          }
          mustComeBack(bytes);
        });
  }
}
