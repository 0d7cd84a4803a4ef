package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.CallBalance;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sums of calls that a traced program made itself: what the commands say of them. */
class TraceSummaryTest {
  private static final long SECONDS = 120;

  @TempDir private Path folder;

  private JsonReader traced(String name, String... more) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("-f", "leaf", "-f", "twice", "-f", "top"));
    words.addAll(Arrays.asList(more));
    return traced("million.c", name, words);
  }

  private JsonReader traced(String sourceName, String name, List<String> more)
      throws IOException, InterruptedException {
    assumeTrue(Wine.available(), Wine.missing());
    WindowsCompiler compiler = WindowsCompiler.MINGW_C;
    assumeTrue(compiler.available(), compiler.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs").resolve(sourceName);
    Path program = compiler.build(List.of(source), "-O2");
    Path report = folder.resolve(name + ".json");
    List<String> words = new ArrayList<>(List.of("trace", "-o", folder.resolve(name) + ".ntr"));
    words.addAll(List.of("--format", "json", "--report", report.toString()));
    words.addAll(List.of("--exit-code", "ntrail"));
    words.addAll(more);
    words.addAll(List.of("--", program.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(Cli.command(words.toArray(String[]::new)))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".txt").toFile());
    builder.environment().putAll(Wine.shared().environment());
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new AssertionError(name + " did not end");
    }
    assertEquals(0, process.exitValue(), name);
    JsonReader json = JsonReader.parse(Files.readString(report));
    assertEquals(List.of(), JsonSchema.named("trace").findings(json));
    CallBalance.check(json);
    return json;
  }

  private JsonReader flat(String name) throws IOException {
    JsonReader flat =
        Cli.run("calls", folder.resolve(name + ".ntr"), "--flat", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("calls-flat").findings(flat));
    CallBalance.check(flat);
    return flat;
  }

  private static Map<String, Long> each(JsonReader flat, Function<JsonReader, JsonReader> field) {
    Map<String, Long> numbers = new TreeMap<>();
    for (JsonReader row : flat.get("functions").array()) {
      String name = row.get("function").text();
      numbers.put(name.substring(name.indexOf('!') + 1), field.apply(row).number());
    }
    return numbers;
  }

  @Test
  void sumsWithTimesAreThoseOfARecording() throws IOException, InterruptedException {
    JsonReader report = traced("sums", "--summary");
    JsonReader sums = flat("sums");
    traced("records");
    JsonReader records = flat("records");
    assertEquals(each(records, row -> row.get("exits")), each(sums, row -> row.get("exits")));
    assertEquals(
        Map.of("leaf", 600_000L, "top", 200_000L, "twice", 200_000L),
        each(sums, row -> row.get("calls")));
    assertEquals(1_000_000, report.get("addedUp").number());
    assertEquals(1_000_000, sums.get("addedUp").number());
    assertEquals(0, records.get("addedUp").number());
    for (JsonReader row : sums.get("functions").array()) {
      long min = row.get("min").number();
      long max = row.get("max").number();
      assertTrue(min <= row.get("p50").number() && row.get("p99").number() <= max);
      assertTrue(row.get("self").number() <= row.get("total").number());
      assertTrue(max <= row.get("total").number());
    }
  }

  @Test
  void countsAreCallsOfWhichOnlyTheEntryIsKnown() throws IOException, InterruptedException {
    traced("counts", "--summary=counts");
    JsonReader counts = flat("counts");
    assertEquals(
        Map.of("leaf", 600_000L, "top", 200_000L, "twice", 200_000L),
        each(counts, row -> row.get("entryOnly")));
    assertTrue(counts.get("functions").array().stream().allMatch(row -> row.get("total").isNull()));
  }

  @Test
  void answersSayThatThereAreOnlySums() throws IOException, InterruptedException {
    traced("sums", "--summary");
    Path file = folder.resolve("sums.ntr");
    String only = "1,000,000 calls added up where they happened (trace --summary)";
    assertTrue(Cli.run("calls", file).out().contains(only));
    assertTrue(Cli.run("calls", file, "--flat").out().contains(only));
    assertTrue(
        Cli.run("calls", file, "--flat", "--time", "0..1s")
            .out()
            .contains(only + ": not shown, as nothing says when they were"));
    assertTrue(Cli.run("info", file).out().contains("1,000,000  calls added up"));
  }

  @Test
  void functionsThatAreCalledTooOftenAreCountedFromThenOn()
      throws IOException, InterruptedException {
    List<String> words = List.of("-f", "often", "-f", "rarely", "--throttle", "100000");
    JsonReader report = traced("often.c", "often", words);
    JsonReader throttled = report.get("throttled").array().getFirst();
    assertEquals(1, report.get("throttled").array().size());
    assertTrue(throttled.get("function").text().endsWith("!often"));
    long counted = throttled.get("calls").number();
    assertTrue(counted > 500_000 && counted < 2_000_000 - 100_000, () -> "counted " + counted);
    JsonReader flat = flat("often");
    assertEquals(Map.of("often", 2_000_000L, "rarely", 800L), each(flat, row -> row.get("calls")));
    assertEquals(Map.of("often", counted, "rarely", 0L), each(flat, row -> row.get("entryOnly")));
    Cli.Result info = Cli.run("info", folder.resolve("often.ntr"));
    assertTrue(info.out().contains("!often was called too often from "), info.out());
    Cli.Result calls = Cli.run("calls", folder.resolve("often.ntr"), "-n", "1");
    assertTrue(calls.err().contains("!often was called too often from "), calls.err());
  }

  @Test
  void optionsOfRecordsAreRefused() {
    for (String option : List.of("--args=2", "--ring=1M", "--buffers=8", "--when-full=drop")) {
      Cli.Result outcome = Cli.run("trace", "--summary", option, "-f", "leaf", "--", "any.exe");
      assertEquals(2, outcome.exit());
      assertTrue(outcome.err().contains("--summary records no single calls"), outcome.err());
    }
  }

  @Test
  void ringsThatAreTooSmallAreRefused() {
    for (String size : List.of("1", "65535", "16KB")) {
      Cli.Result outcome = Cli.run("trace", "--ring", size, "-f", "leaf", "--", "any.exe");
      assertEquals(2, outcome.exit());
      assertTrue(outcome.err().contains("--ring takes at least 64 KiB"), outcome.err());
    }
  }
}
