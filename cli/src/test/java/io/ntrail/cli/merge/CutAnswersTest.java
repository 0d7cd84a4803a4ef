package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail cut}: with the same filter each question has the same answer as before. */
class CutAnswersTest {
  private static final List<List<String>> CUTS =
      List.of(
          List.of("--time", "1..2"),
          List.of("--time", "0.001..0.5"),
          List.of("--time", "3.25.."),
          List.of("--time", "0.1..0.9", "-p", "Test*"),
          List.of("-p", "Test*"),
          List.of("-p", "System"),
          List.of("-t", "0"),
          List.of("-e", "SampleProf"),
          List.of("-e", "*Clr*", "-e", "*Kernel-File*"),
          List.of("-e", "Image/*", "--time", "0.001..4"),
          List.of("-e", "DiskIo/*", "-e", "FileIo/*"),
          List.of("-p", "shop*", "--time", "0.3..0.9"),
          List.of("-t", "4316"),
          List.of("--cpu", "1,3"));

  private static final List<List<String>> QUESTIONS =
      List.of(
          List.of("events", "--count", "--format", "json"),
          List.of("events", "--count", "--by", "process"),
          List.of("events", "--stacks", "--format", "jsonl"),
          List.of("events", "--format", "csv"),
          List.of("profile", "--format", "json", "-n", "0"),
          List.of("profile"),
          List.of("profile", "--bottom-up"),
          List.of("profile", "--metric", "wait", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "ready", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "disk", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "file", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "fault", "--format", "json", "-n", "0"),
          List.of("profile", "--metric", "alloc", "--format", "json", "-n", "0"),
          List.of("export", "--to", "collapsed"),
          List.of("export", "--to", "speedscope"));

  /**
   * Numbers that say how much was read for an answer, what a cut says of itself, and what it leaves
   * out though it may be meant.
   */
  private static final Pattern EFFORT =
      Pattern.compile(
          "\"records\":\\d+(?=,\"unmatched\")|\"symbols\":\\{\"hot\":\\d+"
              + "|\"remarks\":\\{\"undescribed\":[^}]*},|\"unattributed\":\\d+"
              + "|\"omissions\":\\[\\{[^]]*}],|, a part of another one( \\(without .*?\\))?(?=, )");

  /** A recording with stacks of every kind. */
  private static final String STACKS = "perfview-net452-x64.etl.gz";

  @TempDir private Path folder;

  private static List<Path> shared() throws IOException {
    try (Stream<Path> files = Files.list(TestData.file("etl"))) {
      return files.filter(file -> file.toString().endsWith(".etl.gz")).sorted().toList();
    }
  }

  private Path unpacked(Path packed) throws IOException {
    Path whole = Files.createDirectories(folder.resolve("whole"));
    String name = packed.getFileName().toString();
    Path file = whole.resolve(name.substring(0, name.length() - ".gz".length()));
    try (InputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
      Files.copy(in, file);
    }
    return file;
  }

  private Path cut(Path file, List<String> filter, int number) throws IOException {
    Path into = Files.createDirectories(folder.resolve("cut" + number));
    Path cut = into.resolve(file.getFileName());
    List<Object> words = new ArrayList<>(List.of("cut", file, "-o", cut));
    words.addAll(filter);
    Result result = Cli.run(words.toArray());
    assertTrue(result.exit() == 0 || result.exit() == 3, result.err());
    return cut;
  }

  /** Writes the answer to a question, and what is said beside it. */
  private Path answer(List<String> question, Path file, List<String> filter, String name)
      throws IOException {
    Path answer = folder.resolve(name);
    List<Object> words = new ArrayList<>(question);
    words.add(1, file);
    words.addAll(filter);
    words.addAll(List.of("-o", answer));
    Result result = Cli.run(words.toArray());
    Files.writeString(
        answer,
        "exit code "
            + result.exit()
            + "\n"
            + (result.out() + result.err()).replace(answer.toString(), "FILE"),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    return answer;
  }

  /** Returns the next line that is not about the files themselves; null at the end. */
  private static @Nullable String next(BufferedReader reader, Path of) throws IOException {
    String line = reader.readLine();
    while (line != null && isOfTheCut(line)) {
      line = reader.readLine();
    }
    return line == null
        ? null
        : line.replace(Objects.requireNonNull(of.getParent()).toString(), "");
  }

  private static String withoutEffort(String line) {
    return EFFORT.matcher(line).replaceAll("");
  }

  private static Optional<String> difference(Path whole, Path wholeAnswer, Path cut, Path cutAnswer)
      throws IOException {
    try (BufferedReader a = Files.newBufferedReader(wholeAnswer);
        BufferedReader b = Files.newBufferedReader(cutAnswer)) {
      for (int line = 1; ; line++) {
        String left = next(a, whole);
        String right = next(b, cut);
        if (left == null && right == null) {
          return Optional.empty();
        }
        // The pattern would take most of the test's time, and nearly all lines are the same.
        if (left != null && right != null && !left.equals(right)) {
          left = withoutEffort(left);
          right = withoutEffort(right);
        }
        if (left == null || !left.equals(right)) {
          return Optional.of("line " + line + ":\n" + shown(left, right));
        }
      }
    }
  }

  private static String shown(@Nullable String left, @Nullable String right) {
    if (left == null || right == null) {
      return "  " + left + "\n  " + right;
    }
    int at = 0;
    while (at < Math.min(left.length(), right.length()) && left.charAt(at) == right.charAt(at)) {
      at++;
    }
    return "  " + around(left, at) + "\n  " + around(right, at);
  }

  /** Returns true for what a cut says of itself, and for the header, which says how it was made. */
  private static boolean isOfTheCut(String line) {
    return line.contains("a part of another recording, without")
        || line.contains("of unknown processes may belong to")
        || line.contains("\"provider\":\"ntrail\"")
        || line.contains("\"event\":\"EventTrace/Header\"")
        || line.contains("BuffersWritten");
  }

  /** Returns how the answers for cuts of a recording differ from those for the whole. */
  private List<String> differences(Path file, List<List<String>> cuts) throws IOException {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < cuts.size(); i++) {
      List<String> filter = cuts.get(i);
      Path cut = cut(file, filter, i);
      for (List<String> question : QUESTIONS) {
        Path whole = answer(question, file, filter, "whole.txt");
        Path part = answer(question, cut, filter, "part.txt");
        difference(file, whole, cut, part)
            .ifPresent(what ->
                differences.add(
                    "%s %s %s %s".formatted(file.getFileName(), filter, question, what)));
        Files.delete(whole);
        Files.delete(part);
      }
      Files.delete(cut);
    }
    return differences;
  }

  @Test
  void eachQuestionHasTheSameAnswerWithTheSameFilter() throws IOException {
    Path sample = TestData.projectRoot().resolve("samples/shop.etl");
    assertEquals(List.of(), differences(sample, Slice.of(CUTS, 3)));
  }

  @Test
  void eachQuestionAboutSharedRecordingsHasTheSameAnswer() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<Path> some = new ArrayList<>(Slice.of(shared(), 14));
    some.addAll(
        shared().stream().filter(file -> file.endsWith(STACKS) && !some.contains(file)).toList());
    for (Path packed : some) {
      Path file = unpacked(packed);
      assertEquals(List.of(), differences(file, Slice.of(CUTS, 4)));
      Files.delete(file);
    }
  }

  private static String around(String line, int at) {
    return line.substring(Math.max(0, at - 80), Math.min(line.length(), at + 120));
  }
}
