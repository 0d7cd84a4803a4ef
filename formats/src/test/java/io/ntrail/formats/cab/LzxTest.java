package io.ntrail.formats.cab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.cab.Cabinets.Unpacked;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.cab.CabinetWriter;
import io.ntrail.testkit.compress.LzxEncoder;
import io.ntrail.testkit.compress.LzxEncoder.Block;
import io.ntrail.testkit.compress.LzxEncoder.Coding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * LZX as the encoder of the testkit writes it; that cabextract and 7z read the same from it is
 * shown by {@link CabinetToolsTest}.
 */
class LzxTest {
  private static byte[] roundTrip(byte[] data, int windowBits, int translation, Block... blocks) {
    byte[] cabinet =
        new CabinetWriter()
            .lzx(data, windowBits, translation, List.of(blocks))
            .file("data", 0, data.length)
            .write();
    return Cabinets.contents(cabinet).bytes("data");
  }

  /** Unpacks an LZX folder of these bits. */
  private static Unpacked unpack(String bits, int size, int windowBits) {
    String words = bits.replace(" ", "");
    byte[] packed = new byte[(words.length() + 15) / 16 * 2];
    for (int i = 0; i < words.length(); i++) {
      if (words.charAt(i) == '1') {
        packed[i / 16 * 2 + (i % 16 < 8 ? 1 : 0)] |= (byte) (0x80 >>> i % 8);
      }
    }
    byte[] cabinet =
        new CabinetWriter()
            .folder(
                CabinetWriter.lzxType(windowBits), List.of(new CabinetWriter.Block(packed, size)))
            .file("data", 0, size)
            .write();
    return Cabinets.contents(cabinet).file("data");
  }

  private static byte[] noise(int seed, int size) {
    byte[] data = new byte[size];
    new Random(seed).nextBytes(data);
    return data;
  }

  @Test
  void encodedDataRoundTrips() {
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 2000 : 150,
        g -> {
          byte[] data = Packable.data(g, 300_000);
          int windowBits = (int) g.between(15, 21);
          int translation = g.oneOf(0, 12_000_000, data.length, 1);
          List<Block> blocks = Packable.blocks(g, data.length);
          assertArrayEquals(
              data, roundTrip(data, windowBits, translation, blocks.toArray(Block[]::new)));
        });
  }

  /** Noise, and the same noise so far after it. */
  private static byte[] farRepetition(int distance) {
    byte[] noise = noise(distance, 300);
    byte[] data = new byte[distance + noise.length];
    System.arraycopy(noise, 0, data, 0, noise.length);
    System.arraycopy(noise, 0, data, distance, noise.length);
    return data;
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 18, 19, 20, 21})
  void matchesReachBackAsFarAsTheWindow(int windowBits) {
    int farthest = (1 << windowBits) - 3;
    Block block = new Block(Coding.VERBATIM, (1 << 24) - 1);
    byte[] reached = farRepetition(farthest);
    byte[] beyond = farRepetition(farthest + 1);
    assertArrayEquals(reached, roundTrip(reached, windowBits, 0, block));
    assertArrayEquals(beyond, roundTrip(beyond, windowBits, 0, block));
    int packed = packed(reached, windowBits, block);
    assertTrue(packed + 200 < packed(beyond, windowBits, block), "the far match is one: " + packed);
  }

  private static int packed(byte[] data, int windowBits, Block block) {
    return LzxEncoder.compress(data, windowBits, 0, List.of(block)).stream()
        .mapToInt(frame -> frame.length)
        .sum();
  }

  @ParameterizedTest
  @EnumSource(Coding.class)
  void aBlockSpansManyFrames(Coding coding) {
    byte[] data = noise(1, 200_001);
    System.arraycopy(data, 100, data, 90_000, 80_000);
    assertArrayEquals(data, roundTrip(data, 18, 0, new Block(coding, 200_001)));
  }

  @Test
  void anUncompressedBlockOfOddLengthMayEndWithItsFrame() {
    byte[] data = noise(2, 100_000);
    assertArrayEquals(
        data,
        roundTrip(
            data,
            16,
            0,
            new Block(Coding.VERBATIM, 1),
            new Block(Coding.UNCOMPRESSED, 32_767),
            new Block(Coding.UNCOMPRESSED, 3),
            new Block(Coding.ALIGNED, 32_765),
            new Block(Coding.UNCOMPRESSED, 34_465)));
  }

  @Test
  void callsAreTranslatedUpToTenBytesBeforeTheEndOfAFrame() {
    for (int place : List.of(0, 1000, 32_757, 32_758, 32_763, 32_767, 32_768, 65_000)) {
      byte[] data = new byte[70_000];
      data[place] = (byte) 0xE8;
      data[place + 2] = 1;
      assertArrayEquals(
          data,
          roundTrip(data, 15, 12_000_000, new Block(Coding.VERBATIM, data.length)),
          "" + place);
    }
  }

  @Test
  void targetsWrapAroundAtBothEndsOfTheTranslation() {
    int size = 1 << 20;
    int place = 40_000;
    for (int relative :
        List.of(-place - 1, -place, -1, 0, size - place - 1, size - place, size - 1, size)) {
      byte[] data = new byte[50_000];
      data[place] = (byte) 0xE8;
      LittleEndian.putU32(data, place + 1, relative);
      assertArrayEquals(
          data,
          roundTrip(data, 15, size, new Block(Coding.VERBATIM, data.length)),
          "target " + relative);
    }
  }

  @Test
  void aBlockAfterAPartialBlockIsDamage() {
    List<byte[]> frames =
        LzxEncoder.compress(noise(4, 1000), 15, 0, List.of(new Block(Coding.VERBATIM, 1000)));
    CabinetWriter.Block frame = new CabinetWriter.Block(frames.getFirst(), 1000);
    byte[] cabinet =
        new CabinetWriter()
            .folder(CabinetWriter.lzxType(15), List.of(frame, frame))
            .file("data", 0, 2000)
            .write();
    Unpacked unpacked = Cabinets.contents(cabinet).file("data");
    assertEquals(1000, unpacked.bytes().length);
    assertTrue(
        unpacked.damage().endsWith("LZX: a block follows a partial block"), unpacked.damage());
  }

  @Test
  void translatedCallsAreNotWhatMatchesCopy() {
    byte[] call = {(byte) 0xE8, 0x10, 0x20, 0x03, 0x00};
    byte[] data = new byte[50_000];
    for (int at = 0; at + 5 < data.length; at += 97) {
      System.arraycopy(call, 0, data, at, 5);
    }
    assertArrayEquals(data, roundTrip(data, 17, 1 << 20, new Block(Coding.ALIGNED, data.length)));
  }

  /** 1 = no translation; 011 = uncompressed; 24 bits of length; bits up to a word; R0, R1, R2. */
  private static String uncompressed(String length, String more) {
    String header = "0 011 " + length;
    int bits = header.replace(" ", "").length();
    String fill = "0".repeat(16 - bits % 16);
    return header + fill + "0000000000000001 0000000000000000".repeat(3) + more;
  }

  @Test
  void anUncompressedBlockIsTakenAsItIs() {
    // Words have their lower byte first.
    assertArrayEquals(
        new byte[] {'a', 'b'},
        unpack(uncompressed("000000000000000000000010", "0110001001100001"), 2, 15).bytes());
  }

  @Test
  void bytesThatAreNotThereAreDamage() {
    assertTrue(
        unpack(uncompressed("000000000000000000000100", "0110001001100001"), 4, 15)
            .damage()
            .endsWith("LZX: a compressed block is truncated"),
        "uncompressed");
    assertTrue(
        unpack("0 001 000000000000000000000100", 4, 15)
            .damage()
            .endsWith("LZX: a compressed block is truncated"),
        "trees");
  }

  @Test
  void oneWordLessIsDamageEvenIfItIsTheLast() {
    byte[] data = noise(6, 5000);
    byte[] packed =
        LzxEncoder.compress(data, 15, 0, List.of(new Block(Coding.ALIGNED, 5000))).getFirst();
    byte[] cabinet =
        new CabinetWriter()
            .folder(
                CabinetWriter.lzxType(15),
                List.of(new CabinetWriter.Block(Arrays.copyOf(packed, packed.length - 2), 5000)))
            .file("data", 0, 5000)
            .write();
    String damage = Cabinets.contents(cabinet).file("data").damage();
    assertTrue(damage.endsWith("LZX: a compressed block is truncated"), damage);
  }

  @Test
  void anEmptyTreeIsRefusedWhenItIsUsed() {
    assertTrue(
        unpack("0 001 000000000000000000000100" + "0".repeat(200), 4, 15)
            .damage()
            .endsWith("LZX: undefined Huffman code"));
  }

  @Test
  void everyUnknownTypeOfBlockIsRefused() {
    Set<String> reasons = new TreeSet<>();
    for (String type : List.of("000", "100", "101", "110", "111")) {
      String damage = unpack("0" + type + "0".repeat(60), 4, 15).damage();
      reasons.add(damage.substring(damage.indexOf("LZX")));
    }
    List<String> expected = new ArrayList<>();
    for (int type : new int[] {0, 4, 5, 6, 7}) {
      expected.add("LZX: unknown block type " + type);
    }
    assertEquals(expected, List.copyOf(reasons));
  }

  @Test
  void aTreeWithTooManyCodesIsRefused() {
    // Twenty codes of one bit.
    assertTrue(
        unpack("0 001 000000000000000000000100" + "0001".repeat(20), 4, 15)
            .damage()
            .endsWith("LZX: oversubscribed Huffman code"));
  }

  /**
   * A block of four bytes whose main tree has two symbols of one bit: those with these numbers from
   * 256 on.
   */
  private static String matches(int first, int second, String codes) {
    // 256 zeros are 5 * 51 + 1: symbols 0 and 18 with one bit each.
    String zeros = "0001" + "0000".repeat(17) + "0001" + "0000";
    String literals = zeros + "1 11111".repeat(5) + "0";
    // Symbols 0, 16 (a length of 1 where it was 0) and 18 with 1, 2 and 2 bits.
    String pretree = "0001" + "0000".repeat(15) + "0010" + "0000" + "0010" + "0000";
    StringBuilder main = new StringBuilder();
    for (int symbol = 0; symbol < 240; symbol++) {
      main.append(symbol == first || symbol == second ? "10" : "0");
    }
    String lengths = zeros + "1 11111".repeat(4) + "1 11001";
    return "0 001 000000000000000000000100" + literals + pretree + main + lengths + codes;
  }

  @Test
  void aMatchBeforeTheStartOfTheDataIsRefused() {
    // Symbol 0: offset R0 = 1, length 2.
    String damage = unpack(matches(0, 1, "0 0"), 4, 15).damage();
    assertTrue(damage.endsWith("LZX: match distance 1 exceeds the 0 bytes written"), damage);
  }
}
