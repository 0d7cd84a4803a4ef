package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({
    // Counted: the count says how long a text is.
    "COUNTED_STRING, 0800 6100 0000 6200 2c00",
    "REVERSED_COUNTED_STRING, 0008 6100 0000 6200 2c00",
    "COUNTED_ANSI, 0400 61 00 62 2c",
    "REVERSED_COUNTED_ANSI, 0004 61 00 62 2c",
    "COUNTED_BINARY, 0400 61 00 62 2c",
    "HEX_DUMP, 04000000 61 00 62 2c",
    // Counted, with zeros behind.
    "COUNTED_STRING, 0c00 6100 0000 6200 2c00 0000 0000",
    "COUNTED_ANSI, 0600 61 00 62 2c 00 00",
  })
  void aCountedTextMayHaveANulInside(InType in, String hex) {
    for (OutType out : List.of(OutType.STRING, OutType.UTF8, OutType.JSON)) {
      Field field = Field.of("t", in).out(out);
      assertEquals("t=a\u0000b,", told(hex, field), () -> in + " " + out);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "UNICODE_STRING, 04 6100 0000 6200 0000",
    "ANSI_STRING, 04 61 00 62 00",
    "BINARY, 04 61 00 62 00"
  })
  void aTextMayHaveANulInsideWhereAFieldHasItsLengthAndPaddingWhereThatIsFixed(
      InType in, String hex) {
    Field text = Field.of("t", in).out(OutType.UTF8);
    assertEquals(
        "n=4 t=a\u0000b",
        told(hex, Field.of("n", InType.UINT8).slot(0), text.length(LengthSpec.slot(0))));
    assertEquals(
        "n=4 t=a", told(hex, Field.of("n", InType.UINT8), text.length(LengthSpec.fixed(4))));
  }

  @Test
  void aCountedTextMayBeEmpty() {
    assertEquals("t=", told("0000", Field.of("t", InType.COUNTED_STRING)));
    assertEquals("t=", told("0400 0000 0000", Field.of("t", InType.COUNTED_STRING)));
    assertEquals("t=a", told("0300 6100 62", Field.of("t", InType.COUNTED_STRING)));
    assertEquals("t=", told("0200 0000", Field.of("t", InType.COUNTED_ANSI)));
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
