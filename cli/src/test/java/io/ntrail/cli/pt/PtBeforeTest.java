package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code pt before FILE.etl -e EVENT}, with streams by hand. They run IsSystemResumeAutomatic of
 * kernel32.dll, as objdump lists it: 39600 sub (4 bytes), 39604 call through a slot (7), 3960b nop
 * (5), 39610 movzx (3), 39613 add (4), 39617 ret; and MulDiv, 25000: a jump through a slot.
 */
class PtBeforeTest {
  private static final long KERNEL32 = 0x7FFB_3B40_0000L;
  private static final long NTDLL = 0x7FFB_3C2D_0000L;
  private static final long RESUME = KERNEL32 + 0x39600;
  private static final long MUL_DIV = KERNEL32 + 0x25000;

  /** Address of the compiled method. */
  private static final long METHOD = 0x7FFA_1000_0000L;

  private static final int PID = 4000;
  private static final int TID = 4008;
  private static final long USER_MTC = 0x0000_0311L;

  @TempDir private Path folder;
  private Path file;

  /** Comes into the function and calls MulDiv, which jumps somewhere. */
  private static PtPackets stream(long target) {
    PtPackets packets = new PtPackets(false).psb().tsc(29_040_000).tma(0, 0).psbEnd().mode(64);
    return packets
        .ip(PtPackets.PGE, RESUME)
        .ip(PtPackets.TIP, MUL_DIV)
        .tsc(29_068_000)
        .ip(PtPackets.TIP, target);
  }

  /** Goes on there, with a branch. */
  private static byte[] branching(long target) {
    return stream(target).tnt(1, 1).toByteArray();
  }

  /** Returns to the function, and is interrupted behind an instruction. */
  private static byte[] returning() {
    return stream(RESUME + 0xB).ip(PtPackets.FUP, RESUME + 0x10).noIp(PtPackets.PGD).toByteArray();
  }

  @BeforeEach
  void writeRecording() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] image = TestData.gunzip("pe/windows/kernel32.dll.gz");
    Files.write(folder.resolve("kernel32.dll"), image);
    int header = (int) LittleEndian.getU32(image, 0x3C);
    int stamp = (int) LittleEndian.getU32(image, header + 8);
    long size = LittleEndian.getU32(image, header + 24 + 56);
    TraceRecording recording =
        new TraceRecording()
            .process(PID, TID, "shop.exe")
            .process(5000, 5008, "other.exe")
            .found(PID, KERNEL32, size, stamp, TraceRecording.systemPath("kernel32.dll"))
            .found(PID, NTDLL, 0x1F_5000, 0x1234, TraceRecording.systemPath("ntdll.dll"))
            .method(5, PID, METHOD, 64, "Total")
            .onto(10, 1, TID, 0);
    byte[] none = new PtPackets(false).tnt(1, 2).toByteArray();
    recording
        .traced(1000, 1, PID, TID, USER_MTC, branching(NTDLL + 0x1230))
        .traced(2000, 1, PID, TID, USER_MTC, branching(METHOD + 8))
        .traced(3000, 2, 5000, 5008, USER_MTC, none)
        .traced(4000, 1, PID, TID, USER_MTC, returning());
    // Two events without a piece.
    recording.event(5000, 1).event(6000, 2);
    file = folder.resolve("trace.etl");
    Files.write(file, recording.toByteArray());
  }

  private Cli.Result before(Object... more) {
    List<Object> words =
        new ArrayList<>(List.of("pt", "before", file, "-e", "SysClExit", "--image-path", folder));
    words.addAll(List.of(more));
    return Cli.run(words.toArray());
  }

  private static List<String> texts(JsonReader array) {
    return array.array().stream().map(JsonReader::text).toList();
  }

  private List<JsonReader> events(Object... more) {
    List<Object> words = new ArrayList<>(List.of("--format", "json"));
    words.addAll(List.of(more));
    return before(words.toArray()).json().get("events").array();
  }

  private static List<String> hex(long... addresses) {
    List<String> texts = new ArrayList<>();
    for (long address : addresses) {
      texts.add("0x" + Long.toHexString(address));
    }
    return texts;
  }

  @Test
  void theLastInstructionsAreThereOldestFirst() {
    JsonReader last = events("-n", "2").get(3);
    assertEquals(hex(MUL_DIV, RESUME + 0xB), texts(last.get("instructions")));
    assertTrue(last.get("complete").isTrue());
    assertEquals(400_000, last.get("timeNanos").number());
    assertEquals(TID, last.get("tid").number());
    assertEquals("PerfInfo/SysClExit", last.get("event").text());
  }

  @Test
  void aCallIsToldWithItsPlaceAmongTheInstructions() {
    JsonReader call = events("-n", "3").get(3).get("calls").array().getFirst();
    assertEquals("kernel32.dll!MulDiv", call.get("function").text());
    assertEquals("call", call.get("entry").text());
    assertEquals(1, call.get("instruction").number());
    assertEquals("0x" + Long.toHexString(RESUME + 4), call.get("from").text());
    assertEquals("0x" + Long.toHexString(MUL_DIV), call.get("address").text());
  }

  @Test
  void blocksAddUpToTheInstructions() {
    for (JsonReader event : events()) {
      long sum =
          event.get("blocks").array().stream()
              .mapToLong(block -> block.get("instructions").number())
              .sum();
      assertEquals(event.get("instructions").array().size(), sum);
    }
  }

  @Test
  void fewerThanWantedAreExplained() {
    List<JsonReader> events = events();
    assertFalse(events.get(3).get("complete").isTrue());
    assertTrue(
        events.get(3).get("why").text().startsWith("nothing is recorded before the first of them"));
    assertEquals(
        "no PSB, with which decoding begins: nothing of the piece is decoded",
        events.get(2).get("why").text());
    assertEquals(List.of(), events.get(2).get("instructions").array());
  }

  @Test
  void codeThatIsMissingIsAHoleEvenIfThereAreEnoughInstructions() {
    JsonReader first = events("-n", "3").getFirst();
    assertEquals(hex(RESUME, RESUME + 4, MUL_DIV), texts(first.get("instructions")));
    assertFalse(first.get("complete").isTrue());
    assertEquals(
        "right before the event: no code at this address: ntdll.dll is missing (not found) at 0x"
            + Long.toHexString(NTDLL + 0x1230),
        first.get("why").text());
  }

  @Test
  void timesAreOnTheClockOfTheRecordingAndTrustIsTold() {
    JsonReader block = events().get(3).get("blocks").array().getFirst();
    assertEquals(400_000 - 4821, block.get("timeNanos").number());
    assertEquals("estimate", block.get("timeTrust").text());
  }

  @Test
  void eventsAreSelectedByThreadProcessCpuAndTime() {
    assertEquals(1, events("-t", "5008").size());
    assertEquals(3, events("-p", "shop.exe").size());
    assertEquals(1, events("--cpu", "2").size());
    assertEquals(2, events("--time", "150us..350us").size());
  }

  @Test
  void eventsWithoutTraceAreCounted() throws IOException {
    Cli.Result all = before("--format", "json");
    assertEquals(2, all.json().get("eventsWithoutTrace").number());
    assertTrue(
        all.err().contains("note: without Processor Trace: 2 more events of the selection"),
        all.err());
    Cli.Result early = before("--format", "json", "--time", "0..450us");
    assertEquals(0, early.json().get("eventsWithoutTrace").number());
  }

  @Test
  void theScreenHasALinePerBlockAndCall() {
    Cli.Result result = before("--time", "350us..");
    assertEquals(0, result.exit(), result.err());
    assertEquals(
        """
        PerfInfo/SysClExit at 400.000 us, shop.exe (4000), thread 4008, CPU 1: 4 instructions in 3 blocks, 2 calls
           time (us)      instr  flow
            ~395.179             found in kernel32.dll!IsSystemResumeAutomatic
            ~395.179          2  kernel32.dll!IsSystemResumeAutomatic
           >=400.000               call kernel32.dll!MulDiv
           >=400.000          1    kernel32.dll!MulDiv
           >=400.000          1    kernel32.dll!IsSystemResumeAutomatic + 0xb
        incomplete: nothing is recorded before the first of them: the thread came onto the CPU, or tracing began
        """,
        result.out().substring(0, result.out().indexOf("\n\n") + 1));
    assertTrue(before().out().contains("(no code at this address: ntdll.dll is missing"));
  }

  @Test
  void aLineOfJsonIsAnEvent() throws IOException {
    JsonSchema schema = JsonSchema.named("pt-before");
    assertEquals(List.of(), schema.findings(before("--format", "json").json()));
    List<String> lines = before("--format", "jsonl").lines();
    assertEquals(4, lines.size());
    for (String line : lines) {
      assertEquals(List.of(), schema.definition("event").findings(JsonReader.parse(line)));
    }
  }

  @Test
  void damagedRecordingsAreReadAsFarAsPossible() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    Random random = new Random(5);
    Path damaged = folder.resolve("damaged.etl");
    for (int round = 0; round < 60; round++) {
      byte[] bytes = whole.clone();
      for (int i = 0; i < 1 + round % 20; i++) {
        // Behind the header of the file.
        bytes[0x400 + random.nextInt(bytes.length - 0x400)] = (byte) random.nextInt();
      }
      Files.write(damaged, Arrays.copyOf(bytes, bytes.length - (round % 3) * 700));
      Cli.Result result =
          Cli.run("pt", "before", damaged, "-e", "*", "--image-path", folder, "--format", "jsonl");
      assertTrue(List.of(0, 1, 3).contains(result.exit()), round + ": " + result.err());
      assertFalse(result.err().contains("Exception"), round + ": " + result.err());
    }
  }

  @Test
  void noEventAndOtherFilesAreRefused() throws IOException {
    Cli.Result none = Cli.run("pt", "before", file);
    assertEquals(2, none.exit());
    assertTrue(none.err().contains("needs an event: -e EVENT"), none.err());
    Path stream = Files.write(folder.resolve("trace.pt"), returning());
    Cli.Result other = Cli.run("pt", "before", stream, "-e", "CSwitch");
    assertEquals(1, other.exit());
    assertTrue(other.err().contains("is not a recording of events"), other.err());
    Cli.Result many = before("-n", "0");
    assertEquals(2, many.exit());
    assertTrue(many.err().contains("1 to 4194304, not 0"), many.err());
    assertEquals(2, before("--calls").exit());
    assertTrue(before("-e", "CSwitchh").err().contains("CSwitchh"), "a name that meant nothing");
  }
}
