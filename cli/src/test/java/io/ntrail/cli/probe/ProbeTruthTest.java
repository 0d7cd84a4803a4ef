package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs over recordings whose answers others have published, or that were worked by hand: the
 * table {@code probe-truth.txt}, which says of each answer where it is from.
 */
class ProbeTruthTest {
  private static final String WORKED = "worked";
  private static final List<String> PROVIDERS =
      List.of("dtrace", "profile", "etw", "kernel", "sched", "io", "proc", "pid", "syscall");

  @TempDir private Path folder;

  /**
   * Entry of the table.
   *
   * @param line of the table that it begins at
   * @param from file of the shared test data that has the answer, or {@link #WORKED}
   * @param says lines of that file, or how the answer was worked
   * @param over recording: a file of the shared test data, or one that is made here
   */
  record Entry(
      int line,
      String provider,
      String from,
      List<String> says,
      String over,
      String program,
      List<String> output) {
    boolean isWorked() {
      return from.equals(WORKED);
    }

    /** Returns true if nothing of the shared test data is needed. */
    boolean isOwn() {
      return isWorked() && List.of("nothing", "switches", "places", "calls").contains(over);
    }

    @Override
    public String toString() {
      return "line %d: %s over %s".formatted(line, provider, over);
    }
  }

  static List<Entry> entries() throws IOException {
    List<String> lines;
    try (InputStream in = ProbeTruthTest.class.getResourceAsStream("probe-truth.txt")) {
      byte[] all = Objects.requireNonNull(in).readAllBytes();
      lines = new String(all, StandardCharsets.UTF_8).lines().toList();
    }
    List<Entry> entries = new ArrayList<>();
    List<String> block = new ArrayList<>();
    for (int i = 0; i <= lines.size(); i++) {
      String line = i == lines.size() ? "" : lines.get(i);
      if (!line.isBlank() && !line.startsWith("#")) {
        block.add(line);
      } else if (line.isBlank() && !block.isEmpty()) {
        entries.add(entry(i - block.size() + 1, block));
        block.clear();
      }
    }
    return entries;
  }

  private static Entry entry(int line, List<String> block) {
    Map<String, List<String>> byKey =
        block.stream()
            .map(one -> one.split(" ", 2))
            .collect(
                Collectors.groupingBy(
                    parts -> parts[0], Collectors.mapping(parts -> parts[1], Collectors.toList())));
    return new Entry(
        line,
        values(byKey, "provider").getFirst(),
        values(byKey, "from").getFirst(),
        values(byKey, "says"),
        values(byKey, "over").getFirst(),
        String.join("\n", values(byKey, "run")),
        values(byKey, "out"));
  }

  private static List<String> values(Map<String, List<String>> byKey, String key) {
    return Objects.requireNonNull(byKey.get(key), key);
  }

  /** Returns lines that have something, with one blank between two words. */
  private static List<String> words(Stream<String> lines) {
    return lines
        .map(line -> line.strip().replaceAll("\\s+", " "))
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("entries")
  void aProgramPrintsWhatIsKnownFromElsewhere(Entry entry) throws IOException {
    assumeTrue(entry.isOwn() || TestData.available(), TestData.MISSING);
    List<Object> words =
        new ArrayList<>(List.of("probe", "#pragma D option quiet\n" + entry.program()));
    if (!entry.over().equals("nothing")) {
      words.add(recording(entry.over()));
    }
    Result result = Cli.run(words.toArray());
    assertEquals(
        String.join("\n", words(entry.output().stream())),
        String.join("\n", words(result.out().lines())),
        entry + "\n" + result.err());
    assertEquals(0, result.exit(), result.err());
  }

  static List<Entry> published() throws IOException {
    return entries().stream().filter(entry -> !entry.isWorked()).toList();
  }

  @ParameterizedTest
  @MethodSource("published")
  void anAnswerStandsInTheFileThatItIsFrom(Entry entry) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] file = TestData.unpacked(TestData.file(entry.from()));
    String text = new String(file, StandardCharsets.UTF_8);
    for (String says : entry.says()) {
      assertTrue(text.contains(says), entry + ": " + entry.from() + " does not say " + says);
    }
  }

  @Test
  void everyProviderHasFiveProgramsAndMore() throws IOException {
    Map<String, Long> programs =
        entries().stream().collect(Collectors.groupingBy(Entry::provider, Collectors.counting()));
    assertEquals(
        PROVIDERS.stream().sorted().toList(), programs.keySet().stream().sorted().toList());
    assertTrue(programs.values().stream().allMatch(count -> count >= 5), "programs: " + programs);
  }

  private Path recording(String over) throws IOException {
    ProbeTruthRecordings made = new ProbeTruthRecordings(folder);
    String[] words = over.split(" ");
    return switch (words[0]) {
      case "switches" -> made.switches();
      case "places" -> made.places();
      case "calls" -> made.calls();
      case "vectors" -> made.vectors(Arrays.stream(words).skip(1).map(Integer::parseInt).toList());
      default -> TestData.file(over);
    };
  }
}
