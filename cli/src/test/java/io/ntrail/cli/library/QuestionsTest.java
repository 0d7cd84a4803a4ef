package io.ntrail.cli.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.CommandsInTurn;
import io.ntrail.cli.harness.Tools;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The hundred questions that users of other tools ask, and the answers as they were when somebody
 * read them: piped, and on terminals of 80 and 140 columns. {@code -Dntrail.questions=write} writes
 * them anew; they are to be read before they are kept.
 */
class QuestionsTest {
  private static final Path ROOT = TestData.projectRoot();
  private static final Path FOLDER =
      ROOT.resolve("cli/src/test/resources/io/ntrail/cli/library/questions");

  /** Lines of an answer that are kept. */
  private static final int KEPT = 16;

  /**
   * A question.
   *
   * @param asked its words, with the row of the list of what users ask
   * @param command without the name of the program
   */
  private record Question(String asked, List<String> command) {
    boolean needsData() {
      return command.stream().anyMatch(word -> word.startsWith("data/"));
    }
  }

  /** Relative, like all names here: where a checkout lies must not change how lines are broken. */
  private final Path folder = Path.of("target/questions");

  @BeforeEach
  void files() throws IOException {
    Files.createDirectories(folder);
    byte[] sample = Files.readAllBytes(ROOT.resolve("samples/shop.etl"));
    Files.write(folder.resolve("cut.etl"), Arrays.copyOf(sample, sample.length / 2 + 99));
    if (TestData.available() && !Files.exists(folder.resolve("data"))) {
      // The data may lie anywhere, and longer names would break lines elsewhere.
      Files.deleteIfExists(folder.resolve("data"));
      Files.createSymbolicLink(folder.resolve("data"), TestData.file("etl").getParent());
    }
    Files.writeString(folder.resolve("old.collapsed.txt"), "main;parse 3\nmain 1\n");
    Files.writeString(folder.resolve("new.collapsed.txt"), "main;parse 2\nmain;print 4\n");
  }

  private static List<Question> questions() throws IOException {
    List<Question> questions = new ArrayList<>();
    for (String line : Files.readAllLines(FOLDER.resolve("questions.txt"))) {
      if (!line.startsWith("#")) {
        String[] parts = line.split(" \\| ", 2);
        questions.add(new Question(parts[0], List.of(parts[1].split(" ", -1))));
      }
    }
    return questions;
  }

  private String here(String word) {
    if (word.startsWith("samples")) {
      return "../" + word;
    }
    if (word.startsWith("data/")) {
      return folder.resolve(word).toString();
    }
    return word.startsWith("@") ? folder.resolve(word.substring(1)).toString() : word;
  }

  /**
   * Returns an answer, its messages and its exit code.
   *
   * @param columns of the terminal; 0: a pipe
   */
  private String answer(Question question, int columns) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal = columns == 0 ? Terminal.of(out, err) : Terminal.of(out, err, 400, columns);
    List<String> words = new ArrayList<>(question.command().stream().map(this::here).toList());
    words.add("-q");
    int exit = Main.run(words.toArray(String[]::new), terminal);
    List<String> lines = kept(out.toString(StandardCharsets.UTF_8).lines().toList());
    err.toString(StandardCharsets.UTF_8).lines().map(line -> "! " + line).forEach(lines::add);
    lines.add("[exit " + exit + "]");
    return named(String.join("\n", lines));
  }

  /** Writes names of files as questions do. */
  private String named(String text) {
    return text.replace(folder + "/data/", "data/").replace(folder + "/", "@");
  }

  private static boolean canBeAsked(Question question) {
    return !question.needsData() || TestData.available();
  }

  private static List<String> kept(List<String> answer) {
    int more = answer.size() - KEPT;
    List<String> lines = new ArrayList<>(answer.subList(0, Math.min(KEPT, answer.size())));
    if (more > 0) {
      lines.add("[" + more + " more lines]");
    }
    return lines;
  }

  private static String heading(Question question) {
    return "== " + question.asked() + "\n$ ntrail " + String.join(" ", question.command()) + "\n";
  }

  @Test
  void thereAreAHundred() throws IOException {
    assertTrue(questions().size() >= 100, questions().size() + " questions");
  }

  @ParameterizedTest
  @CsvSource({"piped.txt, 0", "columns-80.txt, 80", "columns-140.txt, 140"})
  void theAnswersAreThoseThatWereRead(String name, int columns) throws IOException {
    boolean isWriting = "write".equals(System.getProperty("ntrail.questions"));
    StringBuilder found = new StringBuilder();
    List<String> wrong = new ArrayList<>();
    String kept = isWriting ? "" : Files.readString(FOLDER.resolve(name));
    for (Question question : questions()) {
      if (!canBeAsked(question)) {
        assumeTrue(!isWriting, TestData.MISSING);
        continue;
      }
      String section = heading(question) + answer(question, columns) + "\n\n";
      found.append(section);
      if (!isWriting && !kept.contains(section)) {
        wrong.add(section);
      }
    }
    if (isWriting) {
      Files.writeString(FOLDER.resolve(name), found.toString());
    }
    assertEquals(List.of(), wrong);
  }

  @ParameterizedTest
  @CsvSource({"columns-80.txt, 80", "columns-140.txt, 140"})
  void onARealTerminalTheAnswersAreTheSame(String name, int columns) throws IOException {
    Tools.assume("script");
    List<Question> asked = questions().stream().filter(QuestionsTest::canBeAsked).toList();
    List<String> commands =
        asked.stream()
            .map(one -> one.command().stream().map(this::here).collect(Collectors.joining("\t")))
            .map(words -> words + "\t-q")
            .toList();
    Path file = Files.write(folder.resolve("commands-" + columns + ".txt"), commands);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String run =
        String.join(
            " ",
            "stty rows 400 cols " + columns + ";",
            "env -u LINES -u COLUMNS -u NTRAIL_TTY NO_COLOR=1 TERM=xterm LC_ALL=C.UTF-8",
            ShellWords.of(java),
            "--enable-native-access=ALL-UNNAMED -cp",
            ShellWords.of(System.getProperty("java.class.path")),
            CommandsInTurn.class.getName(),
            ShellWords.of(file.toString()));
    Tools.Result shown = Tools.run("script", "-qec", run, "/dev/null");
    assertEquals(0, shown.exit(), shown.out());
    String kept = Files.readString(FOLDER.resolve(name));
    List<String> rest = new ArrayList<>(shown.out().replace("\r", "").lines().toList());
    List<String> wrong = new ArrayList<>();
    for (Question question : asked) {
      int end = 0;
      while (!rest.get(end).startsWith(CommandsInTurn.END)) {
        end++;
      }
      String exit = rest.get(end).substring(CommandsInTurn.END.length());
      String expected = expected(question, kept);
      String found = answer(rest.subList(0, end), expected, exit);
      if (!found.equals(expected)) {
        wrong.add(heading(question) + found);
      }
      rest = rest.subList(end + 1, rest.size());
    }
    assertEquals(List.of(), wrong);
    assertEquals(List.of(), rest);
  }

  /** Returns the answer of a question that is kept. */
  private static String expected(Question question, String kept) {
    int begin = kept.indexOf(heading(question));
    assertTrue(begin >= 0, heading(question));
    int answer = begin + heading(question).length();
    return kept.substring(
            answer,
            kept.indexOf("\n\n== ", answer) < 0 ? kept.length() : kept.indexOf("\n\n== ", answer))
        .strip();
  }

  /**
   * Returns what was shown on a terminal in the form in which answers are kept. There the messages
   * are anywhere between the lines of the answer: those that are expected are put behind them.
   */
  private String answer(List<String> shown, String expected, String exit) {
    List<String> lines = new ArrayList<>(shown.stream().map(this::named).toList());
    List<String> messages = new ArrayList<>();
    for (String line : expected.lines().filter(line -> line.startsWith("! ")).toList()) {
      if (lines.remove(line.substring(2))) {
        messages.add(line);
      }
    }
    List<String> answer = kept(lines);
    answer.addAll(messages);
    answer.add("[exit " + exit + "]");
    return String.join("\n", answer).strip();
  }
}
