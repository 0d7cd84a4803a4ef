package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TextPrinterTest {
  /** Controls of both blocks, the marks of both directions, ends of lines, halves of characters. */
  private static final String STEERING =
      "\u0000\u0007\b\u000B\f\u001B\u007F\u0080\u009B\u009F\u061C\u200E\u200F\u2028\u2029"
          + "\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\uD800";

  private static String printed(Consumer<PrintStream> printing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Terminal terminal = Terminal.of(bytes, OutputBytes.NONE)) {
      printing.accept(terminal.out());
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** A stream for what is not looked at. */
  private static final class OutputBytes {
    static final java.io.OutputStream NONE = java.io.OutputStream.nullOutputStream();
  }

  @Test
  void nothingThatIsPrintedSteersATerminal() {
    for (int i = 0; i < STEERING.length(); i++) {
      String hostile = "a" + STEERING.charAt(i) + "b";
      List<Consumer<PrintStream>> ways =
          List.of(
              out -> out.print(hostile),
              out -> out.print(hostile.toCharArray()),
              out -> out.print((Object) hostile),
              out -> out.append(hostile),
              out -> out.append(hostile, 0, 3),
              out -> out.printf("%s", hostile),
              out -> out.printf(Locale.ROOT, "%s", (Object) hostile),
              out -> out.format("%s", hostile),
              out -> out.print(hostile.charAt(0) + "\uFFFD" + hostile.charAt(2)));
      for (Consumer<PrintStream> way : ways) {
        assertEquals("a\uFFFDb", printed(way), "U+%04X".formatted((int) STEERING.charAt(i)));
      }
      assertEquals("a\uFFFDb", printed(out -> out.println(hostile)).stripTrailing());
      assertEquals("a\uFFFDb", printed(out -> out.println((Object) hostile)).stripTrailing());
      assertEquals("a\uFFFDb", printed(out -> out.println(hostile.toCharArray())).stripTrailing());
    }
    assertEquals("\uFFFD", printed(out -> out.print('\u001B')));
    assertEquals("\uFFFD", printed(out -> out.append('\u001B')));
  }

  @Test
  void aLineIsOneLineWhateverItHolds() {
    assertEquals("a\\nb\\rc\\td", printed(out -> out.println("a\nb\rc\td")).stripTrailing());
    assertEquals("a\\nb", printed(out -> out.println((Object) "a\nb")).stripTrailing());
    assertEquals("a\\nb|\n", printed(out -> out.printf("%s|%n", "a\nb")));
  }

  @Test
  void textOfSeveralLinesKeepsThemAndLosesWhatGoesBack() {
    assertEquals("a\n\tb\r\nc\\rd", printed(out -> out.print("a\n\tb\r\nc\rd")));
    assertEquals("a\n\tb\r\nc\n", printed(out -> out.print("a\n\tb\r\nc\n")));
    assertEquals("a\n\\r", printed(out -> out.print("a\n\r")));
  }

  @Test
  void wholeCharactersBeyondTheFirstPlaneStay() {
    assertEquals("a\uD83D\uDE00b", printed(out -> out.print("a\uD83D\uDE00b")));
  }

  @Test
  void aTerminalThatShowsAsciiOnlyGetsAsciiOnly() {
    // The second byte of U+00DB is 0x9B, which begins escapes on terminals of one byte a character.
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (Terminal terminal = Terminal.ascii(out, err, 24, 80)) {
      terminal.out().println("a\u00DB\u2500\uD83D\uDE00b");
      terminal.err().println("M\u00FCll");
      terminal.rewriteLine("M\u00FCll");
    }
    assertEquals("a???b", out.toString(StandardCharsets.ISO_8859_1).stripTrailing());
    assertEquals(
        "M?ll" + System.lineSeparator() + "\rM?ll\u001B[K",
        err.toString(StandardCharsets.ISO_8859_1));
  }

  @Test
  void onlyTheLineOfProgressIsRewritten() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (Terminal terminal = Terminal.of(OutputBytes.NONE, err, 24, 20)) {
      terminal.rewriteLine("reading \u001B[2Ja\nb");
      terminal.eraseLine();
    }
    assertEquals(
        "\rreading \uFFFD[2Ja\\nb\u001B[K\r\u001B[K", err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void jsonIsExactAndHasNothingThatSteers() {
    String hostile = STEERING + "\n\r\t\"\\" + "\u00E9\uD83D\uDE00";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Json json = new Json(bytes)) {
      json.object().text("text", hostile).name("name", hostile);
      json.key("k\u202E").number(1).endObject();
    }
    String text = bytes.toString(StandardCharsets.UTF_8).strip();
    assertFalse(TextSanitizer.steers(text), text);
    assertEquals(
        hostile, unescaped(text.substring(text.indexOf(":\"") + 2, text.indexOf("\",\"name\""))));
    assertEquals(
        hostile,
        unescaped(
            text.substring(text.indexOf("\"name\":\"") + 8, text.indexOf("\",\"k\\u202E\":1}"))));
    assertFalse(text.contains("\\u00E9"), "letters stay");
  }

  /** A text of JSON, read by hand. */
  private static String unescaped(String json) {
    StringBuilder text = new StringBuilder();
    int i = 0;
    while (i < json.length()) {
      int escape = json.charAt(i) == '\\' ? "nrtbf\"\\".indexOf(json.charAt(i + 1)) : -1;
      if (json.charAt(i) != '\\') {
        text.append(json.charAt(i));
        i++;
      } else if (escape >= 0) {
        text.append("\n\r\t\b\f\"\\".charAt(escape));
        i += 2;
      } else {
        text.append((char) Integer.parseInt(json.substring(i + 2, i + 6), 16));
        i += 6;
      }
    }
    return text.toString();
  }
}
