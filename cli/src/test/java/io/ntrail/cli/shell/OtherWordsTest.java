package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Words of other tools, as new users typed them: the answer names what is meant here. */
class OtherWordsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  @ParameterizedTest
  @CsvSource({
    "flamegraph, ntrail export FILE -o profile.html",
    "report, ntrail profile FILE",
    "list, ntrail info FILE --list processes",
    "processes, ntrail info FILE --list processes",
    "threads, ntrail info FILE --list threads",
    "stat, ntrail events FILE --count",
    "script, ntrail events FILE --format jsonl",
  })
  void aCommandOfOtherToolsNamesTheOneThatIsMeant(String word, String meant) {
    Cli.Result result = Cli.run(word, SAMPLE);
    assertEquals(2, result.exit());
    String command = meant.replace("FILE", SAMPLE.toString());
    assertEquals("try: " + command, result.messages().getLast());
    // What is proposed is understood.
    if (!word.equals("flamegraph")) {
      Object[] words = command.substring("ntrail ".length()).split(" ", -1);
      assertEquals(0, Cli.run(words).exit(), command);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "events, --json, --format json",
    "events, --csv, --format csv",
    "profile, --top, -n 20",
    "profile, --pid, -p PID",
    "profile, --module, --only 'MODULE!*'",
    "profile, --function, --callers FUNCTION",
    "events, --grep, --where CONDITION",
    "events, --provider, -e 'PROVIDER/*'",
    "calls, --function, --find PATTERN",
    "image, --disassemble, --disasm NAME",
    "info, --no-color, --color never",
  })
  void anOptionOfOtherToolsNamesTheOneThatIsMeant(String command, String option, String meant) {
    Cli.Result result = Cli.run(command, SAMPLE, option);
    assertEquals(2, result.exit());
    assertTrue(result.messages().getLast().startsWith("try: " + meant + "  "), result.err());
  }

  @Test
  void anOptionThatIsACommandHereNamesIt() {
    assertEquals(
        "try: ntrail export " + SAMPLE + " -o profile.html",
        Cli.run("profile", SAMPLE, "--flamegraph").messages().getLast());
    assertEquals(
        "try: ntrail profile " + SAMPLE + " --tree",
        Cli.run("info", SAMPLE, "--tree").messages().getLast());
  }

  @Test
  void helpBeforeACommandIsItsHelp() {
    assertEquals(Cli.run("profile", "--help"), Cli.run("--help", "profile"));
    assertEquals(Cli.run("profile", "-h"), Cli.run("-h", "profile"));
  }
}
