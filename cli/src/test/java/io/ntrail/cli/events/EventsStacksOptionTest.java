package io.ntrail.cli.events;

import static io.ntrail.testkit.profile.RecordingBuilder.APP;
import static io.ntrail.testkit.profile.RecordingBuilder.KERNEL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail events --stacks} in every format. */
class EventsStacksOptionTest {
  @TempDir private Path folder;

  private Path file() throws IOException {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101).method(0x5000_0000L, 0x100, "Shop.Cart", "Add");
    a.at(20).sample(KERNEL + 0x123, 101).stack(100, 101, KERNEL + 0x123);
    a.stack(100, 101, APP + 0x40, 0x5000_0010L, 0x6000_0000L);
    a.at(30).sample(APP, 102);
    return Recordings.write(folder.resolve("stacks.etl"), a.writer());
  }

  private List<String> lines(String... more) throws IOException {
    List<Object> words = new ArrayList<>(List.of("events", file(), "-e", "PerfInfo/SampleProf"));
    words.addAll(List.of(more));
    Cli.Result result = Cli.run(words.toArray());
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result.lines();
  }

  @Test
  void textHasTheFramesBelowTheEvent() throws IOException {
    for (String limit : List.of("20", "1000", "0")) {
      List<String> lines = lines("--stacks", "-n", limit);
      assertEquals(8, lines.size(), () -> String.join("\n", lines));
      assertEquals(
          List.of(
              "        ntoskrnl.exe+0x123",
              "        app.exe+0x40",
              "        (jitted)!Shop.Cart.Add",
              "        0x60000000 (unknown)"),
          lines.subList(3, 7));
    }
    assertEquals(4, lines().size(), "no frames unless asked for");
  }

  @Test
  void jsonHasAStackIfTheEventHasOne() throws IOException {
    JsonSchema schema = JsonSchema.named("events").definition("event");
    List<String> lines = lines("--stacks", "--format", "jsonl");
    for (String line : lines) {
      assertEquals(List.of(), schema.findings(JsonReader.parse(line)), line);
    }
    assertTrue(
        lines
            .getFirst()
            .endsWith(
                "\"stack\":[{\"address\":\"0xfffff80000000123\",\"module\":\"ntoskrnl.exe\","
                    + "\"rva\":\"0x123\",\"function\":null,\"file\":null,\"line\":null,"
                    + "\"inline\":false,\"trust\":\"recorded\"},"
                    + "{\"address\":\"0x400040\",\"module\":\"app.exe\",\"rva\":\"0x40\","
                    + "\"function\":null,\"file\":null,\"line\":null,\"inline\":false,"
                    + "\"trust\":\"recorded\"},"
                    + "{\"address\":\"0x50000010\",\"module\":\"(jitted)\",\"rva\":null,"
                    + "\"function\":\"Shop.Cart.Add\",\"file\":null,\"line\":null,"
                    + "\"inline\":false,\"trust\":\"recorded\"},"
                    + "{\"address\":\"0x60000000\",\"module\":null,\"rva\":null,"
                    + "\"function\":null,\"file\":null,\"line\":null,\"inline\":false,"
                    + "\"trust\":\"recorded\"}]}"),
        lines.getFirst());
    assertFalse(JsonReader.parse(lines.get(1)).has("stack"));
    assertFalse(JsonReader.parse(lines("--format", "jsonl").getFirst()).has("stack"));
    JsonReader whole = JsonReader.parse(String.join("\n", lines("--stacks", "--format", "json")));
    assertEquals(JsonReader.parse(lines.getFirst()), whole.get("events").array().getFirst());
  }

  @Test
  void csvHasOneColumn() throws IOException {
    List<String> lines = lines("--stacks", "--format", "csv");
    assertTrue(lines.getFirst().contains(",fields,stack,"));
    assertTrue(
        lines
            .get(1)
            .contains(
                ",ntoskrnl.exe+0x123;app.exe+0x40;(jitted)!Shop.Cart.Add;0x60000000 (unknown),"),
        lines.get(1));
    assertFalse(lines.get(2).contains("+0x"));
    assertFalse(lines("--format", "csv").getFirst().contains("stack"));
  }

  @Test
  void countingHasNoStacks() throws IOException {
    Cli.Result result = Cli.run("events", file(), "--count", "--stacks");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("--count"), result.err());
  }
}
