package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of calls that {@code pt flow --calls -o FILE.ntr} writes. */
class PtRecordingTest {
  private static final List<String> STREAMS =
      List.of(
          "xdc/avscript32",
          "stepped/perl-retc",
          "lldb/multicore-51",
          "xdc/mruby",
          "xdc/qemu",
          "xdc/unzip",
          "stepped/perl-cyc");

  @TempDir private Path folder;

  private static List<Object> flow(String stream) {
    if (stream.startsWith("lldb/")) {
      return List.of(
          "pt",
          "flow",
          TestData.file("pt/" + stream + ".trace"),
          "--code",
          TestData.file("pt/lldb/multicore-m.out.gz"));
    }
    String code = "pt/" + stream.replaceFirst("-.*", "");
    return List.of(
        "pt",
        "flow",
        TestData.file("pt/" + stream + ".pt.gz"),
        "--pages",
        TestData.file(code + ".addr.gz") + "," + TestData.file(code + ".dump.gz"),
        "--model",
        "6/94/3");
  }

  private static Cli.Result run(List<Object> words, Object... more) {
    List<Object> all = new ArrayList<>(words);
    all.addAll(List.of(more));
    return Cli.run(all.toArray());
  }

  private static Map<String, String> sums(String json, String rows, String self, String total) {
    Map<String, String> sums = new TreeMap<>();
    for (JsonReader row : JsonReader.parse(json).get(rows).array()) {
      String function = row.get("function").text();
      sums.put(
          function.substring(function.indexOf('!') + 1),
          row.get(self).number() + " " + row.get(total).number());
    }
    return sums;
  }

  @Test
  void aProfileOfTheRecordingIsThatOfTheFlow() {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String stream : Slice.of(STREAMS, 3)) {
      List<Object> flow = flow(stream);
      String direct = run(flow, "--profile", "-n", "0", "--format", "json").out();
      Path recording = folder.resolve("flow.ntr");
      run(flow, "--calls", "-o", recording);
      String recorded = Cli.run("profile", recording, "-n", "0", "--format", "json").out();
      assertEquals(
          sums(direct, "functions", "selfInstructions", "totalInstructions"),
          sums(recorded, "rows", "self", "inclusive"),
          stream);
    }
  }

  @Test
  void timesAreSinceTheFirstTimeStamp() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path recording = folder.resolve("hello.ntr");
    Cli.run(
        "pt",
        "flow",
        TestData.file("pt/dynamorio/hello.pt"),
        "--code",
        TestData.file("pt/dynamorio/hello.elf"),
        "--clock",
        "3,2,308,37",
        "--calls",
        "-o",
        recording);
    List<String> calls = Cli.run("calls", recording, "--format", "jsonl").lines();
    double first = JsonReader.parse(calls.getFirst()).get("entry").number();
    assertTrue(first < 1_000_000, calls.getFirst());
  }

  @Test
  void returnsThatFireProbesAreTheReturnsThatLibiptCounts() {
    assumeTrue(TestData.available(), TestData.MISSING);
    // Near returns of the README beside the streams.
    Map<String, Long> returns =
        Map.of("unzip", 111L, "avscript32", 7258L, "mruby", 31_164L, "qemu", 72_008L);
    for (String stream : Slice.of(List.of("unzip", "avscript32", "mruby", "qemu"), 3)) {
      Path recording = folder.resolve(stream + ".ntr");
      run(flow("xdc/" + stream), "--calls", "-o", recording);
      Cli.Result probed =
          Cli.run("probe", "*:return { @ = count(); }", recording, "--format", "json");
      JsonReader sum = probed.json().get("aggregations").array().getFirst();
      assertEquals(returns.get(stream), sum.get("value").number(), stream);
    }
  }
}
