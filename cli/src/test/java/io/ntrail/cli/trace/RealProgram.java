package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.CallBalance;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Program of others, as its user would start it, untraced and traced.
 *
 * @param folder where it runs
 * @param environment its own variables
 * @param steady takes out of its output what differs from run to run
 * @param command its path or name, and arguments
 */
record RealProgram(
    Wine wine,
    Path folder,
    Map<String, String> environment,
    UnaryOperator<String> steady,
    List<String> command) {
  private static final long SECONDS = 240;

  /** Result of a run: its exit code, its standard output, and all that went to the other one. */
  record Outcome(int exit, String text, String errors) {}

  /** Report of a trace, and the calls of its recording by function. */
  record Trace(JsonReader report, JsonReader flat, String errors) {
    /** Number of recorded entries of a function, as in {@code kernel32.dll!ReadFile}. */
    long calls(String function) {
      return flat.get("functions").array().stream()
          .filter(row -> row.get("function").text().equalsIgnoreCase(function))
          .mapToLong(row -> row.get("entries").number())
          .sum();
    }

    long entries() {
      return report.get("entries").number();
    }
  }

  static RealProgram of(Wine wine, Path folder, Object... command) {
    List<String> words = List.of(command).stream().map(Object::toString).toList();
    return new RealProgram(wine, folder, Map.of(), UnaryOperator.identity(), words);
  }

  RealProgram with(String variable, String value) {
    Map<String, String> more = new TreeMap<>(environment);
    more.put(variable, value);
    return new RealProgram(wine, folder, more, steady, command);
  }

  RealProgram without(String changing) {
    return new RealProgram(
        wine, folder, environment, text -> text.replaceAll(changing, "-"), command);
  }

  /** Runs something in its folder, with its variables; what it prints goes into files. */
  private Outcome run(List<String> whole) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path errors = Files.createTempFile(folder, "errors", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(whole)
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile());
    builder.environment().putAll(wine.environment());
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
      throw new AssertionError(whole + " did not end");
    }
    return new Outcome(
        process.exitValue(),
        steady.apply(Files.readString(out, StandardCharsets.ISO_8859_1)),
        Files.readString(errors, StandardCharsets.ISO_8859_1));
  }

  Outcome untraced() throws IOException, InterruptedException {
    List<String> whole = new ArrayList<>(List.of(wine.loader().toString()));
    whole.addAll(command);
    return run(whole);
  }

  /**
   * Traces it, and checks that it did what it does untraced and that nothing is missing.
   *
   * @param options of {@code ntrail trace}
   */
  Trace traced(Outcome expected, String... options) throws IOException, InterruptedException {
    Path report = folder.resolve("report.json");
    Path recording = folder.resolve("calls.ntr");
    List<String> whole = Cli.command("trace", "-q", "--format", "json");
    whole.addAll(List.of("--report", report.toString(), "-o", recording.toString()));
    whole.addAll(List.of(options));
    whole.add("--");
    whole.addAll(command);
    Outcome outcome = run(whole);
    String what = command.getFirst() + " " + String.join(" ", options) + ": ";
    assertEquals(expected.exit(), outcome.exit(), () -> what + outcome.errors());
    assertEquals(expected.text(), outcome.text(), () -> what + outcome.errors());
    JsonReader told = JsonReader.parse(Files.readString(report));
    CallBalance.check(told);
    for (String loss :
        List.of("lost", "discarded", "skipped", "reentrant", "withoutThreadBlock", "tooDeep")) {
      assertEquals(0, told.get(loss).number(), () -> what + loss);
    }
    assertEquals("[]", "" + told.get("untraced").array(), what);
    Cli.Result calls = Cli.run("calls", recording, "--flat", "--format", "json");
    assertEquals(0, calls.exit(), calls.err());
    JsonReader flat = calls.json();
    CallBalance.check(flat);
    CallBalance.same(told, flat);
    Cli.Result info = Cli.run("info", recording);
    assertEquals(0, info.exit(), info.err());
    String first = info.lines().getFirst();
    assertTrue(first.contains("complete, 0 records lost"), first);
    assertFalse(first.contains("incomplete"), first);
    assertTrue(told.get("entries").number() > 0, what + "no call");
    System.out.printf(
        "%s%d entries, %.2f s%n",
        what.replaceFirst("^.*/", ""),
        told.get("entries").number(),
        told.get("durationNanos").number() / 1e9);
    return new Trace(told, flat, outcome.errors());
  }
}
