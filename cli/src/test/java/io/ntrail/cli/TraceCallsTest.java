package io.ntrail.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people and programs are told of ntrail's own recordings of calls. */
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
        shop.ntr: thread main: 12 calls in 1 thread, complete, 3 records lost, 0 repaired
        shopd.exe 4312 (0x10d8), thread 4316 (0x10dc) "main"
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
      assertEquals(List.of(), line.findings(Json.parse(one)));
    }
    Json flat = Json.parse(run("calls", sample(), "--flat", "--format", "json").out());
    assertEquals(List.of(), JsonSchema.named("calls-flat").findings(flat));
    assertEquals("ns", flat.get("unit").text());
    assertEquals(16, flat.get("entries").number());
    assertEquals(3, flat.get("lost").number());
    assertEquals(1, flat.get("repaired").number());
  }

  @Test
  void aCutRecordingIsToldUpToItsLastWholeChunk() throws IOException {
    byte[] whole = SampleTrace.make();
    Path cut = folder.resolve("cut.ntr");
    Files.write(cut, Arrays.copyOf(whole, whole.length - 400));
    Cli.Result result = run("calls", cut);
    assertEquals(3, result.exit(), result.err());
    assertTrue(out(result).contains("kernelbase.dll!RegOpenKeyExInternalW"), result.out());
  }

  @Test
  void aRecordingThatWasNeverClosedIsSaidToBeSo() throws IOException {
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
        shop.ntr: call recording of ntrail, 1.5 KiB, complete, 3 records lost

          contents   30 records of entries and exits, 2 threads in 1 process
          time       in nanoseconds

          count  counted by the recorder
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
    Json info = run("info", sample(), "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").definition("calls").findings(info));
    Json file = info.get("files").array().getFirst();
    for (Json totals : List.of(info, file)) {
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
  void whatIsNamedForItsNamesAndHasNoneIsSaid() throws IOException {
    Path file = sample();
    Path text = Files.writeString(folder.resolve("notes.txt"), "no image");
    Cli.Result none = run("calls", file, "-y", text);
    assertEquals(0, none.exit());
    assertTrue(none.err().startsWith("warning: no names: "), none.err());
    assertTrue(none.err().contains("notes.txt"), none.err());
    Path other = folder.resolve("other.dll");
    Files.write(other, SampleImage.make());
    Cli.Result unknown = run("calls", file, "-y", other);
    assertTrue(unknown.err().endsWith("other.dll: no such module was recorded\n"), unknown.err());
    assertEquals("", run("calls", file, "-y", folder).err(), "nobody named what is in a folder");
  }

  @Test
  void aRoutineThatWasNotCalledIsSaid() throws IOException {
    for (String look : List.of("--depth=1", "--flat", "--slowest=2", "--format=jsonl")) {
      Cli.Result result = run("calls", sample(), "--find", "Stock*", look);
      assertEquals(0, result.exit());
      assertEquals(
          List.of("warning: no routine that was called is Stock*", "try: --flat -n 0 lists all"),
          result.messages());
      // It was called, though never at the outermost level.
      assertEquals("", run("calls", sample(), "--find", "Hook::Called", look).err());
    }
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
      assertTrue(packed.err().contains("two.zip holds 2 recordings of calls"), packed.err());
      Cli.Result empty = run(command, Files.write(folder.resolve("empty.ntr"), new byte[0]));
      assertEquals(1, empty.exit());
      assertTrue(empty.err().endsWith("empty.ntr is empty\n"), empty.err());
      assertEquals(1, run(command, "-").exit());
    }
    Cli.Result events = run("events", file);
    assertEquals(1, events.exit());
    assertTrue(events.err().contains("shop.ntr is a recording of calls"), events.err());
    assertTrue(run("calls", folder).err().contains("*.ntr"));
  }
}
