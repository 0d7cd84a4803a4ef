package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Profiles of real recordings against the figures of the README beside them, which other tools gave
 * or a script counted; sums that must hold of any profile; and the same bytes on any number of
 * cores.
 */
class ProfileTruthTest {
  private static final List<List<String>> LOOKS =
      List.of(
          List.of(),
          List.of("--by", "module", "-s", "incl"),
          List.of("--by", "process"),
          List.of("--by", "thread"),
          List.of("--by", "cpu"),
          List.of("--tree"),
          List.of("--bottom-up", "--min", "2%"),
          List.of("--callers", "nt*"));

  @TempDir private Path folder;

  private static Path recording(String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("etl/" + name + ".etl.gz");
  }

  private static Path wide() {
    return recording("perfview-net452-x64");
  }

  private static Path old() {
    return recording("perfview-net45-x86-win7");
  }

  private static JsonReader profile(Path file, String... words) {
    List<Object> all = new ArrayList<>(List.of("profile", file, "--format", "json"));
    all.addAll(Arrays.asList(words));
    Cli.Result result = Cli.run(all.toArray());
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result.json();
  }

  /** Weights of the rows themselves, by a key of theirs. */
  private static Map<String, Long> selves(JsonReader profile, String key) {
    Map<String, Long> selves = new HashMap<>();
    for (JsonReader row : profile.get("rows").array()) {
      JsonReader name = row.get(key);
      selves.merge(name.isNull() ? "" : name.text(), row.get("self").number(), Long::sum);
    }
    return selves;
  }

  private static long of(JsonReader profile, String process, long pid) {
    return profile.get("rows").array().stream()
        .filter(row -> !row.get("process").isNull() && row.get("process").text().equals(process))
        .filter(row -> row.get("pid").number() == pid)
        .mapToLong(row -> row.get("self").number())
        .sum();
  }

  private static void totals(long total, long idle, JsonReader profile) {
    assertEquals(total, profile.get("total").number());
    assertEquals(idle, profile.get("idle").number());
  }

  @Test
  void samplesOf64Bit() {
    JsonReader processes = profile(wide(), "--by", "process");
    totals(6_320, 73_208, processes);
    assertEquals(5_129, of(processes, "Test.x64.exe", 3676));
    assertEquals(356, selves(processes, "process").get("PerfView.exe"));
    assertEquals(283, selves(processes, "process").get("MsMpEng.exe"));
    JsonReader modules = profile(wide(), "-p", "Test.x64.exe", "--by", "module");
    totals(5_129, 0, modules);
    Map<String, Long> selves = selves(modules, "module");
    assertEquals(4_456, selves.get("(jitted)"));
    assertEquals(106, selves.get("(unknown)"));
    long all = selves.values().stream().mapToLong(n -> n).sum();
    assertEquals(567, all - 4_456 - 106);
    Map<String, Long> methods = selves(profile(wide(), "-p", "3676"), "function");
    assertEquals(1_856, methods.get("System.DateTime.GetDatePart"));
    assertEquals(566, methods.get("System.TimeZoneInfo.TransitionTimeToDateTime"));
    assertEquals(470, methods.get("System.DateTime.get_DayOfWeek"));
  }

  @Test
  void samplesOf32Bit() {
    JsonReader processes = profile(old(), "--by", "process");
    totals(4_854, 16_865 - 4_854, processes);
    assertEquals(2_931, of(processes, "test.exe", 1980));
    Map<String, Long> modules = selves(profile(old(), "-p", "1980", "--by", "module"), "module");
    assertEquals(1_357, modules.get("clr.dll"));
    assertEquals(727, modules.get("ntoskrnl.exe"));
    assertEquals(225, modules.get("ntdll.dll"));
    assertEquals(208, modules.get("wow64cpu.dll"));
    assertEquals(68, modules.get("(jitted)"));
  }

  @Test
  void aSingleProcessIsNamed() {
    List<JsonReader> process =
        profile(wide(), "-p", "Test.x64").get("scope").get("process").array();
    assertEquals(1, process.size());
    assertEquals("Test.x64.exe", process.getFirst().get("name").text());
    assertEquals(3676, process.getFirst().get("pid").number());
  }

  /** Kernel and user mode, and ranges of time that follow each other, are parts of the whole. */
  @Test
  void partsAddUp() {
    for (Path file : List.of(wide(), old())) {
      long total = profile(file).get("total").number();
      assertEquals(
          total,
          profile(file, "--kernel").get("total").number()
              + profile(file, "--user").get("total").number());
      long before = profile(file, "--time", "..3").get("total").number();
      assertTrue(before > 0 && before < total);
      assertEquals(total, before + profile(file, "--time", "3..").get("total").number());
    }
  }

  /** Idle samples are rows with --idle, but no part of the total in any case. */
  @Test
  void rowsAreOfTheTotalAndOfIdleSamplesThatAreWanted() throws IOException {
    List<Path> files = new ArrayList<>(List.of(sample()));
    if (TestData.available()) {
      files.addAll(List.of(wide(), old()));
    }
    for (Path file : files) {
      JsonReader busy = profile(file);
      JsonReader idle = profile(file, "--idle");
      assertTrue(idle.get("idle").number() > 0);
      assertEquals(busy.get("total"), idle.get("total"));
      assertEquals(busy.get("idle"), idle.get("idle"));
      assertEquals(busy.get("total").number(), selves(busy));
      assertEquals(idle.get("total").number() + idle.get("idle").number(), selves(idle));
      for (String mode : List.of("--kernel", "--user")) {
        JsonReader part = profile(file, "--idle", mode);
        assertEquals(profile(file, mode).get("total"), part.get("total"));
        assertEquals(part.get("total").number() + part.get("idle").number(), selves(part), mode);
      }
    }
  }

  private static long selves(JsonReader profile) {
    return profile.get("rows").array().stream().mapToLong(row -> row.get("self").number()).sum();
  }

  @Test
  void sumsHold() throws IOException {
    List<Path> files = new ArrayList<>(List.of(sample()));
    if (TestData.available()) {
      files.addAll(List.of(wide(), old()));
    }
    for (Path file : files) {
      for (String metric : List.of("cpu", "wait", "file")) {
        if (Cli.run("profile", file, "--metric", metric, "-n", "1").exit() == 0) {
          sums(file, metric);
        }
      }
    }
  }

  private void sums(Path file, String metric) {
    long total = profile(file, "--metric", metric).get("total").number();
    for (String by : List.of("function", "module", "process", "thread", "cpu")) {
      JsonReader flat = profile(file, "--metric", metric, "--by", by);
      long selves = 0;
      Set<List<JsonReader>> names = new HashSet<>();
      for (JsonReader row : flat.get("rows").array()) {
        long self = row.get("self").number();
        assertTrue(row.get("inclusive").number() >= self && row.get("inclusive").number() <= total);
        selves += self;
        if (by.equals("function") || by.equals("module")) {
          assertTrue(
              names.add(List.of(row.get("module"), row.get("function"), row.get("rva"))),
              () -> "two rows of one name: " + row);
        }
      }
      assertEquals(total, selves, metric + " by " + by);
    }
    tree(profile(file, "--metric", metric, "--tree"));
    tree(profile(file, "--metric", metric, "--bottom-up"));
    long lines = 0;
    for (String line :
        Cli.run("profile", file, "--metric", metric, "--format", "collapsed").lines()) {
      lines += Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }
    assertEquals(total, lines);
    JsonReader callers = profile(file, "--metric", metric, "--callers", "ntdll.dll");
    long inclusive = callers.get("inclusive").number();
    assertEquals(inclusive, weights(callers.get("callers")));
    assertEquals(inclusive, weights(callers.get("callees")) + callers.get("self").number());
    JsonReader module =
        profile(file, "--metric", metric, "--by", "module").get("rows").array().stream()
            .filter(row -> row.get("module").text().equals("ntdll.dll"))
            .findFirst()
            .orElseThrow();
    assertEquals(module.get("inclusive").number(), inclusive);
    assertEquals(module.get("self").number(), callers.get("self").number());
  }

  private static long weights(JsonReader neighbours) {
    return neighbours.array().stream().mapToLong(n -> n.get("weight").number()).sum();
  }

  private static void tree(JsonReader profile) {
    Map<Long, Long> below = new HashMap<>();
    for (JsonReader node : profile.get("nodes").array()) {
      JsonReader parent = node.get("parent");
      long above = parent.isNull() ? 0 : parent.number();
      assertTrue(above == 0 || below.containsKey(above), "a node comes behind the one above it");
      below.merge(above, node.get("inclusive").number(), Long::sum);
      below.putIfAbsent(node.get("id").number(), 0L);
    }
    assertEquals(profile.get("total").number(), below.get(0L), "the roots are all");
    for (JsonReader node : profile.get("nodes").array()) {
      assertEquals(
          node.get("inclusive").number(),
          node.get("self").number() + below.getOrDefault(node.get("id").number(), 0L),
          node::toString);
    }
    assertEquals(0, profile.get("nodesLeftOut").number());
  }

  private Path sample() throws IOException {
    Path file = folder.resolve("shop.etl");
    return Files.exists(file) ? file : Recordings.write(file, SampleRecording.make());
  }

  private static void sameOnAnyCores(Path file, List<String> words) {
    List<Object> all = new ArrayList<>(List.of("profile", file));
    all.addAll(words);
    all.add("--cores");
    Cli.Result expected = null;
    for (String cores : List.of("1", "2", "7")) {
      List<Object> call = new ArrayList<>(all);
      call.add(cores);
      Cli.Result result = Cli.run(call.toArray());
      assertEquals(0, result.exit(), result.err());
      expected = expected == null ? result : expected;
      assertEquals(expected, result, words + " on " + cores + " cores");
    }
  }

  @Test
  void sameBytesOnAnyNumberOfCores() throws IOException {
    for (List<String> look : LOOKS) {
      for (String format : List.of("text", "json", "jsonl", "csv")) {
        List<String> words = new ArrayList<>(look);
        words.addAll(List.of("--format", format));
        sameOnAnyCores(sample(), words);
      }
    }
    sameOnAnyCores(sample(), List.of("--format", "collapsed"));
    for (String metric : List.of("wait", "ready", "disk", "file")) {
      sameOnAnyCores(sample(), List.of("--metric", metric, "--tree", "--format", "json"));
    }
    sameOnAnyCores(sample(), List.of("-e", "FileIo/*", "--format", "json"));
  }

  @Test
  void sameBytesOfRealRecordingsOnAnyNumberOfCores() {
    for (Path file : List.of(wide(), old())) {
      for (List<String> look : Slice.of(LOOKS, 2)) {
        List<String> words = new ArrayList<>(look);
        words.addAll(List.of("--format", "json"));
        sameOnAnyCores(file, words);
      }
      sameOnAnyCores(file, List.of("--format", "collapsed"));
      sameOnAnyCores(file, List.of("-n", "0"));
      sameOnAnyCores(file, List.of("--metric", "alloc", "--tree", "--format", "csv"));
    }
  }

  private static List<String> owners(Object... words) {
    return Cli.run(words).lines().stream()
        .filter(line -> line.matches(" *[\\d,]+ +[\\d.]+ .*\\(\\d+\\)"))
        .map(line ->
            line.strip().split(" +", -1)[0] + " " + line.replaceAll(".* ([^ ]+ \\(\\d+\\))$", "$1"))
        .sorted()
        .toList();
  }

  @Test
  void diskReadsBelongToTheProcessesThatEventsNames() {
    List<String> listed =
        owners("events", wide(), "-e", "DiskIo/Read", "--count", "--by", "process", "-n", "0");
    assertTrue(listed.contains("1,060 MsMpEng.exe (1632)"), listed.toString());
    assertTrue(listed.contains("100 Test.x64.exe (3676)"), listed.toString());
    assertEquals(
        listed, owners("profile", wide(), "-e", "DiskIo/Read", "--by", "process", "-n", "0"));
    assertEquals(
        listed,
        owners(
            "profile",
            wide(),
            "--metric",
            "disk",
            "-e",
            "DiskIo/Read",
            "--unit",
            "count",
            "--by",
            "process",
            "-n",
            "0"));
  }

  @Test
  void metricsSayOfWhichEventsTheirStacksAre() {
    assertTrue(
        Cli.run("profile", wide(), "-e", "DiskIo/Read")
            .lines()
            .get(1)
            .startsWith("0.0 % with stacks; "));
    assertTrue(
        Cli.run("profile", wide(), "-e", "DiskIo/ReadInit")
            .lines()
            .get(1)
            .startsWith("100.0 % with stacks; "));
    assertTrue(
        Cli.run("profile", wide(), "--metric", "disk")
            .lines()
            .get(1)
            .startsWith("100.0 % with stacks of the requests (ReadInit, WriteInit, FlushInit); "));
  }
}
