package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.probe.compile.ProgramCompiler;
import io.ntrail.analysis.probe.compile.ProgramCompiler.Compiled;
import io.ntrail.analysis.probe.engine.Consumer;
import io.ntrail.analysis.probe.engine.Enabling;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
  private static final int MOST_TICKS = 10_000;

  private static final List<Probe> PROBES =
      List.of(
          new Probe(1, "dtrace", "", "", "BEGIN", List.of()),
          new Probe(2, "dtrace", "", "", "END", List.of()),
          new Probe(3, "dtrace", "", "", "ERROR", List.of()),
          new Probe(4, "profile", "", "", "tick-1ms", List.of()));

  /** Event of a machine where nothing else happens. */
  private record Tick(long number) implements ProbeEvent {
    @Override
    public long timestamp() {
      return number * 1_000_000;
    }

    @Override
    public long wallTimestamp() {
      return timestamp();
    }
  }

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

  private static List<Probe> matching(ProbeDescription description) {
    List<Probe> found =
        PROBES.stream().filter(probe -> probe.name().equals(description.name())).toList();
    if (found.isEmpty()) {
      throw new CompileError(
          "D_PDESC_ZERO", description.place(), "%s matches no probe".formatted(description.text()));
    }
    return found;
  }

  private static List<Enabling> at(Compiled program, String name) {
    return program.enablings().stream().filter(one -> one.probe().name().equals(name)).toList();
  }

  /** Returns what a program prints, and then what it says on the other stream. */
  private static String output(String program, String script) {
    Options options = new Options();
    byte[] banner = (BANNER + "\0").getBytes(StandardCharsets.ISO_8859_1);
    Memory memory =
        new Memory((address, length) -> {
          int from = (int) (address - BANNER_AT);
          return from < 0 || from >= banner.length
              ? new byte[0]
              : Arrays.copyOfRange(banner, from, Math.min(banner.length, from + length));
        });
    Macros macros = new Macros(List.of("test", Long.toString(BANNER_AT)), Map.of());
    Compiled compiled =
        ProgramCompiler.compile(
            Parser.parse(program, macros), options, memory, SharedOutputsTest::matching);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream errors = new PrintStream(err, true, StandardCharsets.ISO_8859_1);
    Consumer consumer = new Consumer(options, out, errors, compiled.aggregations());
    Run run = new Run(options, consumer, memory, new Tick(0));
    run.prepare(compiled.variables(), compiled.clauseLocals(), at(compiled, "ERROR"));
    if (!options.is("quiet")) {
      int probes = compiled.enablings().size();
      errors.print(
          "dtrace: script '%s' matched %d probe%s\n"
              .formatted(script, probes, probes == 1 ? "" : "s"));
    }
    run.fire(at(compiled, "BEGIN"), new Tick(0));
    List<Enabling> ticks = at(compiled, "tick-1ms");
    for (int i = 1; i < MOST_TICKS && !run.isExiting(); i++) {
      run.fire(ticks, new Tick(i));
    }
    run.ending();
    run.fire(at(compiled, "END"), new Tick(MOST_TICKS));
    consumer.end();
    run.drops().forEach(drop -> errors.print("dtrace: " + drop + "\n"));
    String printed = out.toString(StandardCharsets.ISO_8859_1);
    String said = err.toString(StandardCharsets.ISO_8859_1);
    return said.isEmpty() ? printed : printed + "-- @@stderr --\n" + said;
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
