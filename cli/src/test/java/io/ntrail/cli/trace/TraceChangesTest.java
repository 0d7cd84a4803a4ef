package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on standard input to a trace of a running program. */
class TraceChangesTest {
  private static final String PROGRAM = "changes-waits.exe";

  @TempDir private Path folder;

  private Spawned program() throws Exception {
    Path program = Files.copy(Spawned.program("waits.c"), folder.resolve(PROGRAM));
    return Spawned.start(
        folder, "waits", List.of(Wine.shared().loader().toString(), program.toString(), "goes-on"));
  }

  private static void say(Spawned trace, String line) throws IOException {
    trace.process().getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    trace.process().getOutputStream().flush();
  }

  private Spawned attach(String... more) throws Exception {
    List<String> command = Cli.command("trace", "-p", PROGRAM, "-f", "*!waiting");
    command.addAll(List.of(more));
    // The program may not be there yet.
    for (int tries = 0; ; tries++) {
      Spawned trace = Spawned.start(folder, "said" + tries, command);
      try {
        trace.awaitText("tracing; Ctrl+C stops");
        return trace;
      } catch (AssertionError e) {
        trace.close();
        if (tries > 50) {
          throw e;
        }
      }
    }
  }

  @Test
  void functionsAreAddedAndRemovedUntilStop() throws Exception {
    Spawned program = program();
    Spawned trace = attach("-i", "-o", "calls.ntr");
    try {
      say(trace, "-f 'kernel32!Sleep'");
      trace.awaitText("2 functions traced now: 1 added, 0 removed");
      Await.until(
          "both are recorded",
          () -> {
            String flat = Cli.run("calls", folder.resolve("calls.ntr"), "--flat").out();
            return flat.contains("!Sleep") && flat.contains("!waiting");
          });
      say(trace, "-f nobody!*");
      trace.awaitText("2 functions traced now: 0 added, 0 removed (no loaded module matches)");
      say(trace, "--exclude *!waiting");
      trace.awaitText("1 function traced now: 0 added, 1 removed");
      say(trace, "faster");
      trace.awaitText("ntrail: unknown command: faster");
      say(trace, "stop");
      assertEquals(0, trace.end(), trace.said());
      assertTrue(trace.said().contains("restored 1 function; the program continues"), trace.said());
      Files.createFile(folder.resolve("goes-on"));
      assertEquals(42, program.end());
    } finally {
      trace.close();
      program.close();
    }
    Cli.Result calls = Cli.run("calls", folder.resolve("calls.ntr"), "--flat");
    assertEquals("", calls.err(), "it is complete");
    assertTrue(calls.out().contains("!Sleep"), calls.out());
    assertTrue(calls.out().contains("!waiting"), calls.out());
  }

  @Test
  void withoutStopsFunctionsThatNeedThemAreSkipped() throws Exception {
    Path program = Spawned.program("waits.c");
    JsonReader with = plan(program);
    JsonReader without = plan(program, "--no-stop");
    long stops = with.get("needStop").number();
    assertTrue(stops > 0, with.toString());
    assertEquals(0, without.get("needStop").number());
    assertEquals(with.get("patched").number() - stops, without.get("patched").number());
    assertEquals(stops, without.get("byReason").get("NEEDS_STOP").number());
  }

  private JsonReader plan(Path program, String... more) throws Exception {
    List<String> command = Cli.command("trace", "--plan", "-f", "kernel32!*", "--format", "json");
    command.addAll(List.of(more));
    command.addAll(List.of("--", program.toString()));
    Spawned trace = Spawned.start(folder, "plan" + more.length, command);
    assertEquals(0, trace.end(), trace.said());
    return JsonReader.parse(trace.said()).get("functions");
  }

  @Test
  void theInputOfAProgramThatIsStartedIsItsOwn() {
    Cli.Result result = Cli.run("trace", "-i", "-f", "*!*", "--", "any.exe");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("-i needs -p"), result.err());
  }
}
