package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminalTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path folder;

  @BeforeEach
  void needsAShell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "skipped: no /bin/sh");
  }

  private String shown() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String said() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static void print(Terminal terminal, int lines) {
    for (int i = 0; i < lines; i++) {
      terminal.out().print("line " + i + "\n");
    }
  }

  @Test
  void bytesDoNotSteerATerminalAndAreAsTheyAreElsewhere() throws IOException {
    byte[] bytes = "a\tb\u001b[2J\u2588\nc".getBytes(StandardCharsets.UTF_8);
    try (Terminal screen = Terminal.of(out, err, 10, 80)) {
      OutputStream stream = screen.bytes();
      stream.write(bytes);
      assertEquals("", shown(), "a line that has not ended waits");
      stream.flush();
    }
    assertEquals("a\tb\uFFFD[2J\u2588\nc", shown());
    out.reset();
    try (Terminal pipe = Terminal.of(out, err)) {
      pipe.bytes().write(bytes);
    }
    assertEquals("a\tb\u001b[2J\u2588\nc", shown());
  }

  @Test
  void shortAnswersNeedNoPager() {
    try (Terminal screen = Terminal.of(out, err, 10, 80);
        Terminal paged = screen.paged("cat > " + folder.resolve("pages"))) {
      print(paged, 9);
    }
    assertEquals(9, shown().lines().count());
    assertFalse(Files.exists(folder.resolve("pages")));
  }

  @Test
  void longAnswersGoThroughIt() throws IOException {
    Path pages = folder.resolve("pages");
    try (Terminal screen = Terminal.of(out, err, 10, 80);
        Terminal paged = screen.paged("cat > " + pages)) {
      paged.err().print("early;");
      print(paged, 50_000);
      paged.err().print("late;");
      assertEquals("early;", said(), "what is said beside a pager waits for its end");
    }
    assertEquals("", shown());
    assertEquals(50_000, Files.readString(pages).lines().count());
    assertEquals("early;late;", said());
  }

  @Test
  void messagesFollowTheAnswerThatTheyFollow() {
    try (Terminal screen = Terminal.of(out, out, 10, 80);
        Terminal paged = screen.paged("cat > " + folder.resolve("pages"))) {
      paged.err().print("warning\n");
      print(paged, 1);
      paged.out().flush();
      paged.err().print("hint\n");
    }
    assertEquals("warning\nline 0\nhint\n", shown());
  }

  @Test
  void noColourWhereTheUserWantsNoneOrTheTerminalHasNone() {
    assertTrue(Terminal.mayColor(Map.of("TERM", "xterm")));
    assertTrue(Terminal.mayColor(Map.of("NO_COLOR", "")));
    assertFalse(Terminal.mayColor(Map.of("NO_COLOR", "1", "TERM", "xterm")));
    assertFalse(Terminal.mayColor(Map.of("TERM", "dumb")));
    assertFalse(Terminal.mayColor(Map.of("SystemRoot", "C:\\Windows")));
    assertTrue(Terminal.mayColor(Map.of("SystemRoot", "C:\\Windows", "WT_SESSION", "1")));
  }

  @Test
  void leavingThePagerEarlyIsNotAnError() {
    try (Terminal screen = Terminal.of(out, err, 10, 80);
        Terminal paged = screen.paged("exit 0")) {
      print(paged, 300_000);
    }
    assertEquals("", shown());
    assertEquals("", said());
  }

  @Test
  void noPagerForPipes() {
    Terminal pipe = Terminal.of(out, err);
    assertEquals(pipe, pipe.paged("cat"));
    Terminal screen = Terminal.of(out, err, 10, 80);
    assertEquals(screen, screen.paged(""), "PAGER= turns it off");
  }

  @Test
  void sizes() {
    assertEquals(new TerminalSize(50, 132), TerminalSize.of("50", " 132 "));
    assertEquals(new TerminalSize(24, 40), TerminalSize.of(null, "7"));
    assertNull(TerminalSize.of("50", null));
    assertNull(TerminalSize.of("50", "wide"));
    assertNull(TerminalSize.of("0", "0"));
    assertTrue(TerminalSize.isTerminal("12", 1) && TerminalSize.isTerminal("12", 2));
    assertFalse(TerminalSize.isTerminal("2", 1));
    assertFalse(TerminalSize.isTerminal("", 2));
  }
}
