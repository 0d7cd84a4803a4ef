package io.ntrail.cli.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.SampleDump;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of README.md run, and the output that it shows is theirs. */
class ReadmeTest {
  private static final Path ROOT = TestData.projectRoot();

  /** A command, and behind at least two blanks what it is for. */
  private static final Pattern COMMAND = Pattern.compile("(?m)^\\./ntrail (.+?)  +\\S.*$");

  private static final Pattern SHOWN =
      Pattern.compile("(?ms)^```\n\\$ \\./ntrail ([^\n]+)\n(.*?)^```$");

  private static final Pattern WORD = Pattern.compile("'([^']*)'|([^ ]+)");

  @TempDir private Path folder;

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("README.md"));
  }

  private Cli.Result run(String command) {
    List<Object> words = new ArrayList<>();
    for (Matcher word = WORD.matcher(command); word.find(); ) {
      words.add(word.group(1) != null ? word.group(1) : here(word.group(2)));
    }
    return Cli.run(words.toArray());
  }

  /** Returns a word with samples where they are, and other files in a folder of the test. */
  private Object here(String word) {
    if (word.startsWith("samples/")) {
      return ROOT.resolve(word);
    }
    return word.matches("[a-z]+\\.(etl|dmp|html)") ? folder.resolve(word) : word;
  }

  @Test
  void everyCommandRuns() throws IOException {
    for (String name : List.of("before.etl", "after.etl", "kernel.etl", "user.etl")) {
      Files.copy(ROOT.resolve("samples/shop.etl"), folder.resolve(name));
    }
    Files.write(folder.resolve("crash.dmp"), SampleDump.make());
    int seen = 0;
    for (Matcher command = COMMAND.matcher(page()); command.find(); ) {
      seen++;
      // Programs under Wine have tests of their own.
      if (!command.group(1).matches("(trace|dump) .*")) {
        Cli.Result result = run(command.group(1));
        assertEquals(0, result.exit(), command.group() + ": " + result.err());
        assertFalse(result.out().isEmpty(), command.group());
      }
    }
    assertTrue(seen > 25, "commands: " + seen);
  }

  @Test
  void theOutputThatIsShownIsPrinted() throws IOException {
    int seen = 0;
    for (Matcher shown = SHOWN.matcher(page()); shown.find(); seen++) {
      String out = run(shown.group(1)).out().replace(ROOT + "/", "");
      assertEquals(shown.group(2), out);
    }
    assertTrue(seen > 0, "no output is shown");
  }
}
