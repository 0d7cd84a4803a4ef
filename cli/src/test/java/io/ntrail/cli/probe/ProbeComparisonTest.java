package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs beside other commands over the same shared recordings. Both answers are ntrail's own;
 * {@link ProbeTruthTest} has those from elsewhere.
 */
@EnabledIf(value = "present", disabledReason = "no shared recordings on this machine")
class ProbeComparisonTest {
  static boolean present() {
    return TestData.available();
  }

  private static Path recording(String name) {
    return TestData.file("etl/" + name + ".etl.gz");
  }

  /** Returns the values of the one aggregation of a program by its keys. */
  private static Map<String, Long> probed(String program, Path file) {
    Result result = Cli.run("probe", program, file, "--format", "json");
    assertEquals(0, result.exit(), result.err());
    Map<String, Long> values = new TreeMap<>();
    for (JsonReader entry : result.json().get("aggregations").array()) {
      List<String> keys =
          entry.get("keys").array().stream().map(key -> String.valueOf(key.value())).toList();
      values.put(String.join(" ", keys), entry.get("value").number());
    }
    assertFalse(values.isEmpty());
    return values;
  }

  private static Map<String, Long> rows(
      JsonReader answer, String list, Function<JsonReader, String> key, String value) {
    Map<String, Long> rows = new TreeMap<>();
    for (JsonReader row : answer.get(list).array()) {
      rows.merge(key.apply(row), row.get(value).number(), Long::sum);
    }
    return rows;
  }

  /** Returns name and id of a process; execname has at most 14 characters, as on Windows. */
  private static String process(JsonReader row) {
    String name = row.get("process").text();
    return name.substring(0, Math.min(14, name.length())) + " " + row.get("pid").number();
  }

  @ParameterizedTest
  @CsvSource({
    "perfview-net452-x64, PerfInfo/SampleProf, kernel::PerfInfo:SampleProf",
    "perfview-net452-x64, PageFault/HardFault, kernel::PageFault:HardFault",
    "perfview-net45-x86-win7, PerfInfo/SampleProf, kernel::PerfInfo:SampleProf",
    "perfview-net45-x86-win7, DiskIo/Write, kernel::DiskIo:Write",
    "perfview-net45-x86-win7, Image/Load, proc:::load",
    "airbus-ShutdownPerfDiagLogger, Thread/End, proc:::lwp-exit"
  })
  void countsByProcessAreThoseOfEvents(String name, String event, String probe) {
    Path file = recording(name);
    Result result =
        Cli.run(
            "events",
            file,
            "-e",
            event,
            "--count",
            "--by",
            "process",
            "--format",
            "json",
            "-n",
            "0");
    assertEquals(
        rows(result.json(), "groups", ProbeComparisonTest::process, "count"),
        probed(probe + " { @[execname, pid] = count(); }", file));
  }

  @ParameterizedTest
  @ValueSource(strings = {"perfview-net452-x64", "perfview-net45-x86-win7"})
  void samplesByProcessAreThoseOfProfile(String name) {
    Path file = recording(name);
    Result result =
        Cli.run("profile", file, "--by", "process", "--idle", "--format", "json", "-n", "0");
    assertEquals(
        rows(result.json(), "rows", ProbeComparisonTest::process, "self"),
        probed("kernel::PerfInfo:SampleProf { @[execname, pid] = count(); }", file));
  }

  @Test
  void bytesOfDisksByProcessAreThoseOfProfile() {
    Path file = recording("perfview-net452-x64");
    Result result =
        Cli.run(
            "profile",
            file,
            "--metric",
            "disk",
            "--unit",
            "bytes",
            "--by",
            "process",
            "--format",
            "json",
            "-n",
            "0");
    assertEquals(
        rows(result.json(), "rows", ProbeComparisonTest::process, "self"),
        probed(
            "io:::done /args[0]->b_bcount/ { @[execname, pid] = sum(args[0]->b_bcount); }", file));
  }

  @Test
  void callsAndTheirTimesByFunctionAreThoseOfCalls() {
    Path file = TestData.file("ntrace/ntfs.jtrc");
    JsonReader flat = Cli.run("calls", file, "--flat", "--format", "json", "-n", "0").json();
    Function<JsonReader, String> function =
        row -> row.get("function").text().replace("Ntfs.sys!", "");
    assertEquals(
        rows(flat, "functions", function, "entries"),
        probed("fbt:::entry { @[probefunc] = count(); }", file));
    assertEquals(
        rows(flat, "functions", function, "max"),
        probed("fbt:::return { @[probefunc] = max(duration); }", file));
  }
}
