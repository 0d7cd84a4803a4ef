package io.ntrail.testkit.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EncodersTest {
  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static List<byte[]> inputs() {
    List<byte[]> all = new ArrayList<>();
    all.add(ascii("abcdefghijklmnopqrstuvwxyz"));
    all.add(ascii("abc".repeat(100)));
    all.add(ascii("a"));
    all.add(new byte[200_000]);
    all.add(new byte[65_536]);
    all.add(new byte[65_537]);
    all.add(new byte[4096]);
    SplittableRandom random = new SplittableRandom(11);
    byte[] noise = new byte[70_000];
    random.nextBytes(noise);
    all.add(noise);
    // Repeats of every length around the borders of the length forms, each after fresh noise.
    byte[] mixed = new byte[400_000];
    int at = 0;
    for (int round = 0; at < mixed.length; round++) {
      int fresh = Math.min(mixed.length - at, 1 + random.nextInt(40));
      for (int i = 0; i < fresh; i++) {
        mixed[at++] = (byte) random.nextInt(round % 3 == 0 ? 256 : 6);
      }
      int copy = Math.min(mixed.length - at, 3 + (round * 7) % 700);
      int from = Math.max(0, at - 1 - random.nextInt(9000));
      for (int i = 0; i < copy; i++) {
        mixed[at++] = mixed[from + i];
      }
    }
    all.add(mixed);
    // Weights that grow as Fibonacci's numbers ask for codes longer than 15 bits.
    byte[] skewed = new byte[60_000];
    int place = 0;
    int one = 1;
    int two = 1;
    for (int symbol = 0; place < skewed.length; symbol++) {
      for (int i = 0; i < one && place < skewed.length; i++) {
        skewed[place++] = (byte) symbol;
      }
      int next = one + two;
      one = two;
      two = next;
    }
    for (int i = skewed.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      byte swap = skewed[i];
      skewed[i] = skewed[j];
      skewed[j] = swap;
    }
    all.add(skewed);
    return all;
  }

  @Test
  void everyEncoderComesBack() {
    for (byte[] input : inputs()) {
      String what = input.length + " bytes";
      assertArrayEquals(
          input, ReferenceDecoders.xpress(XpressEncoder.compress(input), input.length), what);
      assertArrayEquals(input, ReferenceDecoders.lznt1(Lznt1Encoder.compress(input)), what);
      assertArrayEquals(
          input,
          ReferenceDecoders.xpressHuffman(XpressHuffmanEncoder.compress(input), input.length),
          what);
    }
  }

  @Test
  void xpressWritesTheVectorsOfTheSpecification() {
    assertArrayEquals(
        HexFormat.of()
            .parseHex("3f000000" + "6162636465666768696a6b6c6d6e6f707172737475767778797a"),
        XpressEncoder.compress(ascii("abcdefghijklmnopqrstuvwxyz")));
    assertArrayEquals(
        HexFormat.of().parseHex("ffffff1f61626317000fff2601"),
        XpressEncoder.compress(ascii("abc".repeat(100))));
  }

  @Test
  void huffmanDecodersAgreeOnTheSpecificationsVector() {
    byte[] packed = new byte[276];
    byte[] table = HexFormat.of().parseHex("5055555555555555555555454404");
    System.arraycopy(table, 0, packed, 48, table.length);
    packed[128] = 4;
    byte[] stream = HexFormat.of().parseHex("d8523ed794115be9195ff9d67cdf8d0400000000");
    System.arraycopy(stream, 0, packed, 256, stream.length);
    assertArrayEquals(
        ascii("abcdefghijklmnopqrstuvwxyz"), ReferenceDecoders.xpressHuffman(packed, 26));
  }

  @Test
  void zerosShrinkAndNoiseIsStored() {
    assertTrue(XpressEncoder.compress(new byte[200_000]).length < 32);
    assertTrue(XpressHuffmanEncoder.compress(new byte[200_000]).length < 4 * 300);
    assertTrue(Lznt1Encoder.compress(new byte[40_960]).length < 10 * 12);
    byte[] noise = new byte[8192];
    new SplittableRandom(1).nextBytes(noise);
    byte[] stored = Lznt1Encoder.compress(noise);
    assertArrayEquals(Arrays.copyOf(noise, 4096), Arrays.copyOfRange(stored, 2, 4098));
  }
}
