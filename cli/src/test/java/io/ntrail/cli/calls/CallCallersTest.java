package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.ntr.TracedThread.Callers;
import io.ntrail.formats.ntr.TracedThread.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallCallersTest {
  private static final long BEGAN = 7_000_000_000L;
  private static final long SHOPCORE = 0x1_8000_0000L;

  @TempDir private Path folder;

  private Path file(Callers... callers) throws IOException {
    return Files.write(folder.resolve("shop.ntr"), SampleTrace.withCallers(List.of(callers)));
  }

  private static List<JsonReader> calls(Path file) {
    return Cli.run("calls", file, "--stacks", "--format", "jsonl").lines().stream()
        .map(JsonReader::parse)
        .toList();
  }

  /** Callers of the call of a thread that was entered at a time. */
  private static Callers callers(long number, long entryNanos, int end, String why) {
    return new Callers(
        number,
        1,
        4316,
        BEGAN + entryNanos * 24 / 10,
        0x1000,
        end,
        why,
        List.of(
            new Frame(SHOPCORE + 0x1047, Frame.RETURN, 7),
            new Frame(SHOPCORE + 0x3000, Frame.UNWIND, 0),
            new Frame(0x7777, Frame.SCAN, 0)));
  }

  @Test
  void callsHaveTheirCallers() throws IOException {
    List<JsonReader> plain = calls(file());
    assertTrue(plain.stream().noneMatch(call -> call.has("stack")));
    List<JsonReader> mine =
        plain.stream().filter(call -> call.get("thread").number() == 4316).toList();
    long first = mine.get(0).get("entry").number();
    long other = mine.get(2).get("entry").number();
    Path file = file(callers(1, first, 0, ""), callers(2, other, 1, "the rest was not copied"));
    int found = 0;
    for (JsonReader call : calls(file)) {
      assertEquals(List.of(), JsonSchema.named("calls").definition("call").findings(call));
      if (call.has("stack")) {
        found++;
        List<JsonReader> frames = call.get("stack").array();
        assertEquals(3, frames.size());
        assertEquals("Key::Parse", frames.get(0).get("function").text());
        assertEquals("0x1047", frames.get(0).get("rva").text());
        assertEquals("recorded", frames.get(0).get("trust").text());
        assertEquals("shopcore.dll", frames.get(1).get("module").text());
        assertEquals("scan", frames.get(2).get("trust").text());
      }
    }
    assertEquals(2, found);
    String screen = Cli.run("calls", file, "--stacks").out();
    assertTrue(screen.contains("  by shopcore.dll!Key::Parse+0x7\n"), screen);
    assertTrue(screen.contains("  by shopcore.dll!0x3000\n"), screen);
    assertTrue(screen.contains("  by 0x7777  (scan)\n"), screen);
    assertTrue(screen.contains("(further callers are not known: the rest was not copied)"), screen);
    String without = Cli.run("calls", file).out();
    assertTrue(without.contains("; calls --stacks shows them"), without);
    assertFalse(without.contains("  by "), without);
    String csv = Cli.run("calls", file, "--stacks", "--format", "csv").out();
    assertTrue(csv.contains("shopcore.dll!Key::Parse+0x7;shopcore.dll!0x3000;0x7777"), csv);
  }

  @Test
  void aRecordingWithoutCallersSaysSo() throws IOException {
    String errors = Cli.run("calls", file(), "--stacks").err();
    assertTrue(errors.contains("warning: the recording has no callers of calls"), errors);
    assertFalse(Cli.run("calls", file()).out().contains("callers"));
  }

  @Test
  void theNumberOfAFibersStackHasAKeyOfItsOwn() throws IOException {
    Path file = file(callers(1, 0, 0, ""));
    JsonSchema line = JsonSchema.named("calls").definition("call");
    for (String option : List.of("--stacks", "-v")) {
      List<JsonReader> calls =
          Cli.run("calls", file, option, "--format", "jsonl").lines().stream()
              .map(JsonReader::parse)
              .toList();
      calls.forEach(call -> assertEquals(List.of(), line.findings(call)));
      assertEquals(
          Map.of(4316L, Set.of(), 5020L, Set.of(0L, 1L)),
          calls.stream()
              .collect(
                  Collectors.groupingBy(
                      call -> call.get("thread").number(),
                      Collectors.flatMapping(
                          call ->
                              call.has("stackNumber")
                                  ? Stream.of(call.get("stackNumber").number())
                                  : Stream.of(),
                          Collectors.toSet()))));
    }
  }
}
