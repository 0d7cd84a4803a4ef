package io.ntrail.formats.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.DamagedInput;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Properties of LZNT1 alone: chunks, and matches whose fields move. */
class Lznt1Test {
  @Test
  void aStoredChunkIsCopied() {
    assertEquals("abc", unpack("0230 616263", 100));
  }

  @Test
  void aHeaderOfZeroIsTheEnd() {
    assertEquals("abc", unpack("0230 616263 0000 0230 646566", 100));
  }

  @Test
  void zerosFillAShortChunkThatIsNotTheLast() {
    assertEquals("abc" + "\0".repeat(4093) + "d", unpack("0230 616263 0030 64", 5000));
  }

  @Test
  void theFillingStopsAtTheLimit() {
    assertEquals("abc\0\0\0\0", unpack("0230 616263 0030 64", 7));
  }

  @Test
  void aChunkIsAtMost4096Bytes() {
    // One literal and 4,095 more fill it; a length of 4,098 is the longest that can be said.
    assertEquals("a".repeat(4096), unpack("03b0 02 61 fc0f", 10_000));
    assertEquals("4 LZNT1: a chunk holds more than 4096 bytes", refusal("03b0 02 61 fd0f", 10_000));
  }

  @Test
  void aLiteralAfterAFullChunkIsRefused() {
    assertEquals(
        "6 LZNT1: a chunk holds more than 4096 bytes", refusal("04b0 02 61 fc0f 62", 10_000));
  }

  @Test
  void theDistanceTakesMoreBitsTheMoreIsWritten() {
    // 16 written: 4 bits of distance, so f000 is 16 back; 17 written: 5 bits, so 8000 is 17 back.
    String sixteen = "00 6162636465666768 00 696a6b6c6d6e6f70";
    assertEquals("abcdefghijklmnopabc", unpack("14b0 " + sixteen + " 01 00f0", 100));
    assertEquals("abcdefghijklmnopqabc", unpack("15b0 " + sixteen + " 02 71 0080", 100));
  }

  @Test
  void aMatchIntoTheChunkBeforeIsRefused() {
    assertEquals(
        "10 LZNT1: match distance 2 exceeds the 1 bytes of its chunk",
        refusal("03b0 02 61 fc0f 03b0 02 62 0010", 10_000));
  }

  @Test
  void aMatchAtTheStartOfAChunkIsRefused() {
    assertEquals(
        "3 LZNT1: match distance 1 exceeds the 0 bytes of its chunk", refusal("02b0 01 0000", 100));
  }

  @Test
  void aChunkThatEndsInsideAMatchIsRefused() {
    assertEquals("4 LZNT1: a chunk ends inside a match", refusal("02b0 02 61 00 0000", 100));
  }

  @Test
  void anInputThatEndsInsideAChunkGivesWhatIsThereAndIsRefused() {
    assertEquals("5 LZNT1: compressed data ends inside a chunk", refusal("0330 616263", 100));
    assertEquals("abc", unpack("0330 616263", 3));
  }

  @Test
  void anInputThatEndsInsideAHeaderIsRefused() {
    assertEquals(
        "5 LZNT1: compressed data ends inside the header of a chunk",
        refusal("0230 616263 02", 100));
  }

  private static String unpack(String hex, int limit) {
    byte[] packed = HexFormat.of().parseHex(hex.replace(" ", ""));
    return new String(
        Unpacking.whole(Compression.LZNT1, packed, limit), StandardCharsets.ISO_8859_1);
  }

  /** Returns the reason of the refusal, with the offset in the compressed bytes. */
  private static String refusal(String hex, int limit) {
    DamagedInput damage = assertThrows(DamagedInput.class, () -> unpack(hex, limit));
    return damage.offset() - Unpacking.FROM + " " + damage.what();
  }
}
