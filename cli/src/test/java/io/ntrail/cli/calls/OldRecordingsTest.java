package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Recordings that earlier versions wrote, whose calls the recorded program decides: two threads
 * call {@code middle} 40 times each, which calls {@code leaf} and then {@code thrower}; each third
 * call of that throws, from 0 on, and all others call {@code leaf}. With {@code --children} two
 * processes do so.
 */
class OldRecordingsTest {
  private static final int ROUNDS = 2 * 40;
  private static final int THROWN = 2 * 14;

  @TempDir private Path folder;

  private record Calls(long entries, long unwinds) {}

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "0.1-plain.ntr, 1",
    "0.1-args.ntr, 1",
    "0.1-ring.ntr, 1",
    "0.1-children.ntr, 2",
  })
  void theirCallsAreThoseOfTheProgram(String name, int processes) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream in = OldRecordingsTest.class.getResourceAsStream("recordings/" + name)) {
      Files.write(file, Objects.requireNonNull(in, name).readAllBytes());
    }
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    Map<String, Calls> calls = new TreeMap<>();
    for (JsonReader row : flat.json().get("functions").array()) {
      Calls its = new Calls(row.get("entries").number(), row.get("unwinds").number());
      calls.merge(
          row.get("function").text().replaceAll(".*!", ""),
          its,
          (one, more) -> new Calls(one.entries + more.entries, one.unwinds + more.unwinds));
    }
    long returned = ROUNDS - THROWN;
    assertEquals(
        Map.of(
            "leaf", new Calls(processes * (ROUNDS + returned), 0),
            "middle", new Calls((long) processes * ROUNDS, (long) processes * THROWN),
            "thrower", new Calls((long) processes * ROUNDS, (long) processes * THROWN)),
        calls);
    assertEquals(processes, flat.json().get("functions").array().size() / 3);
  }
}
