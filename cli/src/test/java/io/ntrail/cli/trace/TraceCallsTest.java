package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleCalls;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers about ntrail's own call recordings. */
class TraceCallsTest {
  @TempDir private Path folder;

  private Path sample() throws IOException {
    Path file = folder.resolve("shop.ntr");
    Files.write(file, SampleTrace.make());
    return file;
  }

  private Cli.Result run(Object... arguments) {
    return Cli.run(arguments);
  }

  private String out(Cli.Result result) {
    return result.out().replace(folder + "/", "");
  }

  @Test
  void theSampleIsTheFileThatComesWithTheProject() throws IOException {
    assertArrayEquals(
        Files.readAllBytes(TestData.projectRoot().resolve("samples/shop.ntr")), SampleTrace.make());
  }

  @Test
  void callsHaveTimesNamesAndExceptions() throws IOException {
    Cli.Result result = run("calls", sample(), "-t", "main");
    assertEquals(0, result.exit(), result.err());
    assertEquals(
        """
        shop.ntr: thread main: 12 calls in 1 thread, 3 records lost, 0 repaired
        shopd.exe (4312), thread 4316 "main"
          entry (s)  duration us  child calls  returned  routine
           0.003911     15,280.0           11  c0000034  kernelbase.dll!RegOpenKeyExInternalW\
          (STATUS_OBJECT_NAME_NOT_FOUND)
           0.003975         65.0            0         0  ├─ shopcore.dll!Tx::Current
           0.004108        602.0            4         0  ├─ shopcore.dll!Access::Create
           0.004128        110.0            0         0  │  ├─ shopcore.dll!0x10b0
           0.004258        110.0            0         1  │  ├─ shopcore.dll!0x10b0
           0.004388        110.0            0         2  │  ├─ shopcore.dll!0x10b0
           0.004518        110.0            0         3  │  └─ shopcore.dll!0x10b0
           0.004776     14,115.0            4  c0000034  └─ shopcore.dll!Key::Parse\
          (STATUS_OBJECT_NAME_NOT_FOUND)
           0.004843        710.0            0  83067800     ├─ shopcore.dll!Hook::Called
           0.006005      2,179.0            1    UNWIND     ├─ shopcore.dll!0x10b0  (e06d7363)
           0.006905      1,279.0            0    UNWIND     │  └─ shopcore.dll!Hook::Called\
          (e06d7363)
           0.008247        248.0            0  946a3801     └─ shopcore.dll!Tx::Current
        """,
        out(result));
  }

  @Test
  void lostRecordsAndStacksOfFibersAreSeen() throws IOException {
    String text = out(run("calls", sample(), "-t", "5020"));
    assertTrue(text.contains("exit lost  ├─ shopcore.dll!0x10b0"), text);
    assertTrue(text.contains("       open  shopcore.dll!Key::Parse"), text);
    assertTrue(text.contains("  shopcore.dll!Access::Create"), text);
  }

  @Test
  void linesAndTotalsAreThoseOfTheContract() throws IOException {
    JsonSchema line = JsonSchema.named("calls").definition("call");
    List<String> lines = run("calls", sample(), "--format", "jsonl").out().lines().toList();
    assertEquals(16, lines.size());
    for (String one : lines) {
      assertEquals(List.of(), line.findings(JsonReader.parse(one)));
    }
    JsonReader flat = JsonReader.parse(run("calls", sample(), "--flat", "--format", "json").out());
    assertEquals(List.of(), JsonSchema.named("calls-flat").findings(flat));
    assertEquals("ns", flat.get("unit").text());
    assertEquals(16, flat.get("entries").number());
    assertEquals(3, flat.get("lost").number());
    assertEquals(1, flat.get("repaired").number());
  }

  /** One function calls others: of one only entries are recorded; another runs on a fiber. */
  private Path withFiberAndEntryOnly() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.process(TracedProcess.running(1, 8, 0, "a.exe", ""));
      writer.thread(TracedThread.running(1, 1, 12, 0, ""));
      for (String name : List.of("main", "jump", "work", "leaf")) {
        writer.function(new TracedFunction(name.charAt(0), 0, name.charAt(0), name, List.of()));
      }
      ThreadEventWriter events = writer.events(1);
      events.entry(1000, 'm', 0, 0, 0x9000, 0);
      events.entryOnly(1100, 'j', 0, 0, 0x8000, 0, new long[0], 0);
      events.entry(1200, 'w', 0, 1, 0x8000, 0);
      events.entry(1300, 'm', 5, 0, 0x29000, 0);
      events.entry(1400, 'l', 0, 2, 0x7000, 0);
      events.entry(1500, 'w', 5, 1, 0x28000, 0);
      events.entryOnly(1600, 'j', 5, 0, 0x27000, 0, new long[0], 0);
      events.exit(1700, 'w', 5, 1, 0x28000, 2);
      events.exit(1800, 'l', 0, 2, 0x7000, 3);
      events.exit(1900, 'm', 5, 0, 0x29000, 4);
      events.exit(2000, 'w', 0, 1, 0x8000, 5);
      events.exit(2100, 'm', 0, 0, 0x9000, 6);
    }
    Path file = folder.resolve("a.ntr");
    Files.write(file, out.toByteArray());
    return file;
  }

  @Test
  void theLastCallOfEachStackIsDrawnAsTheLast() throws IOException {
    assertEquals(
        """
        a.ntr: all threads: 7 calls in 1 thread, complete, 0 records lost, 0 repaired
        a.exe (8), thread 12
          entry (s)  duration us  child calls    returned  routine
           0.001000      1,100.0            3           6  (unknown)!main
           0.001100            -            0  entry only  ├─ (unknown)!jump
           0.001200        800.0            1           5  └─ (unknown)!work
           0.001300        600.0            2           4  (unknown)!main
           0.001400        400.0            0           3     └─ (unknown)!leaf
           0.001500        200.0            1           2  └─ (unknown)!work
           0.001600            -            0  entry only     └─ (unknown)!jump
        """,
        out(run("calls", withFiberAndEntryOnly())));
  }

  @Test
  void callsOfWhichOnlyEntriesAreRecordedAreCountedWithoutTimes() throws IOException {
    Path file = withFiberAndEntryOnly();
    JsonReader flat = JsonReader.parse(run("calls", file, "--flat", "--format", "json").out());
    assertEquals(List.of(), JsonSchema.named("calls-flat").findings(flat));
    assertEquals(7, flat.get("entries").number());
    assertEquals(2, flat.get("entryOnly").number());
    assertEquals(0, flat.get("repaired").number());
    assertEquals(0, flat.get("open").number());
    assertEquals(
        """
        function,calls,unwinds,total,self,max,timed,entries,exits,abandoned,open,entryOnly,\
        lostEntries,p50,p90,p99,incomplete,min,process,pid,rva
        (unknown)!main,2,0,1700000,700000,1100000,2,2,2,0,0,0,0,622591,1100000,1100000,false,600000,a.exe,8,
        (unknown)!work,2,0,1000000,600000,800000,2,2,2,0,0,0,0,204799,800000,800000,false,200000,a.exe,8,
        (unknown)!leaf,1,0,400000,400000,400000,1,1,1,0,0,0,0,400000,400000,400000,false,400000,a.exe,8,
        (unknown)!jump,2,0,,,,0,2,0,0,0,2,0,,,,false,,a.exe,8,
        """,
        run("calls", file, "--flat", "--format", "csv").out());
    String text = out(run("calls", file, "--flat"));
    assertTrue(
        text.contains(
            "\n  7 entries = 5 exits + 0 unwinds + 0 abandoned + 0 open + 2 entry only\n"),
        text);
    assertTrue(text.contains("           2  (unknown)!jump\n"), text);
    List<String> lines = run("calls", file, "--format", "jsonl").out().lines().toList();
    JsonSchema line = JsonSchema.named("calls").definition("call");
    lines.forEach(one -> assertEquals(List.of(), line.findings(JsonReader.parse(one))));
    assertTrue(
        lines.get(1).contains("\"exit\":null,\"duration\":null")
            && lines.get(1).contains("\"end\":\"open\"")
            && lines.get(1).contains("\"entryOnly\":true"),
        lines.get(1));
    assertEquals(2, lines.stream().filter(one -> one.contains("entryOnly")).count());
    assertEquals(0, run("calls", file, "--strict").exit());
    assertFalse(run("calls", file, "--slowest", "9").out().contains("jump"));
  }

  @Test
  void aTruncatedRecordingIsReadUpToItsLastCompleteChunk() throws IOException {
    byte[] whole = SampleTrace.make();
    Path cut = folder.resolve("cut.ntr");
    Files.write(cut, Arrays.copyOf(whole, whole.length - 400));
    Cli.Result result = run("calls", cut);
    assertEquals(3, result.exit(), result.err());
    assertTrue(out(result).contains("kernelbase.dll!RegOpenKeyExInternalW"), result.out());
  }

  @Test
  void aRecordingThatWasNeverFinalisedIsReported() throws IOException {
    byte[] whole = SampleTrace.make();
    Path open = folder.resolve("open.ntr");
    // Without the end chunk, as after a crash of the recorder.
    Files.write(open, Arrays.copyOf(whole, whole.length - 64));
    for (Object[] words :
        new Object[][] {
          {"info", open},
          {"calls", open},
          {"calls", open, "--flat"},
          {"calls", open, "--slowest", "2"},
          {"profile", open},
          {"profile", open, "--tree"}
        }) {
      Cli.Result result = run(words);
      assertEquals(0, result.exit(), result.err());
      assertEquals("", result.err());
      String first = result.lines().getFirst();
      assertTrue(first.contains(", never finalised, 3 records lost"), first);
    }
    for (Object[] words :
        new Object[][] {
          {"info", open, "--format", "json"},
          {"info", open, "--format", "jsonl"},
          {"calls", open, "--format", "json"},
          {"calls", open, "--flat", "--format", "json"},
          {"profile", open, "--format", "json"}
        }) {
      assertEquals(true, run(words).json().get("neverFinalised").value());
    }
  }

  @Test
  void infoSaysWhatItIs() throws IOException {
    assertEquals(
        """
        shop.ntr: call recording of ntrail, 1.5 KiB, 3 records lost

          contents   30 records of entries and exits, 2 threads in 1 process
          time       in nanoseconds

          count  recorder counters
              6  functions traced
              1  calls open at the end
              3  events dropped

                    base      size  PDB id                             image
          0x7ffb2d000000  0x2f6000  -                                  C:\\Windows\\System32\
        \\kernelbase.dll
             0x180000000    0x7000  5E1C7A9044B24C0FA1D2B3C4D5E6F7082  C:\\shop\\shopcore.dll
        """,
        out(run("info", sample())));
  }

  @Test
  void infoForProgramsHasKindLossesAndStatistics() throws IOException {
    JsonReader info = run("info", sample(), "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").definition("calls").findings(info));
    JsonReader file = info.get("files").array().getFirst();
    for (JsonReader totals : List.of(info, file)) {
      assertEquals(3, totals.get("lost").get("events").number());
      assertTrue(totals.get("lost").get("buffers").isNull());
      assertEquals(false, totals.get("neverFinalised").value());
      assertEquals(6, totals.get("statistics").get("functionsTraced").number());
      assertEquals(3, totals.get("statistics").object().size());
    }
    assertEquals("ntr", file.get("kind").text());
    List<String> csv = run("info", sample(), "--format", "csv").lines();
    List<String> head = List.of(csv.get(0).split(",", -1));
    List<String> row = List.of(csv.get(1).split(",", -1));
    assertEquals(head.size(), row.size());
    assertEquals("ntr", row.get(head.indexOf("kind")));
    assertEquals("3", row.get(head.indexOf("lost")));
    assertEquals("6", row.get(head.indexOf("functionsTraced")));
    assertEquals("", row.get(head.indexOf("entries")));
    assertEquals(3, run("info", sample(), "--strict").exit());
  }

  @Test
  void imagesWithoutNamesAreReported() throws IOException {
    Path file = sample();
    Path text = Files.writeString(folder.resolve("notes.txt"), "no image");
    Cli.Result none = run("calls", file, "-y", text);
    assertEquals(0, none.exit());
    assertTrue(none.err().startsWith("warning: no names: "), none.err());
    assertTrue(none.err().contains("notes.txt"), none.err());
    Path other = folder.resolve("other.dll");
    Files.write(other, SampleImage.make());
    Cli.Result unknown = run("calls", file, "-y", other);
    assertTrue(
        unknown.err().endsWith("other.dll: no such module in the recording\n"), unknown.err());
    assertEquals("", run("calls", file, "-y", folder).err(), "nobody named what is in a folder");
  }

  @Test
  void aRoutineThatWasNotCalledIsReported() throws IOException {
    for (String look : List.of("--depth=1", "--flat", "--slowest=2", "--format=jsonl")) {
      Cli.Result result = run("calls", sample(), "--find", "Stock*", look);
      assertEquals(0, result.exit());
      assertEquals(
          List.of("warning: no routine called matches Stock*", "try: --flat -n 0 lists all"),
          withoutLosses(result));
      // It was called, though never at the outermost level.
      assertEquals(
          List.of(), withoutLosses(run("calls", sample(), "--find", "Hook::Called", look)));
    }
  }

  /** Rows for programs have no first line that says what was lost. */
  private static List<String> withoutLosses(Cli.Result result) {
    return result.messages().stream().filter(line -> !line.contains(" records lost")).toList();
  }

  @Test
  void aRecordingOfCallsIsReadAloneAndHasNoEvents() throws IOException {
    Path file = sample();
    for (String command : List.of("info", "profile", "calls")) {
      Cli.Result two = run(command, file, file);
      assertEquals(2, two.exit(), two.err());
      assertTrue(two.messages().get(1).startsWith("try: ntrail " + command + " "), two.err());
      Path zip =
          Recordings.zip(
              folder.resolve("two.zip"),
              Map.of("a.ntr", SampleTrace.make(), "b.jtrc", SampleCalls.make()));
      Cli.Result packed = run(command, zip);
      assertEquals(1, packed.exit());
      assertTrue(packed.err().contains("two.zip contains 2 call recordings"), packed.err());
      Cli.Result empty = run(command, Files.write(folder.resolve("empty.ntr"), new byte[0]));
      assertEquals(1, empty.exit());
      assertTrue(empty.err().endsWith("empty.ntr is empty\n"), empty.err());
      assertEquals(1, run(command, "-").exit());
    }
    Cli.Result events = run("events", file);
    assertEquals(1, events.exit());
    assertTrue(events.err().contains("shop.ntr is a call recording"), events.err());
    assertTrue(run("calls", folder).err().contains("*.ntr"));
  }
}
