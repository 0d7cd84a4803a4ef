package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The programs in {@code src/test/programs}, built, run, and run with tracing. */
final class Programs implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Wine wine;
  private final Path folder;
  private final Tracing tracing;

  /**
   * Begins.
   *
   * @param folder for what programs print and what is recorded
   */
  Programs(Path folder) {
    assumeTrue(Wine.available(), Wine.missing());
    this.wine = Wine.shared();
    this.folder = folder;
    this.tracing = Tracing.in(wine, folder);
  }

  Tracing tracing() {
    return tracing;
  }

  Wine wine() {
    return wine;
  }

  /** Builds C, C++ or assembly, by the name's end; C with __try has a name of its own. */
  static Path build(String... sources) throws IOException {
    return build(List.of(), sources);
  }

  /** Builds with further options of the linker. */
  static Path build(List<String> options, String... sources) throws IOException {
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    List<Path> paths = Stream.of(sources).map(programs::resolve).toList();
    WindowsCompiler compiler =
        sources[0].startsWith("seh")
            ? WindowsCompiler.CLANG
            : sources[0].endsWith(".cpp") ? WindowsCompiler.MINGW_CXX : WindowsCompiler.MINGW_C;
    return build(compiler, paths, options);
  }

  /**
   * Builds the same for 32 bits. Of those in the folder, {@code registers.c} has a twin, {@code
   * registers32.c}; {@code step.c}, {@code walk.c} and {@code wide.c} are about unwind data and
   * registers of x64. GCC's exceptions are those of the model DW2; there is no compiler here that
   * has others for 32 bits (SJLJ).
   */
  static Path build32(List<String> options, String... sources) throws IOException {
    Path programs = TestData.projectRoot().resolve("live/src/test/programs");
    List<Path> paths = Stream.of(sources).map(programs::resolve).toList();
    WindowsCompiler compiler =
        sources[0].startsWith("seh")
            ? WindowsCompiler.CLANG_32
            : sources[0].endsWith(".cpp")
                ? WindowsCompiler.MINGW_CXX_32
                : WindowsCompiler.MINGW_C_32;
    return build(compiler, paths, options);
  }

  private static Path build(WindowsCompiler compiler, List<Path> paths, List<String> options)
      throws IOException {
    assumeTrue(compiler.available(), compiler.missing());
    boolean isClang = compiler == WindowsCompiler.CLANG || compiler == WindowsCompiler.CLANG_32;
    return compiler.build(
        paths,
        Stream.concat(Stream.of(isClang ? "-O1" : "-O2"), options.stream()).toArray(String[]::new));
  }

  /** A program's command line in the target's system. */
  String line(Path program, String... arguments) {
    StringBuilder line = new StringBuilder("\"" + tracing.name(program) + "\"");
    for (String argument : arguments) {
      line.append(' ').append(argument);
    }
    return line.toString();
  }

  /**
   * Runs it without tracing. Twice in hundreds of runs Wine alone had started none: a program that
   * printed nothing is told with its exit code and run again, also one that never prints.
   */
  Wine.Outcome untraced(Path program, String input, String... arguments) throws IOException {
    Wine.Outcome outcome = alone(program, input, arguments);
    if (outcome.text().isEmpty() && outcome.errors().isEmpty()) {
      System.out.printf(
          "%s printed nothing untraced and ended with %d: run again%n",
          program.getFileName(), outcome.exitCode());
      return alone(program, input, arguments);
    }
    return outcome;
  }

  private Wine.Outcome alone(Path program, String input, String... arguments) throws IOException {
    String[] command = new String[1 + arguments.length];
    command[0] = program.toString();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    byte[] bytes = input.getBytes(StandardCharsets.ISO_8859_1);
    return wine.run(folder, bytes, LIMIT, command);
  }

  /** Runs it with tracing. */
  Tracing.Outcome traced(Tracing.Settings settings, Path program, String... arguments)
      throws IOException {
    return tracing.run(settings, line(program, arguments));
  }

  /** Runs it both ways; what it prints, and how it ends, must be the same. */
  Tracing.Outcome same(Tracing.Settings settings, Path program, String... arguments)
      throws IOException {
    Wine.Outcome expected = untraced(program, "", arguments);
    Tracing.Outcome traced = traced(settings, program, arguments);
    mustEqual(expected, traced);
    return traced;
  }

  /** Output and exit code of two runs. */
  static void mustEqual(Wine.Outcome expected, Tracing.Outcome traced) {
    assertEquals(expected.text(), traced.text());
    assertEquals(expected.errors(), traced.errors(), "error output");
    assertEquals(expected.exitCode(), traced.exitCode() & 0xFF, "exit code");
    assertTrue(traced.selfTest().passed(), traced.selfTest().why());
  }

  /** Every record came through, and each call has an end unless it is open. */
  static CallTable exact(Tracing.Outcome traced) throws IOException {
    CallTable calls = traced.calls();
    String all = traced.statistics() + "\n" + calls.byFunction();
    assertEquals(0, traced.statistics().allDropped(), all);
    assertEquals(0, traced.statistics().noArea(), all);
    assertEquals(0, traced.statistics().damaged(), all);
    assertEquals(0, traced.statistics().unknownFunctions(), all);
    assertEquals(List.of(), traced.statistics().remarks(), all);
    assertEquals(0, calls.all().lostEntries(), all);
    for (CallTable.Row row : calls.byFunction().values()) {
      assertEquals(row.entries + row.entriesOnly, row.calls, all);
      assertEquals(row.entries, row.returned + row.unwound + row.open + row.inferred, all);
      assertEquals(row.exits, row.returned, all);
    }
    return calls;
  }

  @Override
  public void close() {
    tracing.close();
  }
}
