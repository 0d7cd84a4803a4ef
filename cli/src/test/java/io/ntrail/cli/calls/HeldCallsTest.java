package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.ntr.TracedProcess.Hold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls during which ntrail held their process are marked. */
class HeldCallsTest {
  private static final long BEGAN = 7_000_000_000L;
  private static final long MICRO = 2_400;

  @TempDir private Path folder;

  private Path file(Hold... holds) throws IOException {
    return Files.write(folder.resolve("shop.ntr"), SampleTrace.make(List.of(holds)));
  }

  private static Hold hold(long number, long process, long fromMicros, long micros) {
    long from = BEGAN + fromMicros * MICRO;
    return new Hold(number, process, from, from + micros * MICRO, "plug.dll was loaded");
  }

  private static List<JsonReader> calls(Path file) {
    return Cli.run("calls", file, "--format", "jsonl").lines().stream()
        .map(JsonReader::parse)
        .toList();
  }

  @Test
  void eachCallHasWhatWasHeldWhileItWasActive() throws IOException {
    Path plain = file();
    List<JsonReader> before = calls(plain);
    JsonReader longest =
        before.stream()
            .filter(call -> call.get("end").text().equals("return"))
            .max((a, b) -> Long.compare(a.get("duration").number(), b.get("duration").number()))
            .orElseThrow();
    long entry = longest.get("entry").number() / 1000;
    long duration = longest.get("duration").number() / 1000;
    assertTrue(duration > 30, "" + duration);
    Path file = file(hold(1, 1, entry + 10, 5), hold(2, 1, entry - 8, 10), hold(3, 2, entry, 20));
    int marked = 0;
    for (JsonReader call : calls(file)) {
      assertEquals(List.of(), JsonSchema.named("calls").definition("call").findings(call));
      if (call.get("entry").number() == longest.get("entry").number()) {
        assertEquals(7_000, call.get("held").number());
      }
      marked += call.has("held") ? 1 : 0;
    }
    assertTrue(marked >= 1 && marked < before.size(), "" + marked);
    String screen = Cli.run("calls", file).out();
    assertTrue(screen.contains("(held by ntrail for 7.000 us)"), screen);
    String slowest = Cli.run("calls", file, "--slowest", "1").out();
    assertTrue(slowest.contains("; ntrail held the process for 7.000 us of it"), slowest);
  }

  @Test
  void withoutSuchTimesNoCallIsMarked() throws IOException {
    assertTrue(calls(file()).stream().noneMatch(call -> call.has("held")));
    assertFalse(Cli.run("calls", file()).out().contains("held"));
  }
}
