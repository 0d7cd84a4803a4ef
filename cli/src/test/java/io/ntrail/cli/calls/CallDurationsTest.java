package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Durations of calls: percentiles, histograms, and only those that took long. */
class CallDurationsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.ntr");

  private static Cli.Result calls(String... words) {
    List<Object> all = new ArrayList<>(List.of("calls", SAMPLE));
    all.addAll(List.of(words));
    return Cli.run(all.toArray());
  }

  private static List<Long> durations(String... words) {
    List<String> all = new ArrayList<>(List.of("--format", "jsonl"));
    all.addAll(List.of(words));
    return calls(all.toArray(String[]::new)).lines().stream()
        .map(line -> JsonReader.parse(line).get("duration"))
        .filter(duration -> !duration.isNull())
        .map(JsonReader::number)
        .toList();
  }

  @Test
  void percentilesAreOnTheScreenAsInJson() {
    List<String> lines = calls("--flat").lines();
    assertTrue(
        lines
            .get(2)
            .matches(" +calls +total ms +self ms +mean us +p50 us +p90 us +p99 us +max us .*"),
        lines.get(2));
    JsonReader parse =
        calls("--flat", "--find", "*0x10b0", "--format", "json")
            .json()
            .get("functions")
            .array()
            .getFirst();
    String row =
        lines.stream().filter(line -> line.endsWith("shopcore.dll!0x10b0")).findFirst().orElse("");
    assertTrue(row.contains("  110.6   2,179.0   2,179.0   2,179.0  "), row);
    assertEquals(110_591, parse.get("p50").number());
    assertEquals(2_179_000, parse.get("p90").number());
  }

  @Test
  void aHistogramCountsEachCallInTheClassOfItsDuration() throws IOException {
    JsonReader json = calls("--histogram", "*0x10b0", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("calls-histogram").findings(json));
    JsonReader function = json.get("functions").array().getFirst();
    List<Long> durations = durations("--find", "*0x10b0");
    assertEquals(durations.size(), function.get("timed").number());
    long counted = 0;
    for (JsonReader part : function.get("classes").array()) {
      long from = part.get("from").number();
      long to = part.get("to").number();
      long expected =
          durations.stream().filter(duration -> from <= duration && duration <= to).count();
      assertEquals(expected, part.get("calls").number(), part::toString);
      counted += expected;
    }
    assertEquals(durations.size(), counted);
  }

  @Test
  void aHistogramHasBarsAndRunningShares() {
    assertEquals(
        List.of(
            "shopcore.dll!0x10b0: 6 calls, p50 110.591 us, p90 2.179 ms, p99 2.179 ms,"
                + " max 2.179 ms",
            "     at most  calls     %  up to here %",
            "  131.071 us      4  66.7          66.7  ##############################",
            "  262.143 us      0   0.0          66.7",
            "  524.287 us      1  16.7          83.3  ########",
            "    1.048 ms      0   0.0          83.3",
            "    2.097 ms      0   0.0          83.3",
            "    4.194 ms      1  16.7         100.0  ########"),
        calls("--histogram", "*0x10b0", "--ascii").lines().stream().skip(1).toList());
  }

  @Test
  void onlyCallsThatTookLongerAreShown() {
    List<Long> longer = durations().stream().filter(duration -> duration > 600_000).toList();
    assertEquals(longer, durations("--longer", "600us"));
    assertEquals(6, longer.size());
    String heading = calls("--longer", "0.6ms").lines().getFirst();
    assertTrue(heading.contains(", longer than 0.6ms: 6 calls "), heading);
  }

  @Test
  void aLongCallStandsBelowItsLongCallers() {
    List<String> names =
        calls("--longer", "2ms").lines().stream()
            .filter(line -> line.contains("!"))
            .map(line -> line.replaceAll("^.*?  ( *[a-z]+\\.dll!\\S+).*", "$1"))
            .toList();
    assertEquals(3, names.size());
    assertTrue(names.get(1).endsWith("  shopcore.dll!Key::Parse"), names.toString());
    assertTrue(names.get(2).endsWith("    shopcore.dll!0x10b0"), names.toString());
  }

  @Test
  void callsThatHadNotEndedAreNotForgotten() {
    assertTrue(
        calls("--longer", "1ms")
            .lines()
            .contains("  1 call open at the end, not shown: how long they took is not known"));
    assertTrue(
        calls("--slowest", "3")
            .lines()
            .getLast()
            .startsWith("  1 call open at the end, not shown"));
    for (String[] asked : new String[][] {{"--longer", "1ms"}, {"--slowest", "3"}}) {
      String err = calls(asked[0], asked[1], "--format", "csv").err();
      assertTrue(err.contains("warning: 1 call open at the end, not shown"), err);
    }
  }

  @Test
  void aHistogramSaysHowManyCallsOfItsRoutinesHadNotEnded() throws IOException {
    String remark = "1 call open at the end, not shown: how long they took is not known";
    assertEquals("  " + remark, calls("--histogram", "*Parse").lines().getLast());
    for (String format : List.of("csv", "jsonl")) {
      List<String> messages = calls("--histogram", "*Parse", "--format", format).messages();
      assertTrue(messages.contains("warning: " + remark), messages::toString);
    }
    JsonReader json = calls("--histogram", "*Parse", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("calls-histogram").findings(json));
    assertEquals(1, json.get("openNotShown").number());
  }

  @Test
  void aHistogramDoesNotTellOfOpenCallsOfOtherRoutines() {
    assertFalse(calls("--histogram", "*0x10b0").out().contains("open at the end"));
    JsonReader json = calls("--histogram", "*0x10b0", "--format", "json").json();
    assertEquals(0, json.get("openNotShown").number());
  }

  @Test
  void durationsNeedAUnit() {
    Cli.Result result = calls("--longer", "5");
    assertEquals(2, result.exit());
    assertEquals(
        List.of(
            "ntrail: --longer takes a duration with a unit (ns us ms s), not 5",
            "try: --longer 5ms"),
        result.messages());
  }

  @Test
  void ticksAreDurationsWhereTheRateIsUnknown() {
    Path ticks = TestData.projectRoot().resolve("samples/shop.jtrc");
    assertEquals(2, Cli.run("calls", ticks, "--longer", "5ms").exit());
    assertEquals(0, Cli.run("calls", ticks, "--longer", "5,000").exit());
  }

  @Test
  void aHistogramOfNoRoutineProposesAPattern() {
    assertEquals(
        List.of("warning: no routine called matches Parse", "try: --histogram '*Parse*'"),
        calls("--histogram", "Parse").messages());
  }
}
