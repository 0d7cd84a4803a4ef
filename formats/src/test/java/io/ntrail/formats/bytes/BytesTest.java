package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BytesTest {
  private static final int LENGTH = 40;

  @Test
  void textEndsBeforeItsFirstZeroOrAtTheEndThatIsGiven() {
    for (int zero = 0; zero <= LENGTH; zero++) {
      byte[] content = letters();
      if (zero < LENGTH) {
        content[zero] = 0;
      }
      Bytes window = Bytes.copyOf(content, "text");
      for (int at = 0; at <= LENGTH; at++) {
        for (int end = at; end <= LENGTH + 3; end++) {
          int expected = Math.min(end, LENGTH) - at;
          expected = zero >= at ? Math.min(expected, zero - at) : expected;
          assertEquals(expected, window.byteStringLength(at, end), zero + " " + at + " " + end);
        }
      }
    }
  }

  @Test
  void textMayConsistOfBytesWithTheHighestBit() {
    byte[] content = "\u00e9\u20ac\u0080\u00ff\u0001x\u0000y".getBytes(StandardCharsets.UTF_8);
    assertEquals(
        "\u00e9\u20ac\u0080\u00ff\u0001x", Bytes.copyOf(content, "text").utf8z(0, content.length));
  }

  @Test
  void halfOfACharacterIsAUnitThatLeavesTheOneAfterItAlone() {
    for (String text :
        List.of(
            "a\ud800b",
            "a\udc00b",
            "\ud800",
            "\udc00\ud800",
            "\ud83d\ude00",
            "\ufffe\u20ac\uffff")) {
      byte[] content = new BytesBuilder(16).utf16z(text).toArray();
      assertEquals(text, Bytes.copyOf(content, "text").utf16(0, text.length()));
      assertEquals(text, Bytes.copyOf(content, "text").utf16z(0, content.length));
    }
  }

  @Test
  void bytesOfAWordAreTheLowestFirstAndNoneIsReadPastTheEnd() {
    Bytes window = Bytes.copyOf(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, (byte) 0x89}, "word");
    assertEquals(0x0807_0605_0403_0201L, window.word(0, 8));
    assertEquals(0x89, window.word(8, 1));
    assertEquals(0x8908_0706_0504L, window.word(3, 6));
    assertEquals(0x0605_04L, window.word(3, 3) & 0xFF_FFFF);
  }

  private static byte[] letters() {
    byte[] letters = new byte[LENGTH];
    Arrays.fill(letters, (byte) 'a');
    return letters;
  }
}
