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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers of traced calls: what a trace reports is what its recording holds, and balances. */
class TraceBalanceTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final long SECONDS = 240;

  @TempDir private Path folder;

  private JsonReader traced(String name, String... more) throws IOException, InterruptedException {
    Path out = folder.resolve(name + ".txt");
    Path report = folder.resolve(name + ".json");
    List<String> words = new ArrayList<>(List.of("trace", "-o", folder.resolve(name) + ".ntr"));
    words.addAll(List.of("--format", "json", "--report", report.toString()));
    words.addAll(List.of("--exit-code", "ntrail"));
    words.addAll(Arrays.asList(more));
    ProcessBuilder builder =
        new ProcessBuilder(Cli.command(words.toArray(String[]::new)))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
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
    return json;
  }

  /** Checks a report, and returns the numbers of the recording. */
  private JsonReader checked(String name, JsonReader report) throws IOException {
    CallBalance.check(report);
    List<String> remarks = report.get("remarks").array().stream().map(JsonReader::text).toList();
    assertTrue(
        remarks.stream().noneMatch(remark -> remark.contains("estimated")), () -> name + remarks);
    Path file = folder.resolve(name + ".ntr");
    JsonReader flat = Cli.run("calls", file, "--flat", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("calls-flat").findings(flat));
    CallBalance.same(report, flat);
    CallBalance.check(flat);
    flat.get("functions").array().forEach(CallBalance::check);
    return flat;
  }

  private void checkLines(String name, JsonReader flat) {
    Path file = folder.resolve(name + ".ntr");
    List<JsonReader> lines =
        Cli.run("calls", file, "--format", "jsonl").lines().stream()
            .map(JsonReader::parse)
            .toList();
    CallBalance.check(flat, lines);
  }

  private static List<Path> programs() throws IOException {
    try (var files = Files.list(TestData.file("pe/eh"))) {
      return files
          .filter(file -> file.toString().matches(".*(msvc|clang-cl)-x86_64.*\\.exe(\\.gz)?"))
          .filter(file -> !file.toString().contains("xframe"))
          // One, in the ordinary run.
          .filter(file -> LONG || file.toString().matches(".*clang-cl-x86_64-fh3-no-gs-o0.*"))
          .sorted()
          .limit(LONG ? Long.MAX_VALUE : 1)
          .toList();
    }
  }

  @Test
  void programsThatRaiseExceptionsBalance() throws Exception {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(Wine.available(), Wine.missing());
    long unwinds = 0;
    long abandoned = 0;
    int run = 0;
    for (Path file : programs()) {
      String name = file.getFileName().toString().replace(".gz", "");
      Path program = Files.write(folder.resolve(name), TestData.unpacked(file));
      JsonReader report = traced(name, "-f", "*!*", "--", program.toString());
      checkLines(name, checked(name, report));
      unwinds += report.get("unwinds").number();
      abandoned += report.get("abandoned").number();
      run++;
    }
    System.out.println(run + " programs, " + unwinds + " unwinds, " + abandoned + " abandoned");
    assertTrue(run >= (LONG ? 2 : 1) && unwinds > 0);
  }

  @Test
  void recordingsThatLostRecordsBalance() throws Exception {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/million.c");
    String program = WindowsCompiler.MINGW_C.build(List.of(source), "-O2").toString();
    for (String limit : List.of("--max-size", "--ring")) {
      String name = "million" + limit;
      // With few buffers the program cannot be far ahead of the recorder when it ends.
      JsonReader report = traced(name, limit, "256K", "--buffers", "8", "-f", "*!*", "--", program);
      boolean isRing = limit.equals("--ring");
      // A ring makes room by itself, yet on a busy machine the recorder may be late with it.
      assertTrue(isRing || report.get("lost").number() > 0, report.toString());
      assertTrue(report.get("discarded").number() > 0 == isRing, report.toString());
      JsonReader flat = checked(name, report);
      assertEquals(report.get("discarded").number(), flat.get("discarded").number());
    }
  }
}
