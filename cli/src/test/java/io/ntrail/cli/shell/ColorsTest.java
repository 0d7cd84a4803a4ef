package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Colours: where there are some, what has them, and that they are all that they add. */
class ColorsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");
  private static final String ESCAPES = "\u001b\\[[0-9;]*m";

  @TempDir private Path folder;

  private static Cli.Result onScreen(boolean colored, Object... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        colored ? Terminal.colored(out, err, 500, 100) : Terminal.of(out, err, 500, 100);
    String[] args = Arrays.stream(words).map(String::valueOf).toArray(String[]::new);
    int exit = Main.run(args, terminal);
    return new Cli.Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "info",
        "events -n 5",
        "events --count",
        "profile",
        "profile --tree -n 0 --min 0",
        "profile --bottom-up"
      })
  void coloursAreAllThatATerminalGetsMore(String words) {
    String[] parts = words.split(" ", -1);
    Object[] command = new Object[parts.length + 1];
    command[0] = parts[0];
    command[1] = SAMPLE;
    System.arraycopy(parts, 1, command, 2, parts.length - 1);
    Cli.Result plain = onScreen(false, command);
    Cli.Result colored = onScreen(true, command);
    assertFalse(plain.out().contains("\u001b"));
    assertTrue(colored.out().contains("\u001b["));
    // The line of progress is rewritten with codes of its own.
    assertEquals(plain.out(), colored.out().replaceAll(ESCAPES, ""));
  }

  @Test
  void theHeadingAndTheTitlesAreBoldAndLinesOfTreesFaint() {
    List<String> lines = onScreen(true, "profile", SAMPLE, "--tree", "--min", "0").lines();
    assertTrue(lines.getFirst().startsWith("\u001b[1m"), lines.getFirst());
    assertTrue(lines.stream().anyMatch(line -> line.startsWith("\u001b[1mincl. samples")));
    assertTrue(lines.stream().anyMatch(line -> line.contains("\u001b[2m\u2514\u2500 \u001b[0m")));
  }

  @Test
  void lossesAreRedAndWhatIsCompleteIsNot() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    Path cut = Files.write(folder.resolve("cut.etl"), Arrays.copyOf(bytes, bytes.length / 2 + 99));
    Cli.Result damaged = onScreen(true, "events", cut, "--count");
    String heading = damaged.out();
    assertTrue(heading.contains("\u001b[1;31m2 places could not be read\u001b[0m"), heading);
    assertTrue(damaged.err().contains("\u001b[1;33mwarning:\u001b[0m "), damaged.err());
    assertFalse(onScreen(true, "events", SAMPLE, "--count").out().contains("\u001b[1;31m"));
  }

  @Test
  void anErrorIsRedAndItsNextStepCyan() {
    Cli.Result result = onScreen(true, "profile", SAMPLE, "--botom-up", "--color", "always");
    // The options of a wrong command are not followed: the terminal is asked.
    assertEquals(2, result.exit());
    Cli.Result other = onScreen(true, "info", folder.resolve("none.etl"));
    assertTrue(other.err().startsWith("\u001b[1;31mntrail:\u001b[0m no such file"), other.err());
  }

  @Test
  void neverIsNeverAndAlwaysAlsoInAPipe() {
    assertFalse(onScreen(true, "info", SAMPLE, "--color", "never").out().contains("\u001b"));
    Cli.Result piped = Cli.run("info", SAMPLE, "--color", "always");
    assertTrue(piped.out().contains("\u001b[1m"));
    assertFalse(Cli.run("info", SAMPLE).out().contains("\u001b"));
    assertFalse(Cli.run("info", SAMPLE, "--color", "auto").out().contains("\u001b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "jsonl", "csv"})
  void formatsForProgramsHaveNone(String format) {
    Cli.Result result =
        Cli.run("events", SAMPLE, "-n", "5", "--format", format, "--color", "always");
    assertFalse(result.out().contains("\u001b"));
  }
}
