package io.ntrail.testkit.ntr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The plain unpacker and zlib, which nobody here wrote, take and refuse the same streams. */
class ReferenceInflateTest {
  private static final int STREAMS = 20_000;
  private static final int MOST = 1 << 20;

  /**
   * Returns the bytes that zlib makes of a stream; null if it is damaged, or continues past its
   * end.
   */
  private static byte @Nullable [] zlib(byte[] stream) {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(stream);
      byte[] out = new byte[MOST];
      int size = inflater.inflate(out);
      return inflater.finished() && inflater.getRemaining() == 0 ? Arrays.copyOf(out, size) : null;
    } catch (DataFormatException e) {
      return null;
    } finally {
      inflater.end();
    }
  }

  private static void compare(byte[] stream) {
    byte[] expected = zlib(stream);
    if (expected == null) {
      assertThrows(NtrFormatException.class, () -> ReferenceInflate.unpack(stream));
    } else {
      assertArrayEquals(expected, ReferenceInflate.unpack(stream));
    }
  }

  private static byte[] packed(Gen gen) {
    Deflater deflater = new Deflater(gen.below(10), true);
    deflater.setStrategy(
        gen.oneOf(Deflater.DEFAULT_STRATEGY, Deflater.HUFFMAN_ONLY, Deflater.FILTERED));
    deflater.setInput(gen.bytes(400));
    deflater.finish();
    byte[] out = new byte[2000];
    int size = 0;
    while (!deflater.finished()) {
      size += deflater.deflate(out, size, out.length - size);
    }
    deflater.end();
    return Arrays.copyOf(out, size);
  }

  @Test
  void streamsAndWhatBecomesOfThemAreTakenAndRefusedAlike() {
    Property.check(
        STREAMS,
        gen -> {
          byte[] stream = packed(gen);
          for (int i = gen.below(4); i > 0; i--) {
            // Most in the head, where codes are described.
            stream[gen.below(gen.flag() ? stream.length : Math.min(12, stream.length))] ^=
                (byte) (1 << gen.below(8));
          }
          compare(stream);
        });
  }

  @Test
  void anyBytesAreTakenAndRefusedAlike() {
    Property.check(
        STREAMS,
        gen -> {
          byte[] stream = new byte[1 + gen.length(60)];
          for (int i = 0; i < stream.length; i++) {
            stream[i] = (byte) gen.below(256);
          }
          compare(stream);
        });
  }

  /** Fixed codes have 286 and 287, and distances 30 and 31, which mean nothing. */
  @Test
  void lengthsAndDistancesThatDoNotExistAreRefused() {
    for (String stream : new String[] {"1b0300", "1b0700", "4b043e00", "4b047e00"}) {
      byte[] bytes = HexFormat.of().parseHex(stream);
      compare(bytes);
      assertThrows(NtrFormatException.class, () -> ReferenceInflate.unpack(bytes));
    }
  }
}
