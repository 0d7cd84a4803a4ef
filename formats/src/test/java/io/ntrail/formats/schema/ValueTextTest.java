package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values at the edge of their types, each read as Windows would show it. */
class ValueTextTest {
  private static String told(String hex, Field... fields) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    Schema schema = new Schema(SchemaSource.MANIFEST, null, null, null, List.of(fields));
    Payload payload = new Payload();
    payload.read(schema, Bytes.copyOf(bytes, "test"), 0, bytes.length, 8);
    return PayloadText.of(payload);
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void mappedIpv4AddressesAreDotted() {
    Field address = Field.of("a", InType.BINARY).out(OutType.IPV6).length(LengthSpec.fixed(16));
    assertEquals("a=::ffff:10.0.0.1", told("00000000 00000000 0000ffff 0a000001", address));
    assertEquals("a=::fffe:a00:1", told("00000000 00000000 0000fffe 0a000001", address));
  }

  @Test
  void largeAuthoritiesOfSidsHaveAllTheirDigits() {
    Field sid = Field.of("s", InType.SID);
    assertEquals("s=S-1-0x010000000005-7", told("01 01 010000000005 07000000", sid));
    assertEquals("s=S-1-4294967295", told("01 00 0000ffffffff", sid));
  }

  @Test
  void negativeNumbersInHexadecimalHaveTheWidthOfTheirField() {
    assertEquals("n=0xff", told("ff", Field.of("n", InType.INT8).out(OutType.HEX)));
    assertEquals("n=0x8000", told("0080", Field.of("n", InType.INT16).out(OutType.HEX)));
    assertEquals("n=0xfffffffe", told("feffffff", Field.of("n", InType.INT32).out(OutType.HEX)));
    assertEquals("n=4294967294", told("feffffff", Field.of("n", InType.INT32).out(OutType.PID)));
    assertEquals("n=-2", told("feffffff", Field.of("n", InType.UINT32).out(OutType.SIGNED)));
    assertEquals("n=-2", told("feffffff", Field.of("n", InType.INT32)));
  }

  @Test
  void theReplacementCharacterIsTextLikeAnyOther() {
    assertEquals("t=a\uFFFDb", told(hex("a\uFFFDb") + "00", Field.of("t", InType.ANSI_STRING)));
    assertEquals("t=\u00FC", told("fc00", Field.of("t", InType.ANSI_STRING)));
  }

  @Test
  void declaredUtf8StaysUtf8WhereItIsTruncated() {
    assertEquals("t=a\uFFFD", told("61c3", Field.of("t", InType.ANSI_STRING).out(OutType.UTF8)));
  }

  @Test
  void eightBitCharactersAreOfTheCodePageOfEightBitText() {
    assertEquals("c=\u20AC", told("80", Field.of("c", InType.UINT8).out(OutType.STRING)));
    assertEquals("c=A", told("41", Field.of("c", InType.ANSI_CHAR)));
  }

  @Test
  void halfACharacterAtTheEndIsNotTheNextField() {
    assertEquals(
        "t=a", told("610061", Field.of("t", InType.UNICODE_STRING), Field.of("n", InType.UINT8)));
  }
}
