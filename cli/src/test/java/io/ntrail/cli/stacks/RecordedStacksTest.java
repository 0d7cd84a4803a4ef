package io.ntrail.cli.stacks;

import static io.ntrail.testkit.profile.RecordingBuilder.APP;
import static io.ntrail.testkit.profile.RecordingBuilder.KERNEL;
import static io.ntrail.testkit.profile.RecordingBuilder.NTDLL;
import static io.ntrail.testkit.profile.RecordingBuilder.TERMINATED;
import static io.ntrail.testkit.profile.RecordingBuilder.WAITING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail stacks} over recordings that a person can go through by hand. */
class RecordedStacksTest {
  private static final Path SHOP = TestData.projectRoot().resolve("samples/shop.etl");

  @TempDir private Path folder;

  /** Two CPUs; thread 101 is last seen in its switch, 102 ends, 201 is readied by 103. */
  private Path file() throws IOException {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).on(0).sample(KERNEL + 0x1020, 101).stack(100, 101, KERNEL + 0x1020, APP + 0x2040);
    a.at(20).on(1).sample(APP + 0x100, 102).stack(100, 102, APP + 0x100, NTDLL + 0x3000);
    a.at(30).on(0).swap(101, WAITING, 103).stack(100, 101, KERNEL + 0x5000, APP + 0x2080);
    a.at(40).on(0).as(100, 103).ready(201).stack(100, 103, KERNEL + 0x7000, APP + 0x9000);
    a.at(50).on(1).swap(102, TERMINATED, 201);
    a.as(-1, -1).at(51).threadEnd(100, 102);
    a.at(60).on(1).sample(APP + 0x2044, 201).stack(200, 201, APP + 0x2044, NTDLL + 0x3000);
    a.at(70).on(0).sample(APP + 0x77, 103);
    return Recordings.write(folder.resolve("a.etl"), a.writer());
  }

  private List<String> text(Object... more) throws IOException {
    List<Object> words = new ArrayList<>(List.of("stacks", file(), "-q"));
    words.addAll(Arrays.asList(more));
    Cli.Result result = Cli.run(words.toArray());
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result.lines();
  }

  private JsonReader json(Object... more) throws IOException {
    List<Object> words = new ArrayList<>(List.of(more));
    words.addAll(List.of("--format", "json"));
    return JsonReader.parse(String.join("\n", text(words.toArray())));
  }

  private static List<String> heads(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("CPU") || line.startsWith("thread"))
        .toList();
  }

  @Test
  void aTimeShowsTheLastStackOfEachCpu() throws IOException {
    assertEquals(
        List.of(
            "a.etl: all processes, at 0.000045 s: the last stack of 2 of 8 CPUs, complete, 0 events"
                + " and 0 buffers lost",
            "",
            "CPU 0: thread 103 of app.exe (100), Thread/ReadyThread at 0.000040 s, 5.000 us before",
            "  #  trust     address             function",
            "  0  recorded  0xfffff80000007000  ntoskrnl.exe+0x7000",
            "  1  recorded  0x0000000000409000  app.exe+0x9000",
            "",
            "CPU 1: thread 102 of app.exe (100), PerfInfo/SampleProf at 0.000020 s, 25.000 us before",
            "  #  trust     address             function",
            "  0  recorded  0x0000000000400100  app.exe+0x100",
            "  1  recorded  0x00007ff800003000  ntdll.dll+0x3000",
            "",
            "1 more thread has an earlier stack (--all: show, --same: group equal ones)",
            "trust: recorded = walked when the event was recorded"),
        text("--at", "45us").stream().map(line -> line.replace(folder + "/", "")).toList());
  }

  @Test
  void threadsThatEndedBeforeTheTimeAreNotShown() throws IOException {
    assertEquals(
        List.of(
            "thread 103 of app.exe (100): Thread/ReadyThread at 0.000040 s on CPU 0, 5.000 us before",
            "thread 101 of app.exe (100): Thread/CSwitch at 0.000030 s on CPU 0, 15.000 us before",
            "thread 102 of app.exe (100): PerfInfo/SampleProf at 0.000020 s on CPU 1, 25.000 us before"),
        heads(text("--at", "45us", "--all")));
    assertEquals(
        List.of(
            "thread 201 of svc.exe (200): PerfInfo/SampleProf at 0.000060 s on CPU 1, 5.000 us before",
            "thread 103 of app.exe (100): Thread/ReadyThread at 0.000040 s on CPU 0, 25.000 us before",
            "thread 101 of app.exe (100): Thread/CSwitch at 0.000030 s on CPU 0, 35.000 us before"),
        heads(text("--at", "65us", "--all")));
  }

  @Test
  void theTimeOfAnEventFindsThatEvent() throws IOException {
    RecordingBuilder a = new RecordingBuilder().world();
    // 0.0000107 s, which lists print as 0.000010.
    a.atTicks(107).on(0).sample(APP, 101).stack(100, 101, APP);
    Path file = Recordings.write(folder.resolve("b.etl"), a.writer());
    Cli.Result found = Cli.run("stacks", file, "--at", "0.00001", "-q");
    assertEquals(0, found.exit(), found.err());
    assertTrue(found.out().contains("SampleProf at 0.000010 s, at this time\n"), found.out());
    assertEquals(1, Cli.run("stacks", file, "--at", "0.000009").exit());
    assertEquals(1, Cli.run("stacks", file, "--at", "10699ns").exit());
    assertEquals(0, Cli.run("stacks", file, "--at", "10701ns", "-q").exit());
  }

  @Test
  void optionsSelectTheStacksOwnerAndTheEvent() throws IOException {
    assertEquals(List.of("201"), tids("--at", "65us", "-p", "svc"));
    assertEquals(List.of("103", "101"), tids("--at", "65us", "-p", "100"));
    assertEquals(List.of("103"), tids("--at", "65us", "-t", "103"));
    assertEquals(List.of("101"), tids("--at", "25us", "--all", "-e", "*Sample*", "-t", "101"));
    assertEquals(
        10_000,
        json("--at", "65us", "-t", "101", "-e", "PerfInfo/SampleProf")
            .get("threads")
            .array()
            .getFirst()
            .get("timeNanos")
            .number());
  }

  private List<String> tids(Object... more) throws IOException {
    return json(more).get("threads").array().stream()
        .map(thread -> Long.toString(thread.get("tid").number()))
        .toList();
  }

  @Test
  void equalStacksOfThreadsAreShownOnce() throws IOException {
    RecordingBuilder a = new RecordingBuilder().world();
    for (int thread : List.of(101, 102, 103)) {
      long inner = thread == 102 ? APP + 0x20 : APP + 0x10;
      a.at(thread).on(0).sample(inner, thread).stack(100, thread, inner, NTDLL + 0x3000);
    }
    Path file = Recordings.write(folder.resolve("c.etl"), a.writer());
    Cli.Result result = Cli.run("stacks", file, "--at", "1ms", "--same", "-q");
    List<String> lines = result.lines();
    assertEquals(
        List.of(
            "thread 103 of app.exe (100): PerfInfo/SampleProf at 0.000103 s on CPU 0, 897.000 us before",
            "thread 101 of app.exe (100): PerfInfo/SampleProf at 0.000101 s on CPU 0, 899.000 us before",
            "  #  trust     address             function",
            "  0  recorded  0x0000000000400010  app.exe+0x10",
            "  1  recorded  0x00007ff800003000  ntdll.dll+0x3000",
            "",
            "thread 102 of app.exe (100): PerfInfo/SampleProf at 0.000102 s on CPU 0, 898.000 us before"),
        lines.subList(2, 9));
    JsonReader json =
        Cli.run("stacks", file, "--at", "1ms", "--same", "-q", "--format", "json").json();
    assertEquals(3, json.get("threads").array().size());
    assertEquals(2, json.get("groups").array().getFirst().get("count").number());
    assertEquals(2, json.get("groups").array().size());
    assertEquals(
        "app.exe", json.get("process").get("name").text(), "one process: it is the process");
  }

  @Test
  void aTimeAfterTheEndIsSaid() throws IOException {
    Cli.Result result = Cli.run("stacks", file(), "--at", "1", "-q");
    assertEquals(0, result.exit());
    assertEquals(
        "warning: the recording ends at 0.000070 s, before the time asked for\n", result.err());
  }

  @Test
  void aTimeBeforeAnyStackHasNoAnswer() throws IOException {
    Cli.Result none = Cli.run("stacks", file(), "--at", "5us");
    assertEquals(1, none.exit());
    assertEquals(
        "ntrail: no event has a stack at or before 0.000005 s (" + folder.resolve("a.etl") + ")",
        none.messages().getFirst());
    Cli.Result wrong = Cli.run("stacks", file(), "--at", "50us", "-p", "ap.exe");
    assertEquals(1, wrong.exit());
    assertTrue(wrong.err().contains("warning: no event belongs to a process ap.exe"), wrong.err());
    assertTrue(wrong.err().contains("try: -p app.exe"), wrong.err());
  }

  @Test
  void frequentStacksAddUpToTheEvents() {
    Cli.Result result = Cli.run("stacks", SHOP, "-e", "FileIo/Read", "--top", "1", "-q");
    assertEquals(
        List.of(
            "all processes, FileIo/Read, whole recording: 399 events, complete, 0 events and 0"
                + " buffers lost",
            "100.0 % with stacks, 2 different; no symbols: addresses grouped into 256-byte ranges",
            "298 of 399 FileIo/Read (74.7 %) have this stack:",
            "  Ntfs.sys+0x8b100 < ntoskrnl.exe+0x6d5f00 < ntoskrnl.exe+0x42b300 < ntdll.dll+0x9f100"
                + " < KernelBase.dll+0x24c00 < shopcore.dll+0x12100 < shopcore.dll+0x10100"
                + " < kernel32.dll+0x17300 < ntdll.dll+0x5aa00",
            "101 of 399 (25.3 %) have 1 other stack (--top 0 shows all)"),
        result.lines().stream().map(line -> line.replaceFirst("^.*shop.etl: ", "")).toList());
  }

  @Test
  void eventsWithoutStacksAreCountedLast() throws IOException {
    List<String> lines = text("-e", "PerfInfo/SampleProf");
    assertTrue(lines.contains("1 of 4 (25.0 %) have no stack"), lines.toString());
    JsonReader json = json("-e", "PerfInfo/SampleProf");
    assertEquals(4, json.get("events").number());
    assertEquals(1, json.get("withoutStack").number());
    assertEquals(3, json.get("distinct").number());
    long counted =
        json.get("groups").array().stream().mapToLong(group -> group.get("count").number()).sum();
    assertEquals(3, counted);
    Cli.Result none = Cli.run("stacks", SHOP, "-e", "DiskIo/Read");
    assertTrue(none.err().contains("try: ntrail events"), none.err());
  }

  @Test
  void rowsHaveTheSameNamesInLinesAndTables() throws IOException {
    List<String> csv = text("--at", "45us", "--format", "csv");
    assertEquals(
        "tid,name,faulting,pid,process,cpu,event,timeNanos,frame,trust,ip,sp,returnAddress,module,"
            + "rva,function,offset,file,line,inline,source,exact,remark",
        csv.getFirst());
    assertEquals(
        "103,,false,100,app.exe,0,Thread/ReadyThread,40000,1,recorded,0x409000,,,app.exe,0x9000,"
            + ",,,,false,,,",
        csv.get(2));
    List<String> lines = text("--at", "45us", "--format", "jsonl");
    assertEquals(4, lines.size());
    assertEquals("0x409000", JsonReader.parse(lines.get(1)).get("ip").text());
    assertEquals(
        "1,ntoskrnl.exe+0x1000;app.exe+0x2000",
        text("-e", "PerfInfo/SampleProf", "-t", "101", "--format", "csv").get(1));
  }

  @Test
  void rowsOfFrequentStacksWarnOfEventsThatTheyLack() throws IOException {
    Cli.Result stackless =
        Cli.run("stacks", file(), "-e", "PerfInfo/SampleProf", "--format", "jsonl");
    assertEquals(
        List.of("warning: 1 of 4 events has no stack: not included"), stackless.messages());
    Cli.Result first = Cli.run("stacks", SHOP, "-e", "PerfInfo/SampleProf", "--format", "csv");
    assertEquals(6, first.lines().size());
    assertEquals(
        List.of(
            "warning: 1,047 of 12,000 events have 17 other stacks: not included (--top 0 writes"
                + " all)",
            "warning: 9,283 of 12,000 events have no stack: not included"),
        first.messages());
    for (String top : List.of("0", "1")) {
      Object[] words = {"stacks", SHOP, "-e", "FileIo/Read", "--format", "csv", "--top", top};
      assertEquals("", Cli.run(words).err(), "asked for");
    }
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() throws IOException {
    for (List<String> wrong :
        List.of(
            List.<String>of(),
            List.of("--at", "x"),
            List.of("--at", "1", "--top", "3"),
            List.of("--at", "1", "--time", "1..2"),
            List.of("-e", "a", "--all"),
            List.of("-e", "a", "--same"),
            List.of("-e", "/(/"),
            List.of("-e", "a", "--top", "x"))) {
      List<Object> words = new ArrayList<>(List.of("stacks", SHOP));
      words.addAll(wrong);
      Cli.Result result = Cli.run(words.toArray());
      assertEquals(2, result.exit(), wrong + ": " + result.err());
      assertTrue(result.err().contains("\ntry: "), wrong + ": " + result.err());
    }
  }
}
