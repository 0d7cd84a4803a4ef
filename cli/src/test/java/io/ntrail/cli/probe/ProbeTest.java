package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ntrail probe} and {@code dtrace} over the samples. */
class ProbeTest {
  private static final Path ETL = TestData.projectRoot().resolve("samples/shop.etl");
  private static final Path CALLS = TestData.projectRoot().resolve("samples/shop.ntr");

  private static JsonReader json(String program, Path file) throws IOException {
    Result result = Cli.run("probe", program, file, "--format", "json");
    assertEquals(0, result.exit(), result.err());
    JsonReader answer = result.json();
    assertEquals(List.of(), JsonSchema.named("probe").strictFindings(answer));
    return answer;
  }

  /** Returns the values of the one aggregation by their keys. */
  private static Map<String, Long> values(String program, Path file) throws IOException {
    Map<String, Long> values = new TreeMap<>();
    for (JsonReader entry : json(program, file).get("aggregations").array()) {
      List<String> keys =
          entry.get("keys").array().stream().map(key -> String.valueOf(key.value())).toList();
      values.put(String.join(" ", keys), entry.get("value").number());
    }
    return values;
  }

  /** Returns counts by a key as {@code events --count --by} has them. */
  private static Map<String, Long> counts(String event, String key) {
    Result result =
        Cli.run("events", ETL, "-e", event, "--count", "--by", key, "--format", "json", "-n", "0");
    Map<String, Long> counts = new TreeMap<>();
    for (JsonReader row : result.json().get("groups").array()) {
      counts.put(row.get(key).text(), row.get("count").number());
    }
    return counts;
  }

  @Test
  void clausesThatEndAtAFaultAreCounted() throws IOException {
    String program = "kernel::FileIo:* { @[probename] = sum(args[0]->IoSize); }";
    Result result = Cli.run("probe", program, ETL, "--format", "json");
    long told =
        result.messages().stream().filter(line -> line.contains("error on enabled")).count();
    JsonReader probes = result.json().get("probes");
    assertEquals(told, probes.get("faults").number());
    assertTrue(told > 0 && told < probes.get("fired").number());
    assertEquals(0, json("BEGIN { exit(0); }", ETL).get("probes").get("faults").number());
  }

  @Test
  void samplesByProcessAreThoseThatEventsCounts() throws IOException {
    assertEquals(
        counts("PerfInfo/SampleProf", "process"),
        values("kernel::PerfInfo:SampleProf { @[execname] = count(); }", ETL));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "perfview-net45-x86-win7",
        "airbus-ShutdownPerfDiagLogger",
        "diaghub.kernel.1",
        "tx-HTTP_Server",
        "sonde-test"
      })
  void allProbesTogetherFireForEachEventOfARecording(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = TestData.file("etl/" + name + ".etl.gz");
    Result result =
        Cli.run(
            "dtrace", "--recording", file, "-Z", "-q", "-n", "kernel:::, etw::: { @ = count(); }");
    long events = 0;
    for (JsonReader row :
        Cli.run("events", file, "--count", "--format", "json", "-n", "0")
            .json()
            .get("events")
            .array()) {
      // Stacks are attached to their events, and no events themselves.
      boolean isStack =
          !row.get("event").isNull() && row.get("event").text().startsWith("StackWalk/");
      events += isStack ? 0 : row.get("count").number();
    }
    assertEquals(Long.toString(events), result.out().strip(), result.err());
  }

  @Test
  void whatAThreadSwitchEndsAndBeginsIsCountedOnceEach() throws IOException {
    Map<String, Long> on = values("sched:::on-cpu { @[execname] = count(); }", ETL);
    Map<String, Long> off = values("sched:::off-cpu { @[execname] = count(); }", ETL);
    assertEquals(1582, on.values().stream().mapToLong(Long::longValue).sum());
    assertEquals(1582, off.values().stream().mapToLong(Long::longValue).sum());
    assertEquals(on, values("sched:::off-cpu { @[args[1]->pr_fname] = count(); }", ETL));
  }

  @Test
  void bytesOfDiskRequestsAreThoseOfTheFields() throws IOException {
    assertEquals(
        values("kernel::DiskIo:Read,kernel::DiskIo:Write { @ = sum(args[0]->TransferSize); }", ETL),
        values("io:::done { @ = sum(args[0]->b_bcount); }", ETL));
    assertEquals(
        Map.of("", 131L), values("io:::start /args[0]->b_flags & 0x40/ { @ = count(); }", ETL));
  }

  @Test
  void aDiskRequestThatBeginsHasNoSizeYet() throws IOException {
    Result result = Cli.run("probe", "io:::start { @ = sum(args[0]->b_bcount); }", ETL);
    assertTrue(result.err().contains("illegal operation in action #1"), result.err());
  }

  @Test
  void eventsOfProvidersAreFoundByNameAndGuid() throws IOException {
    Map<String, Long> byName = values("etw:Shop-Store:Order:Change { @[pid] = count(); }", ETL);
    assertEquals(71, byName.values().stream().mapToLong(Long::longValue).sum());
    String guid =
        Cli.run("events", ETL, "-e", "Shop-Store/*", "-n", "1", "--format", "jsonl")
            .json()
            .get("providerGuid")
            .text();
    assertEquals(byName, values("etw:%s:Order:Change { @[pid] = count(); }".formatted(guid), ETL));
    assertEquals(
        76L,
        values("etw:%s:0xff_0xffffffffffffffff:generic_event { @ = count(); }".formatted(guid), ETL)
            .get(""));
  }

  @Test
  void probesOfTimeFireByTheTimeOfEvents() throws IOException {
    JsonReader answer =
        json("#pragma D option quiet\ntick-500ms { printf(\"%d \", timestamp / 1ms); }", ETL);
    assertEquals("500 1000 1500 \n", answer.get("output").text());
  }

  @Test
  void timesOfCallsAreThoseOfCalls() throws IOException {
    Map<String, Long> times =
        values("shopcore!*:return, kernelbase!*:return { @[probefunc] = sum(duration); }", CALLS);
    assertEquals(15_280_000L, times.get("RegOpenKeyExInternalW"));
    Map<String, Long> entries = values("fbt:::entry { @[probefunc] = count(); }", CALLS);
    assertEquals(16L, entries.values().stream().mapToLong(Long::longValue).sum());
    assertEquals(2L, values("*!*:unwind { @ = count(); }", CALLS).get(""));
  }

  @Test
  void anArgumentThatWasNotRecordedIsAFaultAndNoZero() throws IOException {
    Result result = Cli.run("probe", "shopcore!Tx::Current:entry { trace(arg9); }", CALLS);
    assertTrue(result.err().contains("illegal operation in action #1"), result.err());
  }

  @Test
  void addressesHaveTheNamesOfRecordedFunctions() {
    // Those that the recording was written with.
    Result result =
        Cli.run(
            "probe",
            "#pragma D option quiet\n"
                + "fbt:shopcore:0x10b0:entry { printf(\"%s %s %s %s\", ufunc(0x180001040),"
                + " umod(0x180001040), ufunc(0x180001050), usym(0x10)); exit(0); }",
            CALLS);
    assertEquals(
        "shopcore`Key::Parse shopcore shopcore`0x1050 0x10", result.out().strip(), result.err());
  }

  @Test
  void whatTheRecorderLostIsTold() throws IOException {
    Result result = Cli.run("probe", "*!*:entry { @ = count(); }", CALLS);
    assertTrue(
        result.err().contains("3 records lost; what was not recorded fires no probe"),
        result.err());
    assertEquals(3L, json("*!*:entry { @ = count(); }", CALLS).get("lost").get("events").number());
  }

  @Test
  void whatTheRecorderDidNotCountIsNull() throws IOException {
    Path ticks = TestData.projectRoot().resolve("samples/shop.jtrc");
    String count = "*!*:entry { @ = count(); }";
    JsonReader uncounted = json(count, ticks).get("lost");
    assertTrue(uncounted.get("events").isNull());
    assertTrue(uncounted.get("buffers").isNull());
    assertEquals(
        uncounted.get("events"),
        Cli.run("info", ticks, "--format", "json").json().get("lost").get("events"));
    assertTrue(json(count, CALLS).get("lost").get("buffers").isNull(), "calls have no buffers");
    JsonReader none = Cli.run("probe", "BEGIN { exit(0); }", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("probe").strictFindings(none));
    assertTrue(none.get("lost").get("events").isNull(), "there is no recorder");
  }

  @Test
  void callsWhoseEntriesAloneAreRecordedAreTold(@TempDir Path folder) throws IOException {
    Path deep = folder.resolve("deep.ntr");
    Files.write(deep, SampleTrace.make(Map.of(RecorderCounter.DEEP_ENTRIES, 5L)));
    Result result = Cli.run("probe", "*!*:return { @ = count(); }", deep, "--strict");
    assertTrue(result.err().contains("only entries of 5 calls recorded"), result.err());
    assertEquals(3, result.exit());
    assertEquals(
        "only entries of 5 calls recorded",
        json("*!*:return { @ = count(); }", deep).get("drops").array().getFirst().text());
  }

  @Test
  void ticksOfAnUnknownClockAreToldAsSuch() throws IOException {
    Path ticks = TestData.projectRoot().resolve("samples/shop.jtrc");
    String program = "fbt:::return { @ = max(duration); }";
    Result result = Cli.run("probe", program, ticks);
    assertTrue(
        result.err().contains("clock frequency unknown; timestamp and duration are ticks"),
        result.err());
    Result timer = Cli.run("probe", "tick-1s { exit(0); }", ticks);
    assertEquals(2, timer.exit());
    assertTrue(timer.err().contains("needs times in nanoseconds"), timer.err());
    assertEquals("ticks", json(program, ticks).get("unit").text());
    assertEquals("ns", json(program, CALLS).get("unit").text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"vtimestamp", "duration", "arg0", "exception", "execargs"})
  void whatNobodyKnowsAtTheBeginningIsAFault(String word) {
    Result result = Cli.run("probe", "BEGIN { trace(%s); }".formatted(word));
    assertTrue(result.err().contains("illegal operation in action #1"), result.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@a = sum(0x7fffffffffffffff); @a = sum(1)",
        "@a = avg(0x7fffffffffffffff); @a = avg(1)",
        "@a = quantize(1, 0x7fffffffffffffff); @a = quantize(1, 1)",
        // The square is 2^126: two of them have more than 127 bits.
        "@a = stddev(0x8000000000000000); @a = stddev(0x8000000000000000)"
      })
  void anAggregationThatWrappedIsTold(String actions) throws IOException {
    String program = "BEGIN { %s; exit(0); }".formatted(actions);
    JsonReader overflow = json(program, ETL).get("overflows").array().getFirst();
    assertEquals("a", overflow.get("name").text());
    assertEquals(1, overflow.get("count").number());
    assertEquals(
        "warning: a sum of @a wrapped at 64 bits 1 time: its values are wrong\n",
        Cli.run("probe", "#pragma D option quiet\n" + program, ETL).err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          clear(@a);                               | 0
          trunc(@a);                               | 0
          @a[7] = sum(1); trunc(@a, 1);            | 0
          printa(@a); clear(@a);                   | 1
          clear(@a); @a[6] = sum(1 << 62);         | 0
          printa(@a); @a[5] = sum(1 << 63);        | 2
          """)
  void onlyAWrappedSumThatIsStillThereOrWasPrintedIsTold(String actions, int wrapped)
      throws IOException {
    String program =
        "BEGIN { @a[5] = sum(0x7fffffffffffffff); @a[5] = sum(0x7fffffffffffffff); %s exit(0); }"
            .formatted(actions);
    long told = 0;
    for (JsonReader overflow : json(program, ETL).get("overflows").array()) {
      told += overflow.get("count").number();
    }
    assertEquals(wrapped, told);
  }

  @Test
  void aSumOf64BitsDidNotWrap() throws IOException {
    String program = "BEGIN { @ = sum(0x7fffffffffffffff); @ = sum(-1); @ = sum(1); exit(0); }";
    assertEquals(List.of(), json(program, ETL).get("overflows").array());
  }

  @Test
  void idsThatNobodyKnowsAreMinusOne() throws IOException {
    String program =
        "#pragma D option quiet\nBEGIN { printf(\"%d %d %d %s\", pid, ppid, tid, execname); }";
    assertEquals("-1 -1 -1 (unknown)\n", json(program, ETL).get("output").text());
  }

  @Test
  void errorsOfDiskRequestsAreNotAmongTheFieldsAsNothingTellsThem() {
    Result result = Cli.run("probe", "io:::done { @ = sum(args[0]->b_error); }", ETL);
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("has no field b_error"), result.err());
  }

  @Test
  void endIsTheEndOfTheProgramAndNotOfProcesses() throws IOException {
    assertEquals(
        "c\n", json("#pragma D option quiet\nEND { printf(\"c\"); }", ETL).get("output").text());
  }

  @Test
  void aNameThatIsNotThereIsRefusedWithItsPlaceAndTheNearestOne() throws IOException {
    Result result = Cli.run("probe", "kernel::FileIo:Reed { @ = count(); }", ETL);
    assertEquals(2, result.exit());
    assertEquals(
        """
        ntrail: no probe matches kernel::FileIo:Reed; nearest: Read (1:1) [D_PDESC_ZERO]
          kernel::FileIo:Reed { @ = count(); }
          ^^^^^^^^^^^^^^^^^^^
        """,
        result.err());
  }

  @Test
  void aProgramOfAFileTakesArguments(@TempDir Path folder) throws IOException {
    Path script = folder.resolve("one.d");
    Files.writeString(
        script,
        "#pragma D option quiet\nkernel::FileIo:Read /pid == $1/ { n++; }\nEND { printf(\"%s %d\", $$2, n); }");
    Result result = Cli.run("probe", "-s", script, ETL, "4312", "reads");
    assertEquals("reads 399\n", result.out());
  }

  @Test
  void dtraceEndsWithTheStatusOfExit() throws IOException {
    Result result =
        Cli.run("dtrace", "--recording", ETL, "-q", "-n", "BEGIN { printf(\"x\"); exit(7); }");
    assertEquals("x\n", result.out());
    assertEquals(7, result.exit());
  }

  @Test
  void dtraceTakesSeveralProgramsAndSaysHowManyProbesMatched() throws IOException {
    Result result =
        Cli.run("dtrace", "-n", "BEGIN { x = 1; }", "-n", "BEGIN { trace(x); exit(0); }");
    assertEquals(0, result.exit());
    assertEquals("dtrace: description 'BEGIN' matched 2 probes\n", result.err());
    assertTrue(result.out().contains("1"), result.out());
  }

  @Test
  void dtraceListsProbesWithTheTypesOfTheirArguments() throws IOException {
    Result result = Cli.run("dtrace", "--recording", ETL, "-l", "-v", "-n", "proc:::create");
    assertTrue(result.out().startsWith("   ID   PROVIDER            MODULE"), result.out());
    assertTrue(result.out().contains("args[0]->pr_psargs: string"), result.out());
  }

  @Test
  void withoutARecordingOnlyTimeGoesOn() throws IOException {
    Result result = Cli.run("probe", "tick-1ms { i++; } tick-1ms /i == 3/ { trace(i); exit(0); }");
    assertEquals(0, result.exit());
    assertTrue(result.out().contains(":tick-1ms "), result.out());
  }

  @Test
  void csvHasARowForEachValue() throws IOException {
    Result result =
        Cli.run(
            "probe",
            "kernel::DiskIo:Read { @[execname] = count(); @q = quantize(args[0]->TransferSize); }",
            ETL,
            "--format",
            "csv");
    assertEquals(
        """
        name,function,keys,bucket,value\r
        _,count,shopd.exe,,131\r
        q,quantize,,32768,0\r
        q,quantize,,65536,131\r
        q,quantize,,131072,0\r
        """,
        result.out());
  }

  @Test
  void keysInACellOfCsvCanBeToldApart() throws IOException {
    Result result =
        Cli.run(
            "probe",
            """
            BEGIN {
              @a["x y", "z", 1] = count(); @a["x", "y z", 1] = count(); @a["x", "", 1] = count();
              @b["x y"] = count(); @b["x, \\"y\\""] = count(); @b[""] = count();
              exit(0);
            }
            """,
            "--format",
            "csv");
    assertEquals(
        """
        name,function,keys,bucket,value\r
        a,count,"x \"\"\"\" 1",,1\r
        a,count,"x ""y z"" 1",,1\r
        a,count,\"""x y"" z 1",,1\r
        b,count,,,1\r
        b,count,x y,,1\r
        b,count,"x, ""y""\",,1\r
        """,
        result.out());
  }

  @Test
  void aStackInACellOfCsvHasALineForEachFrame() throws IOException {
    Result result =
        Cli.run(
            "probe",
            "kernel::PerfInfo:SampleProf /execname == \"shopd.exe\"/ { @[ustack(2)] = count(); }"
                + " END { trunc(@, 1); }",
            ETL,
            "--format",
            "csv");
    assertTrue(
        Pattern.compile("_,count,\"[^ ,\\n]+\\n[^ ,\\n]+\",,\\d+\\r\\n")
            .matcher(result.out())
            .find(),
        result.out());
  }
}
