package io.ntrail.formats.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.DamagedInput;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Properties of XPRESS with Huffman alone: tables, bits and bytes mixed. */
class XpressHuffmanTest {
  /** Symbols a, c, 256 and 271 (distance 1, longer length) with two bits each: 00 01 10 11. */
  private static final String TABLE = table("97:2 99:2 256:2 271:2");

  @Test
  void symbolsAreTakenFromTheTopOfEachWord() {
    // a c a, end
    assertEquals("aca", unpack(TABLE + "0012 0000", 100));
  }

  @Test
  void aLongerLengthIsAByteAfterTheWordsReadAhead() {
    // a, match, end
    assertEquals("a".repeat(1 + 15 + 7 + 3), unpack(TABLE + "0038 0000 07", 100));
  }

  @Test
  void aLengthOf255IsFollowedByAWholeLength() {
    assertEquals("a".repeat(1 + 0x1234 + 3), unpack(TABLE + "0038 0000 ff 3412", 10_000));
  }

  @Test
  void aWordOfZeroIsFollowedByALongerLength() {
    assertEquals("a".repeat(1 + 0x1234 + 3), unpack(TABLE + "0038 0000 ff 0000 34120000", 10_000));
  }

  @Test
  void aLengthOfFourGigabytesIsClippedToWhatIsWanted() {
    assertEquals("a".repeat(500), unpack(TABLE + "0038 0000 ff 0000 ffffffff", 500));
  }

  @Test
  void aLengthThatAShorterFormWouldHoldIsRefused() {
    assertEquals(
        "261 XPRESS with Huffman: match length 14 uses the encoding of lengths above 14",
        refusal(TABLE + "0038 0000 ff 0e00", 500));
  }

  @Test
  void symbol256BeforeTheEndIsAMatch() {
    // a, 256 = distance 1 and length 3, then a 14 times, then the end
    assertEquals("aaaa" + "a".repeat(14), unpack(TABLE + "0020 0000 0080 0000", 100));
  }

  @Test
  void codesLongerThanTheQuickTableAreFound() {
    String chain =
        table(
            "97:1 98:2 99:3 100:4 101:5 102:6 103:7 104:8 105:9 106:10 107:11 108:12 109:13 110:14"
                + " 111:15 256:15");
    // o (14 ones and a zero), a (zero), n (13 ones and a zero), a, the end (15 ones).
    assertEquals("oana", unpack(chain + "fcff f9ff fcff 0000", 100));
  }

  @Test
  void aNewBlockHasATableOfItsOwn() {
    String other = table("122:1 256:1");
    // Fills 65,536 bytes with a; then z three times and the end.
    assertEquals(
        "a".repeat(65_536) + "zzz",
        unpack(TABLE + "0030 0000 ff fcff" + other + "0010 0000", 100_000));
  }

  @Test
  void aTableThatLeavesCodesOverIsRefused() {
    assertEquals(
        "0 XPRESS with Huffman: a table of code lengths is not a complete prefix code",
        refusal(table("97:2 99:2 256:2") + "0000 0000", 100));
  }

  @Test
  void aTableWithTooManyCodesIsRefused() {
    assertEquals(
        "0 XPRESS with Huffman: a table of code lengths is not a complete prefix code",
        refusal(table("97:1 99:1 256:2") + "0000 0000", 100));
  }

  @Test
  void anInputThatEndsInsideATableIsRefused() {
    assertEquals(
        "0 XPRESS with Huffman: compressed data ends inside a table of code lengths",
        refusal("00".repeat(255), 100));
  }

  @Test
  void aMatchFromBeforeTheStartIsRefused() {
    assertEquals(
        "260 XPRESS with Huffman: match distance 1 exceeds the 0 bytes written",
        refusal(TABLE + "0080 0000 0000", 100));
  }

  @Test
  void anInputThatEndsInsideTheBitsIsRefused() {
    assertEquals(
        "258 XPRESS with Huffman: compressed data ends inside a symbol",
        refusal(TABLE + "0000", 100));
  }

  private static String unpack(String hex, int limit) {
    byte[] packed = HexFormat.of().parseHex(hex.replace(" ", ""));
    return new String(
        Unpacking.whole(Compression.XPRESS_HUFF, packed, limit), StandardCharsets.ISO_8859_1);
  }

  /** Returns the reason of the refusal, with the offset in the compressed bytes. */
  private static String refusal(String hex, int limit) {
    DamagedInput damage = assertThrows(DamagedInput.class, () -> unpack(hex, limit));
    return damage.offset() - Unpacking.FROM + " " + damage.what();
  }

  /** 512 code lengths from symbol:length pairs. */
  private static String table(String lengths) {
    byte[] table = new byte[256];
    for (String entry : lengths.split(" ", -1)) {
      int colon = entry.indexOf(':');
      int symbol = Integer.parseInt(entry.substring(0, colon));
      int length = Integer.parseInt(entry.substring(colon + 1));
      table[symbol / 2] |= (byte) (symbol % 2 == 0 ? length : length << 4);
    }
    return HexFormat.of().formatHex(table);
  }
}
