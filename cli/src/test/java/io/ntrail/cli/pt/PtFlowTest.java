package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ntrail pt flow}. */
class PtFlowTest {
  @TempDir private Path folder;

  private Path stream;
  private String code;

  @BeforeEach
  void writeFiles() throws IOException {
    Path bytes = Files.write(folder.resolve("loop.bin"), SamplePt.code());
    code = bytes + "@0x401000";
    stream = Files.write(folder.resolve("flow.pt"), SamplePt.loop());
  }

  private Cli.Result flow(Object... options) {
    Object[] words = new Object[options.length + 3];
    words[0] = "pt";
    words[1] = "flow";
    words[2] = stream;
    System.arraycopy(options, 0, words, 3, options.length);
    return Cli.run(words);
  }

  @Test
  void addressesAreSixteenDigitsALineAndNothingElse() {
    Cli.Result result = flow("--code", code, "--addresses");
    assertEquals(0, result.exit(), result.err());
    assertEquals("0000000000401000\n0000000000401002\n", result.out());
    assertEquals("", result.err());
  }

  @Test
  void instructionsAreLinesForPrograms() {
    assertEquals(
        List.of(
            "{\"address\":\"0x401000\",\"length\":2,\"kind\":\"indirectJump\",\"timeNanos\":null,"
                + "\"trust\":\"trace\"}",
            "{\"address\":\"0x401002\",\"length\":1,\"kind\":\"next\",\"timeNanos\":null,"
                + "\"trust\":\"trace\"}"),
        flow("--code", code, "--instructions", "--format", "jsonl").lines());
  }

  @Test
  void aSummaryCountsByKind() throws IOException {
    JsonReader json = flow("--code", code, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("pt-flow").findings(json));
    assertEquals(2, json.get("instructions").number());
    assertEquals(0, json.get("errorsLeftOut").number());
    assertEquals(1, json.get("byKind").get("indirectJump").number());
    assertEquals(1, json.get("events").get("disabled").number());
    assertEquals(2, json.get("packets").get("FUP").number());
    assertEquals("              1  next", flow("--code", code).lines().get(1));
  }

  @Test
  void blocksHaveTheirInstructionsCounted() {
    List<String> lines = flow("--code", code, "--blocks", "--format", "jsonl").lines();
    assertEquals(2, lines.size());
    assertTrue(lines.getFirst().contains("\"length\":2,\"instructions\":1,"), lines.getFirst());
  }

  @Test
  void anErrorIsARowWithOffsetAddressAndReason() throws IOException {
    Path other = Files.write(folder.resolve("other.bin"), SamplePt.bytes("ffe0"));
    Cli.Result result = flow("--code", other + "@0x401000", "--instructions", "--format", "jsonl");
    assertEquals(3, result.exit());
    assertEquals(
        "{\"error\":\"noCode\",\"offset\":33,\"address\":\"0x401002\",\"timeNanos\":null,"
            + "\"why\":\"no code at this address\"}",
        result.lines().get(1));
    JsonSchema schema = JsonSchema.named("pt-flow").definition("row");
    for (String line : result.lines()) {
      assertEquals(List.of(), schema.findings(JsonReader.parse(line)));
    }
  }

  /** Code of one return, reached by PSB+ and again behind an overflow. */
  @Test
  void packetsThatTheProcessorLostAreSaidInEveryForm() throws IOException {
    PtPackets packets = new PtPackets(false).psb().ip(PtPackets.FUP, 0x40_1000).psbEnd();
    packets.overflow().ip(PtPackets.FUP, 0x40_1000);
    stream = Files.write(folder.resolve("overflow.pt"), packets.toByteArray());
    for (String form : List.of("--addresses", "--instructions", "--blocks", "--profile")) {
      Cli.Result result = flow("--code", code, form);
      assertEquals(0, result.exit(), form + result.err());
      assertTrue(result.err().contains("warning: 1 overflow: the processor"), form + result.err());
      assertEquals(3, flow("--code", code, form, "--strict").exit());
    }
    assertTrue(flow("--code", code).lines().getFirst().endsWith("0 errors, 1 overflow"));
    for (String[] form : new String[][] {{}, {"--profile"}, {"--calls"}}) {
      List<Object> words = new ArrayList<>(List.of("--code", code, "--format", "json"));
      words.addAll(List.of(form));
      JsonReader json = flow(words.toArray()).json();
      assertEquals(1, json.get("overflows").number());
      assertEquals(List.of(), JsonSchema.named("pt-flow").findings(json));
    }
  }

  @Test
  void eventsAreRowsBetweenTheInstructionsIfTheyAreAskedFor() throws IOException {
    List<String> lines =
        flow("--code", code, "--instructions", "--events", "--format", "jsonl").lines();
    assertEquals(
        List.of(
            "{\"event\":\"interrupted\",\"address\":\"0x401003\",\"timeNanos\":null}",
            "{\"event\":\"disabled\",\"timeNanos\":null}"),
        lines.subList(lines.size() - 2, lines.size()));
    JsonSchema schema = JsonSchema.named("pt-flow").definition("row");
    for (String line : lines) {
      assertEquals(List.of(), schema.findings(JsonReader.parse(line)));
    }
  }

  /** CALL 401006; HLT. 401006: RET. */
  @Test
  void callsAreATreeWithTheirOwnInstructions() throws IOException {
    Path bytes = Files.write(folder.resolve("calls.bin"), SamplePt.bytes("e801000000f4c3"));
    stream =
        Files.write(
            folder.resolve("calls.pt"),
            SamplePt.bytes("0282028202820282028202820282028299017d0010400000000223063d051001"));
    Object[] program = {"--code", bytes + "@0x401000"};
    assertEquals(
        List.of("      instr  flow", "          1  0x401000", "          1  \u2514\u2500 0x401006"),
        flow(program[0], program[1], "--calls").lines().subList(1, 4));
    assertEquals(
        "{\"depth\":1,\"kind\":\"call\",\"function\":\"0x401006\",\"functionOffset\":0,"
            + "\"timeNanos\":null,\"instructions\":1,\"end\":\"return\"}",
        flow(program[0], program[1], "--calls", "--format", "jsonl").lines().get(1));
    JsonReader json = flow(program[0], program[1], "--calls", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("pt-flow").findings(json));
    assertEquals(
        List.of("1            2      0  0x401000", "1            1      1  0x401006"),
        flow(program[0], program[1], "--profile").lines().subList(2, 4).stream()
            .map(String::strip)
            .toList());
  }

  @Test
  void aTimeSelectsTheInstructionsThatWereExecutedThen() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/dynamorio/hello.pt");
    Object elf = TestData.file("pt/dynamorio/hello.elf");
    String clock = "3,2,308,37";
    int before = timed(elf, clock, "..120us");
    int after = timed(elf, clock, "120us..");
    // Up to the first system call, and behind it.
    assertEquals(5, before);
    assertEquals(3, after);
    assertEquals(2, flow("--code", elf, "--time", "0..2us").exit());
  }

  private int timed(Object elf, String clock, String time) {
    return flow("--code", elf, "--addresses", "--clock", clock, "--model", "6/85/4", "--time", time)
        .lines()
        .size();
  }

  @Test
  void callsAreARecordingForOtherCommands() throws IOException {
    Path recording = folder.resolve("flow.ntr");
    assertEquals(0, flow("--code", code, "--calls", "-o", recording).exit());
    Cli.Result calls = Cli.run("calls", recording, "--format", "jsonl");
    assertEquals(0, calls.exit(), calls.err());
    assertTrue(calls.out().contains("0x401000"), calls.out());
    assertTrue(calls.out().contains("\"returned\":null"), calls.out());
  }

  /** Makes a stream with a byte in its middle that is no packet. */
  private byte[] lostOnce() throws IOException {
    byte[] sound = SamplePt.loop();
    byte[] twice = Arrays.copyOf(sound, 2 * sound.length + 1);
    // Not a packet; the second header begins anew.
    twice[sound.length] = 0x05;
    System.arraycopy(sound, 0, twice, sound.length + 1, sound.length);
    Files.write(stream, twice);
    return sound;
  }

  @Test
  void theFirstLineOfEveryAnswerCountsWhereTheFlowWasLost() throws IOException {
    lostOnce();
    for (Object[] words : new Object[][] {{}, {"--profile"}, {"--calls"}}) {
      List<Object> all = new ArrayList<>(List.of("--code", code));
      all.addAll(List.of(words));
      Cli.Result result = flow(all.toArray());
      assertTrue(result.lines().getFirst().endsWith(", 1 error"), result.out());
      assertEquals(3, result.exit());
    }
  }

  @Test
  void aRecordingSaysWhereTheFlowWasLost() throws IOException {
    byte[] sound = lostOnce();
    Path recording = folder.resolve("flow.ntr");
    assertEquals(3, flow("--code", code, "--calls", "-o", recording).exit());
    for (String command : List.of("calls", "info")) {
      Cli.Result result = Cli.run(command, recording);
      String first = result.lines().getFirst();
      assertTrue(first.contains("1 module not traced for some time"), first);
      assertFalse(first.contains("complete"), first);
    }
    String said = Cli.run("info", recording).out();
    assertTrue(said.contains("no packets at 0x" + Integer.toHexString(sound.length)), said);
  }

  @Test
  void functionsOfAProgramHaveTheNamesOfItsSymbols() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/lldb/loop.trace");
    List<String> lines =
        flow("--code", TestData.file("pt/lldb/loop.a.out"), "--instructions", "--format", "jsonl")
            .lines();
    assertTrue(lines.getFirst().contains("\"function\":\"loop.a.out!main\""), lines.getFirst());
  }

  /** The entry point of the program is at RVA 1368. */
  @Test
  void functionsOfAWindowsProgramHaveTheNamesOfItsPdb() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path program = TestData.file("pdb/breakpad/dump_syms_regtest64.exe.gz");
    stream =
        Files.write(
            folder.resolve("pe.pt"),
            SamplePt.bytes(
                "0282028202820282028202820282028299017d" + "681300400100" + "02233d6c1301"));
    Path pdb = TestData.file("pdb/breakpad/dump_syms_regtest64.pdb.gz");
    List<String> lines =
        flow("--code", program, "-y", pdb, "--instructions", "--format", "jsonl").lines();
    String name = "\"function\":\"dump_syms_regtest64.exe!mainCRTStartup\"";
    assertTrue(lines.getFirst().contains(name), lines.getFirst());
  }

  @Test
  void codeIsNeededAndHasAnAddressIfItIsRaw() {
    assertEquals(2, flow().exit());
    assertEquals(2, flow("--code", folder.resolve("loop.bin")).exit());
    assertEquals(2, flow("--code", code, "--bits", "8").exit());
    assertEquals(2, flow("--code", code, "--resync", "never").exit());
    assertEquals(2, flow("--pages", "one").exit());
  }

  @Test
  void codeOfADumpIsAsGoodAsThatOfAFile() throws IOException {
    byte[] bytes =
        new MinidumpBuilder()
            .system(9, 10, 0, 19045)
            .memory(0x401000, SamplePt.code())
            .toByteArray();
    Path dump = Files.write(folder.resolve("code.dmp"), bytes);
    assertEquals(
        flow("--code", code, "--instructions", "--format", "jsonl").out(),
        flow("--code", dump, "--instructions", "--format", "jsonl").out());
    assertEquals(2, flow("--code", dump + "@0x401000").exit());
  }

  /** The table of sections, by which symbols are found, is at the end of such files. */
  @Test
  void codeOfAProgramThatIsCutIsFollowedWithoutNames() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] whole = Files.readAllBytes(TestData.file("pt/lldb/loop.a.out"));
    Path cut = Files.write(folder.resolve("cut.out"), Arrays.copyOf(whole, whole.length - 100));
    stream = TestData.file("pt/lldb/loop.trace");
    Cli.Result result = flow("--code", cut, "--addresses");
    assertEquals(
        flow("--code", TestData.file("pt/lldb/loop.a.out"), "--addresses").out(), result.out());
    assertTrue(result.err().contains("warning: no names of functions"), result.err());
  }

  @Test
  void pagesThatAreNotThoseOfTheAddressesAreRefused() throws IOException {
    Path addresses = Files.write(folder.resolve("code.addr"), new byte[16]);
    Path pages = Files.write(folder.resolve("code.dump"), new byte[3 * 4096]);
    Cli.Result result = flow("--pages", addresses + "," + pages);
    assertEquals(1, result.exit());
    assertTrue(result.err().contains("do not belong together"), result.err());
    assertEquals(2, flow("--code", code, "--filter", "0x500000-0x400000").exit());
  }

  @Test
  void optionsThatWouldChangeNothingAreRefused() {
    assertEquals(2, flow("--code", code, "--calls", "--profile").exit());
    assertEquals(2, flow("--code", code, "--addresses", "--instructions").exit());
    assertEquals(2, flow("--code", code, "--addresses", "--format", "jsonl").exit());
    assertEquals(2, flow("--code", code, "--events").exit());
    Cli.Result counted = flow("--code", code, "--count");
    assertEquals(2, counted.exit());
    assertTrue(counted.err().contains("--count is of pt packets"), counted.err());
  }

  @Test
  void soManyAddressesAreListedAsWereAskedFor() {
    List<String> all = flow("--code", code, "--addresses").lines();
    assertEquals(all.subList(0, 1), flow("--code", code, "--addresses", "-n", "1").lines());
    assertTrue(all.size() > 1);
  }

  @ParameterizedTest
  @CsvSource({"--instructions, instructions", "--blocks, blocks", "--profile, functions"})
  void anObjectSaysHowManyRowsAreLeftOut(String option, String rows) {
    JsonReader all = flow("--code", code, option, "-n", "0", "--format", "json").json();
    assertEquals(0, all.get("rowsLeftOut").number());
    JsonReader first = flow("--code", code, option, "-n", "1", "--format", "json").json();
    assertEquals(1, first.get(rows).array().size());
    assertEquals(all.get(rows).array().size() - 1, first.get("rowsLeftOut").number());
  }

  @Test
  void aRealStreamOverItsProgramHasTheInstructionsOfItsReadme() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/dynamorio/hello.pt");
    List<String> lines =
        flow("--code", TestData.file("pt/dynamorio/hello.elf"), "--addresses").lines();
    assertEquals(8, lines.size());
    assertEquals("0000000000401000", lines.getFirst());
    assertEquals("0000000000401025", lines.getLast());
  }

  @Test
  void copiedPagesAreCodeToo() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/xdc/icelake.pt.gz");
    String pages =
        TestData.file("pt/xdc/icelake.addr.gz") + "," + TestData.file("pt/xdc/icelake.dump.gz");
    assertEquals(15, flow("--pages", pages, "--addresses", "--resync", "psb").lines().size());
  }

  /** NOP; 401001: PTWRITE EAX; NOP. The stream does not tell where it is, the code does. */
  @Test
  void aValueThatIsWrittenToTheTraceHasTheAddressOfItsInstruction() throws IOException {
    Path bytes = Files.write(folder.resolve("ptwrite.bin"), SamplePt.bytes("90f30faee090f4"));
    stream =
        Files.write(
            folder.resolve("ptwrite.pt"),
            SamplePt.bytes(
                "02820282028202820282028202820282" + "99017d0010400000000223" + "021200000000"));
    List<String> lines =
        flow("--code", bytes + "@0x401000", "--instructions", "--events", "--format", "jsonl")
            .lines();
    assertEquals(
        "{\"event\":\"ptwrite\",\"address\":\"0x401001\",\"value\":\"0x0\",\"timeNanos\":null}",
        lines.getLast());
  }

  /** The code ends at 401002; then bytes that are not packets, of which no address is known. */
  @Test
  void addressesThatAreNotKnownAreAbsent() throws IOException {
    Files.write(stream, Arrays.copyOf(SamplePt.loop(), SamplePt.loop().length + 1));
    byte[] bytes = Files.readAllBytes(stream);
    bytes[bytes.length - 1] = 0x05;
    Files.write(stream, bytes);
    String row = flow("--code", code, "--instructions", "--format", "jsonl").lines().getLast();
    assertTrue(row.startsWith("{\"error\":\"packets\",\"offset\":"), row);
    assertFalse(row.contains("address"), row);
    JsonReader json = flow("--code", code, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("pt-flow").findings(json));
    assertFalse(json.get("errors").toString().contains("0x0"), json.toString());
    String call = flow("--code", code, "--calls", "--format", "jsonl").lines().getLast();
    assertTrue(call.contains("\"kind\":\"lost\""), call);
    assertFalse(call.contains("functionOffset"), call);
  }

  /** Times without CYC: 55,739 instructions lie between the first two time stamps. */
  @Test
  void timesBetweenTimeStampsAreEstimatesByTheNumberOfInstructions() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/lldb/multicore-45.trace");
    Path program = TestData.file("pt/lldb/multicore-m.out.gz");
    Object[] options = {
      "--code",
      program,
      "--clock",
      "0,0,0,27",
      "--instructions",
      "--format",
      "jsonl",
      "--cores",
      "1"
    };
    Cli.Result one = flow(options);
    List<String> rows = one.lines();
    long first = 0;
    long last = 0;
    for (String line : rows) {
      JsonReader row = JsonReader.parse(line);
      if (line.contains("\"timeTrust\":\"estimate\"")) {
        long nanos = row.get("timeNanos").number();
        assertTrue(nanos >= last, line);
        last = nanos;
        first += nanos == 0 ? 1 : 0;
      }
    }
    assertTrue(first < 100, first + " rows at 0");
    assertTrue(last > 16_000, "up to " + last);
    options[options.length - 1] = "3";
    assertEquals(one.out(), flow(options).out());
  }

  @Test
  void aCycBeforeTheFirstTimeStampIsNoPacketThatTheClockCannotUse() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/dynamorio/hello.pt");
    Path program = TestData.file("pt/dynamorio/hello.elf");
    Cli.Result result =
        flow("--code", program, "--clock", "3,2,308,37", "--model", "6/85/4", "--addresses");
    assertEquals("", result.err());
  }
}
