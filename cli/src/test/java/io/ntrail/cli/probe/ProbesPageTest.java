package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Examples of docs/probes.md: they print what is below them. */
class ProbesPageTest {
  private static final Path ROOT = TestData.projectRoot();
  private static final Pattern BLOCK =
      Pattern.compile("(?ms)^```text\n\\$ ntrail ([^\n]*)\n(.*?)^```$");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  private static List<MatchResult> blocks() throws IOException {
    return BLOCK.matcher(Files.readString(ROOT.resolve("docs/probes.md"))).results().toList();
  }

  static Stream<String> commands() throws IOException {
    return blocks().stream()
        .map(block -> block.group(1))
        .filter(command -> TestData.available() || !isShared(command));
  }

  private static boolean isShared(String command) {
    return command.contains(".etl.gz") || command.contains(".jtrc");
  }

  @Test
  void thirtyExamplesAndMoreAreOverSharedRecordings() throws IOException {
    long shared = blocks().stream().filter(block -> isShared(block.group(1))).count();
    assertTrue(shared >= 30, shared + " examples over shared recordings");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void anExamplePrintsItsOutputOnThePage(String command) throws IOException {
    String expected =
        blocks().stream()
            .filter(block -> block.group(1).equals(command))
            .findFirst()
            .orElseThrow()
            .group(2);
    List<Object> words = new ArrayList<>();
    for (MatchResult word : WORD.matcher(command).results().toList()) {
      String text = word.group(1) != null ? word.group(1) : word.group(2);
      words.add(
          text.endsWith(".etl.gz")
              ? TestData.file("etl/" + text)
              : text.endsWith(".jtrc")
                  ? TestData.file("ntrace/" + text)
                  : text.startsWith("samples/") || text.startsWith("docs/")
                      ? ROOT.resolve(text)
                      : text);
    }
    Result result = Cli.run(words.toArray());
    List<String> told =
        result
            .err()
            .lines()
            .filter(line -> !line.contains(" fires no probe"))
            .filter(line -> !line.contains("clock frequency unknown"))
            .toList();
    assertEquals(List.of(), told);
    assertEquals(0, result.exit());
    assertEquals(expected.strip(), lines(result.out()).strip());
  }

  /** Returns lines without blanks at their ends. */
  private static String lines(String text) {
    return String.join("\n", text.lines().map(String::stripTrailing).toList());
  }
}
