package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The programs in {@code src/test/programs}, built, run, and run with tracing. */
final class Programs implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Machine machine;
  private final Wine wine;
  private final Path folder;
  private final Tracing tracing;

  /**
   * Begins, with programs for x64.
   *
   * @param folder for what programs print and what is recorded
   */
  Programs(Path folder) {
    this(Machine.X64, folder);
  }

  /**
   * Begins.
   *
   * @param machine of the programs
   * @param folder for what programs print and what is recorded
   */
  Programs(Machine machine, Path folder) {
    this.machine = machine;
    this.wine = machine.wine();
    this.folder = folder;
    this.tracing = Tracing.in(wine, machine.type(), folder);
  }

  Machine machine() {
    return machine;
  }

  Tracing tracing() {
    return tracing;
  }

  Wine wine() {
    return wine;
  }

  /** Builds for x64: {@link Machine#build}. */
  static Path build(String... sources) throws IOException {
    return build(List.of(), sources);
  }

  /** Builds for x64 with further options of the linker. */
  static Path build(List<String> options, String... sources) throws IOException {
    return Machine.X64.build(options, sources);
  }

  /** Builds for the machine of this. */
  Path make(String... sources) throws IOException {
    return machine.build(List.of(), sources);
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
    assertEquals(0, traced.statistics().noTable(), all);
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
