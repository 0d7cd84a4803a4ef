package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrittenAnswersTest {
  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    WrittenAnswers.write(folder);
  }

  @Test
  void theVersionAndTheShortHelpOfEveryCommandAreWrittenForBothWidths() throws IOException {
    Set<String> expected = new TreeSet<>(Set.of("ntrail.txt", "version.txt"));
    try (Stream<Path> pages = Files.list(pages())) {
      pages
          .map(page -> "ntrail-" + page.getFileName())
          .filter(name -> !Set.of("ntrail-ntrail.txt", "ntrail-formats.txt").contains(name))
          .forEach(expected::add);
    }
    assertEquals(expected, texts(folder));
    assertEquals(expected, texts(folder.resolve("80")));
  }

  @Test
  void anUnbrokenAnswerIsThePageAsItIs() throws IOException {
    assertEquals(
        Files.readString(pages().resolve("trace.txt")),
        Files.readString(folder.resolve("ntrail-trace.txt")));
  }

  @Test
  void anAnswerOf80ColumnsIsBrokenAtWords() throws IOException {
    Path broken = folder.resolve("80").resolve("ntrail-trace.txt");
    List<String> lines = Files.readAllLines(broken);
    assertTrue(lines.stream().allMatch(line -> line.length() <= 80), lines.toString());
    assertEquals(
        words(Files.readString(pages().resolve("trace.txt"))), words(Files.readString(broken)));
  }

  @Test
  void eachIsWhatTheProgramPrintsToTerminals() throws IOException {
    for (int columns : new int[] {80, 100, 250}) {
      Path written = columns == 80 ? folder.resolve("80") : folder;
      assertEquals(printed(columns, "--version"), Files.readString(written.resolve("version.txt")));
      assertEquals(printed(columns), Files.readString(written.resolve("ntrail.txt")));
      for (Commands.Entry command : Commands.listed()) {
        Path file = written.resolve("ntrail-" + command.name() + ".txt");
        assertEquals(printed(columns, command.name(), "-h"), Files.readString(file));
        assertEquals(printed(columns, "-h", command.name()), Files.readString(file));
      }
    }
  }

  private static String printed(int columns, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int exitCode = Main.run(words, Terminal.of(out, new ByteArrayOutputStream(), 24, columns));
    assertEquals(0, exitCode);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static Path pages() {
    return TestData.projectRoot().resolve("cli/src/main/resources/io/ntrail/cli/help");
  }

  private static List<String> words(String text) {
    return List.of(text.strip().split("\\s+"));
  }

  private static Set<String> texts(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
