package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class JsonLinesTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final StringBuilder expected = new StringBuilder();

  private void write(int rows, int every, int longest) {
    PrintStream out = new PrintStream(written, false, StandardCharsets.UTF_8);
    JsonRow row = new JsonRow();
    try (JsonLines lines = new JsonLines(out)) {
      for (int i = 0; i < rows; i++) {
        String text = "x".repeat(i % every == every - 1 ? longest : 1);
        row.begin().key("i").number(i).key("text").text(text).endObject().line(lines);
        expected.append("{\"i\":" + i + ",\"text\":\"" + text + "\"}\n");
      }
    }
    out.flush();
  }

  @Test
  void linesAreWrittenInTheirOrder() {
    write(20_000, 1, 1);
    assertEquals(expected.toString(), written.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aLineThatIsLongerThanAPieceIsWrittenInItsPlace() {
    write(3_000, 1_000, 300_000);
    assertEquals(expected.toString(), written.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aLineThatFitsNoMoreBehindOthersIsWrittenBehindThem() {
    write(40, 7, 120_000);
    assertEquals(expected.toString(), written.toString(StandardCharsets.UTF_8));
  }

  @Test
  void theLastLinesAreWrittenWhenItIsClosed() {
    write(3, 1, 1);
    assertEquals(expected.toString(), written.toString(StandardCharsets.UTF_8));
  }
}
