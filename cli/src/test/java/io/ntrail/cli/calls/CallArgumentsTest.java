package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.identity.CallPrototype.Convention;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arguments of calls in every format. */
class CallArgumentsTest {
  @TempDir private Path folder;
  private Path file;

  private static long[] upTo(int last) {
    return LongStream.rangeClosed(1, last).map(i -> 16 * i).toArray();
  }

  /** Calls with 1, 4, 12 and no arguments, one without exits, and one that has lost its entry. */
  @BeforeEach
  void write() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.process(TracedProcess.running(1, 8, 0, "a.exe", ""));
      writer.thread(TracedThread.running(1, 1, 12, 0, ""));
      List<String> names = List.of("one", "four", "twelve", "jump", "none", "lost");
      for (String name : names) {
        writer.function(new TracedFunction(1 + names.indexOf(name), 0, 1, name, List.of()));
      }
      ThreadEventWriter events = writer.events(1);
      events.entry(1000, 1, 0, 0, 0x9000, 0, new long[] {-1}, 1);
      events.entry(1100, 2, 0, 1, 0x8000, 0, new long[] {0x7FF1, 2, 0, 16}, 4);
      events.entry(1200, 3, 0, 2, 0x7000, 0, upTo(12), 12);
      events.entryOnly(1300, 4, 0, 0, 0x6000, 0, new long[] {5, Long.MIN_VALUE}, 2);
      events.entry(1400, 5, 0, 3, 0x5000, 0);
      events.exit(1500, 5, 0, 3, 0x5000, 0);
      events.exit(1600, 3, 0, 2, 0x7000, 3);
      events.exit(1700, 6, 0, 2, 0x7000, 9);
      events.exit(1900, 2, 0, 1, 0x8000, 0xC0000034L);
      events.exit(2100, 1, 0, 0, 0x9000, 1);
    }
    file = Files.write(folder.resolve("a.ntr"), out.toByteArray());
  }

  private String text(Object... options) {
    List<Object> words = new ArrayList<>(List.of("calls", file));
    words.addAll(List.of(options));
    Cli.Result result = Cli.run(words.toArray());
    assertEquals(0, result.exit(), result.err());
    return result.out().replace(folder + "/", "");
  }

  @Test
  void theTreeShowsFourOfThemAfterTheRoutine() {
    assertEquals(
        """
        a.ntr: all threads: 6 calls in 1 thread, complete, 0 records lost, 1 repaired
        a.exe (8), thread 12
          entry (s)  duration us  child calls    returned  routine
           0.001000      1,100.0            5           1  (unknown)!one(ffffffffffffffff)
           0.001100        800.0            4    c0000034  └─ (unknown)!four(7ff1, 2, 0, 10)\
          (STATUS_OBJECT_NAME_NOT_FOUND)
           0.001200        400.0            2           3     ├─ (unknown)!twelve(10, 20, 30, 40, ...)
           0.001300            -            0  entry only     │  ├─ (unknown)!jump(5, 8000000000000000)
           0.001400        100.0            0           0     │  └─ (unknown)!none
           0.001700            -            0  entry lost     └─ (unknown)!lost
        """,
        text());
  }

  @Test
  void asManyAreShownAsAreWanted() {
    String all = text("--args", "12");
    assertTrue(all.contains("twelve(10, 20, 30, 40, 50, 60, 70, 80, 90, a0, b0, c0)\n"), all);
    String none = text("--args", "0");
    assertFalse(none.contains("(10"), none);
    assertTrue(none.contains("(unknown)!twelve\n"), none);
    assertTrue(text("--args", "1").contains("four(7ff1, ...)"));
  }

  @Test
  void theSlowestCallsHaveTheirs() {
    String text = text("--slowest", "2", "--args", "2");
    assertTrue(text.contains("(unknown)!one(ffffffffffffffff)\n"), text);
    assertTrue(text.contains("(unknown)!four(7ff1, 2, ...)\n"), text);
    assertTrue(text.contains("72.7 % of its time in (unknown)!four (1 call)"), text);
  }

  private static List<String> arguments(JsonReader call) {
    return call.has("arguments")
        ? call.get("arguments").array().stream().map(one -> one.get("value").text()).toList()
        : List.of();
  }

  @Test
  void programsGetAllOfThem() throws IOException {
    JsonSchema line = JsonSchema.named("calls").definition("call");
    List<JsonReader> calls = text("--format", "jsonl").lines().map(JsonReader::parse).toList();
    calls.forEach(call -> assertEquals(List.of(), line.findings(call)));
    List<String> twelve =
        List.of(
            "0x10", "0x20", "0x30", "0x40", "0x50", "0x60", "0x70", "0x80", "0x90", "0xa0", "0xb0",
            "0xc0");
    assertEquals(
        List.of(
            List.of("0xffffffffffffffff"),
            List.of("0x7ff1", "0x2", "0x0", "0x10"),
            twelve,
            List.of("0x5", "0x8000000000000000"),
            List.of(),
            List.of()),
        calls.stream().map(CallArgumentsTest::arguments).toList());
    JsonReader whole = JsonReader.parse(text("--format", "json"));
    assertEquals(List.of(), JsonSchema.named("calls").findings(whole));
    assertEquals(twelve, arguments(whole.get("calls").array().get(2)));
    JsonReader slowest = JsonReader.parse(text("--slowest", "1", "--format", "json"));
    assertEquals(List.of("0xffffffffffffffff"), arguments(slowest.get("calls").array().getFirst()));
  }

  @Test
  void eachIsAnObjectOfWhatIsKnownOfIt() {
    String four = text("--format", "jsonl").lines().toList().get(1);
    assertTrue(
        four.contains(
            """
            "arguments":[{"name":null,"type":null,"value":"0x7ff1","text":null},\
            {"name":null,"type":null,"value":"0x2","text":null},\
            {"name":null,"type":null,"value":"0x0","text":null},\
            {"name":null,"type":null,"value":"0x10","text":null}]\
            """),
        four);
  }

  @Test
  void aCallThatLostItsEntryHasNeitherItsTimeNorADuration() {
    JsonReader lost =
        JsonReader.parse(text("--format", "jsonl").lines().reduce((_, last) -> last).orElseThrow());
    assertEquals("entry", lost.get("inferred").text());
    assertEquals(1_700_000, lost.get("exit").number());
    assertTrue(lost.get("entry").isNull());
    assertTrue(lost.get("duration").isNull());
    String row = text("--format", "csv").lines().toList().get(6);
    assertTrue(row.startsWith("a.exe,8,12,2,(unknown)!lost,,1700000,,0,"), row);
  }

  @Test
  void tablesHaveAColumnOfThem() {
    List<String> lines = text("--format", "csv").lines().toList();
    assertTrue(lines.get(0).endsWith(",entryOnly,arguments"), lines.get(0));
    assertTrue(lines.get(2).endsWith(",,0x7ff1 0x2 0x0 0x10"), lines.get(2));
    assertTrue(lines.get(4).endsWith(",true,0x5 0x8000000000000000"), lines.get(4));
    assertTrue(lines.get(5).endsWith(",,"), lines.get(5));
  }

  /** Writes calls of 32-bit functions, of which ecx, edx and three words are recorded. */
  private void write32() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x14C, 4, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.process(TracedProcess.running(1, 8, 0, "a.exe", ""));
      writer.thread(TracedThread.running(1, 1, 12, 0, ""));
      List<String> names =
          List.of("_main", "_run@4", "@fast@12", "?get@Box@@QAE_JH@Z", "CreateFileW", "_none@0");
      for (String name : names) {
        writer.function(
            new TracedFunction(1 + names.indexOf(name), 0, 1, name, List.of(5, 6, 17, 18, 19)));
      }
      ThreadEventWriter events = writer.events(1);
      long[] values = {0xEC, 0xED, 1, 2, 3};
      for (int function = 1; function <= names.size(); function++) {
        events.entry(1000L * function, function, 0, 0, 0x9000, 0, values, 5);
        events.exit(1000L * function + 100, function, 0, 0, 0x9000, 0x7_0000_0009L);
      }
    }
    Files.write(file, out.toByteArray());
  }

  @Test
  void thoseOf32BitFunctionsAreFoundByTheConventionOfTheirNames() throws IOException {
    write32();
    List<String> shown =
        text().lines().skip(3).map(line -> line.replaceFirst(" +\\S+ +\\S+ +0 +", "")).toList();
    assertEquals(
        List.of(
            "9  (unknown)!_main(1, 2, 3) cdecl or stdcall assumed",
            "9  (unknown)!_run@4(1) stdcall",
            "9  (unknown)!@fast@12(ec, ed, 1) fastcall",
            "700000009  (unknown)!?get@Box@@QAE_JH@Z(ec, 1, 2, 3) thiscall",
            "9  (unknown)!CreateFileW(1, 2, 3) cdecl or stdcall assumed",
            "9  (unknown)!_none@0() stdcall"),
        shown);
  }

  @Test
  void programsAreToldTheConvention() throws IOException {
    write32();
    JsonReader whole = JsonReader.parse(text("--format", "json"));
    assertEquals(List.of(), JsonSchema.named("calls").findings(whole));
    List<JsonReader> calls = whole.get("calls").array();
    assertEquals("fastcall", calls.get(2).get("convention").text());
    assertEquals(List.of("0xec", "0xed", "0x1"), arguments(calls.get(2)));
    assertEquals("cdecl or stdcall assumed", calls.get(4).get("convention").text());
    assertEquals("0x9", calls.get(4).get("returned").text());
    assertEquals("0x700000009", calls.get(3).get("returned").text());
    assertEquals(List.of(), arguments(calls.get(5)));
  }

  @Test
  void prototypesThatTheRecordingHasComeBeforeNames() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x14C, 4, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    List<CallPrototype> prototypes =
        List.of(
            // int __thiscall Box::get(int)
            new CallPrototype(Convention.THISCALL, List.of(5, 17), false, false),
            // __int64 __fastcall mix(double, int, char)
            new CallPrototype(Convention.FASTCALL, List.of(17, 18, 5, 6), false, true),
            // int __cdecl print(const char *, ...)
            new CallPrototype(Convention.CDECL, List.of(17), true, false),
            // int __stdcall far(...), five words
            new CallPrototype(Convention.STDCALL, List.of(17, 18, 19, 20, 21), false, false),
            // int __vectorcall area(int, double, int): xmm is not recorded
            new CallPrototype(Convention.VECTORCALL, List.of(5, 64, 6), false, false),
            // static int near(int), which its compiler may call as it likes
            new CallPrototype(Convention.CDECL, List.of(17), false, false).assumed());
    List<String> names = List.of("Box::get", "mix", "print", "far", "area", "near");
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.process(TracedProcess.running(1, 8, 0, "a.exe", ""));
      writer.thread(TracedThread.running(1, 1, 12, 0, ""));
      ThreadEventWriter events = writer.events(1);
      for (int i = 0; i < names.size(); i++) {
        writer.function(
            new TracedFunction(
                1 + i,
                0,
                1,
                names.get(i),
                List.of(5, 6, 17, 18, 19),
                Optional.of(prototypes.get(i))));
        events.entry(
            1000L + 1000L * i, 1 + i, 0, 0, 0x9000, 0, new long[] {0xEC, 0xED, 1, 2, 3}, 5);
        events.exit(1100L + 1000L * i, 1 + i, 0, 0, 0x9000, 0x7_0000_0009L);
      }
    }
    Files.write(file, out.toByteArray());
    assertEquals(
        List.of(
            "9  (unknown)!Box::get(ec, 1) thiscall",
            "700000009  (unknown)!mix(1, 2, ec, ed) fastcall",
            "9  (unknown)!print(1, 2, 3) cdecl",
            "9  (unknown)!far(1, 2, 3) stdcall",
            "9  (unknown)!area(ec) vectorcall",
            "9  (unknown)!near(1) cdecl assumed"),
        text().lines().skip(3).map(line -> line.replaceFirst(" +\\S+ +\\S+ +0 +", "")).toList());
  }

  @Test
  void what32BitChildrenOf64BitProgramsReturnHas32Bits() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      for (int number = 1; number <= 2; number++) {
        writer.process(
            TracedProcess.running(number, 8L * number, 0, "p" + number + ".exe", "")
                .of(number == 1 ? 0x8664 : 0x14C));
        writer.module(
            new TracedModule(
                number, number, 0x10000, new ImageId(0, 0x1000), 0, 0, "p.exe", null, ""));
        writer.thread(TracedThread.running(number, number, 12L * number, 0, ""));
        writer.function(new TracedFunction(number, number, 1, "f", List.of()));
        ThreadEventWriter events = writer.events(number);
        events.entry(1000, number, 0, 0, 0x9000, 0);
        events.exit(1100, number, 0, 0, 0x9000, 0x7_0000_0009L);
      }
    }
    Files.write(file, out.toByteArray());
    assertEquals(
        List.of("700000009  p.exe!f", "9  p.exe!f"),
        text()
            .lines()
            .filter(line -> line.endsWith("!f"))
            .map(line -> line.replaceFirst(" +\\S+ +\\S+ +0 +", ""))
            .toList());
  }

  @Test
  void wrongNumbersAreRefused() {
    Cli.Result many = Cli.run("calls", file, "--args", "33");
    assertEquals(2, many.exit());
    assertTrue(many.err().contains("--args takes 0 to 32, not 33"), many.err());
    assertEquals(2, Cli.run("calls", file, "--flat", "--args", "1").exit());
  }
}
