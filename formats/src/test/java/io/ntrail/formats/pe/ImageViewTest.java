package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView.Extent;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of an image whose extents follow one another, some with zeros after what was stored. */
class ImageViewTest {
  private static final ImageView VIEW =
      ImageView.of(
          "sketch",
          List.of(
              new Extent(0x1000, 6, Bytes.copyOf(new byte[] {1, 2, 3}, "first")),
              new Extent(0x1006, 2, Bytes.copyOf(new byte[] {4, 5, 6, 7}, "longer than it")),
              new Extent(0x1008, 3, Bytes.copyOf(new byte[0], "zeros alone")),
              new Extent(0x100B, 1, Bytes.copyOf(new byte[] {8}, "last"))));
  private static final byte[] ALL = {1, 2, 3, 0, 0, 0, 4, 5, 0, 0, 0, 8};

  @Test
  void bytesCrossExtentsAndTheirZeros() {
    for (int from = 0; from <= ALL.length; from++) {
      for (int to = from + 1; to <= ALL.length; to++) {
        byte[] expected = Arrays.copyOfRange(ALL, from, to);
        assertArrayEquals(
            expected, VIEW.bytes(0x1000 + from, to - from).array(0, to - from), from + ".." + to);
      }
    }
  }

  @Test
  void bytesBeyondTheLastExtentAreRefused() {
    assertThrows(DamagedInput.class, () -> VIEW.bytes(0x1009, 4));
    assertThrows(DamagedInput.class, () -> VIEW.bytes(0xFFF, 2));
  }
}
