package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JSON of {@code ntrail stacks} against docs/schema/stacks.schema.json. */
class StacksContractTest {
  private static final Path SHOP = TestData.projectRoot().resolve("samples/shop.etl");

  private static Cli.Result run(Path file, String format, String... more) {
    List<Object> words = new ArrayList<>(List.of("stacks", file, "--format", format));
    words.addAll(Arrays.asList(more));
    Cli.Result result = Cli.run(words.toArray());
    assertEquals(0, result.exit(), result.err());
    return result;
  }

  private static JsonReader valid(Path file, String... more) throws IOException {
    JsonReader json = run(file, "json", more).json();
    assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
    return json;
  }

  @Test
  void recordedStacksOfTheSample() throws IOException {
    for (String[] more :
        List.of(
            new String[] {"--at", "0.75"},
            new String[] {"--at", "0.75", "--all"},
            new String[] {"--at", "0.75", "--same"},
            new String[] {"--at", "0.75", "-p", "shopd", "-y", "samples"},
            new String[] {"-e", "FileIo/*", "--top", "0"})) {
      assertFalse(valid(SHOP, more).has("nothing"));
    }
    JsonSchema schema = JsonSchema.named("stacks");
    for (String line : run(SHOP, "jsonl", "--at", "0.75").lines()) {
      assertEquals(List.of(), schema.definition("row").findings(JsonReader.parse(line)), line);
    }
    for (String line : run(SHOP, "jsonl", "-e", "FileIo/*").lines()) {
      assertEquals(List.of(), schema.definition("group").findings(JsonReader.parse(line)), line);
    }
  }

  /** The counts of three commands that count the same by different code. */
  @Test
  void frequentStacksCountWhatProfilesAndEventsCount() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> recordings = List.of("perfview-net45-x86-win7", "perfview-net452-x64");
    for (String name : recordings.subList(0, Slice.count(2, 1))) {
      Path file = TestData.file("etl/" + name + ".etl.gz");
      List<String> events = List.of("Thread/CSwitch", "Image/Load", "PerfInfo/SampleProf");
      for (String event : events.subList(0, Slice.count(3, 1))) {
        JsonReader stacks = valid(file, "-e", event, "--top", "0");
        JsonReader profile =
            Cli.run("profile", file, "-e", event, "--tree", "--format", "json", "-n", "0").json();
        long counted = stacks.get("events").number();
        assertEquals(profile.get("total").number(), counted, name + " " + event);
        JsonReader counts =
            Cli.run("events", file, "--count", "-e", event, "--format", "json").json();
        long withStack =
            counts.get("events").array().stream()
                .mapToLong(row -> row.get("withStack").number())
                .sum();
        assertEquals(counts.get("records").number(), counted, name + " " + event);
        assertEquals(
            counted - stacks.get("withoutStack").number(), sum(stacks), name + " " + event);
        assertEquals(withStack, sum(stacks), name + " " + event);
      }
    }
  }

  private static long sum(JsonReader stacks) {
    return stacks.get("groups").array().stream()
        .mapToLong(group -> group.get("count").number())
        .sum();
  }

  /** Stacks at times against those that {@code events --stacks} lists before these times. */
  @Test
  void stacksOfATimeAreThoseOfTheEventsBeforeIt() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = TestData.file("etl/perfview-net45-x86-win7.etl.gz");
    List<JsonReader> all = new ArrayList<>();
    for (String line :
        Cli.run("events", file, "--stacks", "--format", "jsonl", "--time", "..0.6").lines()) {
      if (line.contains("\"stack\":[")) {
        all.add(JsonReader.parse(line));
      }
    }
    for (long at : List.of(300_000_000L, 450_000_000L, 599_999_000L)) {
      JsonReader found = valid(file, "--at", at + "ns");
      for (JsonReader thread : found.get("threads").array()) {
        long cpu = thread.get("cpu").number();
        JsonReader last =
            all.stream()
                .filter(event -> event.get("cpu").number() == cpu)
                .filter(event -> event.get("timeNanos").number() < at + 1_000)
                .reduce((_, later) -> later)
                .orElseThrow();
        assertEquals(last.get("timeNanos").number(), thread.get("timeNanos").number());
        assertEquals(
            last.get("stack").array().stream().map(f -> f.get("address").text()).toList(),
            thread.get("frames").array().stream().map(f -> f.get("ip").text()).toList());
        assertEquals(
            last.get("stack").array().stream().map(f -> f.get("rva")).toList(),
            thread.get("frames").array().stream().map(f -> f.get("rva")).toList());
      }
    }
  }
}
