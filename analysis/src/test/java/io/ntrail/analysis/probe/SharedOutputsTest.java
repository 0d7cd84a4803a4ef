package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** D programs whose output the suite of another DTrace has (data/probe-language). */
class SharedOutputsTest {
  private static final Set<String> IN_ORDER =
      Set.of(
          "aggs-signedkeys",
          "aggs-valsortkeypos",
          "aggs-negtrunc",
          "aggs-negtruncquant",
          "aggs-keysort",
          "aggs-allquant");

  private static final String BANNER = "Linux version 6.1.0 of a test";
  private static final long BANNER_AT = 0x1000;

  static Stream<String> programs() throws IOException {
    if (!TestData.available()) {
      return Stream.of("none");
    }
    try (Stream<Path> files = Files.list(TestData.file("probe-language/README.md").getParent())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".txt"))
          .map(name -> name.substring(0, name.length() - 4))
          .sorted()
          .toList()
          .stream();
    }
  }

  /** Returns what a program prints, and then what it says on the other stream. */
  private static String output(String program, String script) {
    byte[] banner = (BANNER + "\0").getBytes(StandardCharsets.ISO_8859_1);
    ProbeScript.Result result =
        ProbeScript.with(
                (address, length) -> {
                  int from = (int) (address - BANNER_AT);
                  return from < 0 || from >= banner.length
                      ? new byte[0]
                      : Arrays.copyOfRange(banner, from, Math.min(banner.length, from + length));
                },
                "test",
                Long.toString(BANNER_AT))
            .run(program);
    String said = result.err().replace("matched", "dtrace: script '%s' matched".formatted(script));
    for (String drop : result.drops()) {
      said += "dtrace: " + drop + "\n";
    }
    return said.isEmpty() ? result.out() : result.out() + "-- @@stderr --\n" + said;
  }

  /** Cuts what depends on the machine, as the suite itself does. */
  private static List<String> lines(String text, boolean isOrdered, boolean isQuiet) {
    Stream<String> lines =
        Arrays.stream(text.split("\n", -1))
            .map(line ->
                !isQuiet && line.matches("(CPU +ID|[ \\d]{3} [ \\d]{6}) +\\S*:\\S+( .*)?")
                    ? line.substring(11)
                    : line);
    return (isOrdered ? lines : lines.sorted()).toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void aProgramPrintsWhatTheOtherDTracePrints(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    String expected =
        Files.readString(
            TestData.file("probe-language/" + name + ".txt"), StandardCharsets.ISO_8859_1);
    String program;
    try (InputStream in = SharedOutputsTest.class.getResourceAsStream("programs/" + name + ".d")) {
      program = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
    String script = expected.replaceFirst("(?s).*script '([^']*)'.*", "$1");
    boolean isOrdered = IN_ORDER.contains(name);
    boolean isQuiet = program.contains("option quiet");
    assertEquals(
        String.join("\n", lines(expected, isOrdered, true)),
        String.join("\n", lines(output(program, script), isOrdered, isQuiet)),
        name);
  }
}
