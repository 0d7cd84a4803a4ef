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
import java.time.Duration;
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
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");

  /** Win32, as far as it is about files, as options. */
  static final List<String> FILES = List.of("-f", "kernel32!*File*", "-f", "kernelbase!*File*");

  /** Exports that programs call often enough to compare numbers, and tracing never calls. */
  static final RelayLog RELAY =
      new RelayLog(
          "kernel32",
          List.of(
              "CreateFileW",
              "ReadFile",
              "WriteFile",
              "GetFileType",
              "GetFileAttributesW",
              "GetFileAttributesExW",
              "GetFileInformationByHandle",
              "FindFirstFileW",
              "SetFilePointer",
              "SetFilePointerEx",
              "CreateFileMappingW"));

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

  /** Runs it with another program beside it, which is waited for. */
  Outcome untraced(RealProgram beside) throws IOException, InterruptedException {
    try (Companion _ = new Companion(beside)) {
      return untraced();
    }
  }

  /** Traces it with another program beside it, which is waited for. */
  Trace traced(RealProgram beside, Outcome expected, String... options)
      throws IOException, InterruptedException {
    try (Companion _ = new Companion(beside)) {
      return traced(expected, options);
    }
  }

  /** Traces it with its own functions and those of Win32, one after the other or at once. */
  void both(String... own) throws IOException, InterruptedException {
    Outcome expected = untraced();
    if (LONG) {
      traced(expected, own);
      traced(expected, FILES.toArray(String[]::new));
    } else {
      List<String> all = new ArrayList<>(List.of(own));
      all.addAll(FILES);
      traced(expected, all.toArray(String[]::new));
    }
  }

  /**
   * Traces it while Wine logs calls: it and ntrail count the same run.
   *
   * @return number of calls that were compared
   */
  long sameAsRelay(RelayLog relay) throws IOException, InterruptedException {
    Outcome expected = untraced();
    byte[] none = {};
    String[] set = {
      "reg", "add", "HKCU\\Software\\Wine\\Debug", "/v", "RelayInclude", "/d", relay.include(), "/f"
    };
    assertEquals(0, wine.run(folder, none, Duration.ofMinutes(2), set).exitCode());
    Trace trace =
        with("WINEDEBUG", "+relay,+pid").traced(expected, relay.options().toArray(String[]::new));
    Map<String, Long> logged =
        relay.calls(trace.errors(), trace.report().get("target").get("pid").number());
    Map<String, Long> traced = new TreeMap<>();
    for (String function : relay.functions()) {
      long calls = trace.calls(relay.module() + ".dll!" + function);
      if (calls > 0) {
        traced.put(function, calls);
      }
    }
    assertEquals(logged, traced);
    System.out.println("Wine and ntrail counted " + traced);
    return traced.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Checks that a library that counts its calls comes to what a trace of it does. */
  void sameAsOfTheLibrary(long least) throws IOException, InterruptedException {
    Outcome expected = untraced();
    Trace trace = traced(expected, "-f", "bcryptprimitives!ProcessPrng");
    long counted = Long.parseLong(Files.readString(folder.resolve("prng.txt")));
    assertEquals(counted, trace.entries());
    assertTrue(counted >= least, "calls: " + counted);
  }

  /** A program that runs beside another one, and is waited for. */
  private static final class Companion implements AutoCloseable {
    private final Thread thread;

    Companion(RealProgram program) {
      thread =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  program.untraced();
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
    }

    @Override
    public void close() {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
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
