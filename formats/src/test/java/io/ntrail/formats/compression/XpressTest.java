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
