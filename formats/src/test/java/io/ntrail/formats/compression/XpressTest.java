package io.ntrail.formats.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.DamagedInput;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Properties of XPRESS alone: shared nibbles, lengths of four forms, two kinds of end. */
class XpressTest {
  @Test
  void aLengthInTheMatchItselfIsThreeMore() {
    assertEquals("aaaa", unpack("ffffff7f 61 0000", 4));
    assertEquals("a".repeat(10), unpack("ffffff7f 61 0600", 100));
  }

  @Test
  void twoMatchesShareTheByteOfTheirNibbles() {
    // Lengths 10 + 2 and 10 + 3.
    assertEquals("a".repeat(26), unpack("ffffff7f 61 0700 32 0700", 100));
  }

  @Test
  void aMatchWithoutNibbleDoesNotUseUpTheHalfByte() {
    assertEquals("a".repeat(1 + 12 + 3 + 13), unpack("ffffff7f 61 0700 32 0000 0700", 100));
  }

  @Test
  void aThirdNibbleTakesANewByte() {
    assertEquals("a".repeat(1 + 12 + 13 + 14), unpack("ffffff7f 61 0700 32 0700 0700 04", 100));
  }

  @Test
  void aNibbleOfFifteenIsFollowedByAByte() {
    assertEquals("a".repeat(1 + 25), unpack("ffffff7f 61 0700 0f 00", 1000));
    assertEquals("a".repeat(1 + 25 + 254), unpack("ffffff7f 61 0700 0f fe", 1000));
  }

  @Test
  void aByteOf255IsFollowedByAWholeLength() {
    assertEquals("a".repeat(1 + 3 + 0x1234), unpack("ffffff7f 61 0700 0f ff 3412", 10_000));
  }

  @Test
  void aWordOfZeroIsFollowedByALongerLength() {
    assertEquals(
        "a".repeat(1 + 3 + 0x12345), unpack("ffffff7f 61 0700 0f ff 0000 45230100", 100_000));
  }

  @Test
  void aLengthOfFourGigabytesIsClippedToWhatIsWanted() {
    assertEquals("a".repeat(1000), unpack("ffffff7f 61 0700 0f ff 0000 ffffffff", 1000));
    String filler = "62".repeat(100);
    assertEquals("a".repeat(1000), unpack("ffffff7f 61 0700 0f ff 0000 ffffffff" + filler, 1000));
  }

  @Test
  void aLengthThatAShorterFormWouldHoldIsRefused() {
    assertEquals(
        "9 XPRESS: match length 21 uses the encoding of lengths above 21",
        refusal("ffffff7f 61 0700 0f ff 1500", 1000));
    assertEquals("a".repeat(26), unpack("ffffff7f 61 0700 0f ff 1600", 1000));
  }

  @Test
  void aMatchFromBeforeTheStartIsRefused() {
    assertEquals(
        "5 XPRESS: match distance 2 exceeds the 1 bytes written",
        refusal("ffffff7f 61 0800", 1000));
  }

  @Test
  void aMatchFromBeforeTheStartIsRefusedFarFromTheEnds() {
    assertEquals(
        "5 XPRESS: match distance 2 exceeds the 1 bytes written",
        refusal("ffffff7f 61 0800" + "00".repeat(100), 1000));
  }

  @Test
  void aMatchRepeatsWhatItsDistanceSaysFarFromTheEnds() {
    String letters = "abcdefghijklmnopqrst";
    for (int distance = 1; distance <= letters.length(); distance++) {
      String start = letters.substring(0, distance);
      String rest = "z".repeat(31 - distance + 3 * 32);
      for (int length = 3; length <= 70; length++) {
        String packed =
            little(4, 1 << (31 - distance))
                + hex(start)
                + match(distance, length)
                + hex("z".repeat(31 - distance))
                + ("00000000" + hex("z".repeat(32))).repeat(3);
        String repeated = start.repeat(length / distance + 1).substring(0, length);
        assertEquals(start + repeated + rest, unpack(packed, 1000), distance + ", " + length);
      }
    }
  }

  /** A match of up to 279 bytes, with a byte of nibbles of its own if it has a nibble. */
  private static String match(int distance, int length) {
    String word = little(2, (distance - 1) << 3 | Math.min(length - 3, 7));
    String nibble = length < 10 ? "" : little(1, Math.min(length - 10, 15));
    return word + nibble + (length < 25 ? "" : little(1, length - 25));
  }

  private static String little(int bytes, int value) {
    StringBuilder hex = new StringBuilder();
    for (int i = 0; i < bytes; i++) {
      hex.append(HexFormat.of().toHexDigits((byte) (value >>> (8 * i))));
    }
    return hex.toString();
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void theInputMayEndBeforeAWordOfFlags() {
    assertEquals("a".repeat(32), unpack("00000000" + "61".repeat(32), 1000));
  }

  @Test
  void anInputThatEndsWhereALiteralIsDueIsRefused() {
    assertEquals("5 XPRESS: compressed data ends inside a literal", refusal("00000000 61", 1000));
  }

  @Test
  void anInputThatEndsInsideFlagsIsRefused() {
    assertEquals("0 XPRESS: compressed data ends inside flags", refusal("ffff7f", 1000));
  }

  @Test
  void anInputThatEndsInsideAMatchIsRefused() {
    assertEquals("5 XPRESS: compressed data ends inside a match", refusal("ffffff7f 61 07", 1000));
    assertEquals(
        "7 XPRESS: compressed data ends inside the length of a match",
        refusal("ffffff7f 61 0700", 1000));
  }

  private static String unpack(String hex, int limit) {
    byte[] packed = HexFormat.of().parseHex(hex.replace(" ", ""));
    return new String(
        Unpacking.whole(Compression.XPRESS, packed, limit), StandardCharsets.ISO_8859_1);
  }

  /** Returns the reason of the refusal, with the offset in the compressed bytes. */
  private static String refusal(String hex, int limit) {
    DamagedInput damage = assertThrows(DamagedInput.class, () -> unpack(hex, limit));
    return damage.offset() - Unpacking.FROM + " " + damage.what();
  }
}
