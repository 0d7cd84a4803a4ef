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
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code pt flow FILE.etl}, with streams by hand. They run IsSystemResumeAutomatic of kernel32.dll,
 * as objdump lists it: 39600 sub (4 bytes), 39604 call through a slot (7), 3960b nop (5), 39610
 * movzx (3), 39613 add (4), 39617 ret; and MulDiv, 25000: a jump through a slot.
 */
class RecordedFlowCommandTest {
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
    file = folder.resolve("trace.etl");
    Files.write(file, recording.toByteArray());
  }

  private Cli.Result flow(Object... more) {
    List<Object> words = new ArrayList<>(List.of("pt", "flow", file, "--image-path", folder));
    words.addAll(List.of(more));
    return Cli.run(words.toArray());
  }

  private static List<String> addresses(long... of) {
    List<String> lines = new ArrayList<>();
    for (long address : of) {
      lines.add("%016x".formatted(address));
    }
    return lines;
  }

  @Test
  void addressesAreThoseThatRanAndNothingElse() {
    Cli.Result all = flow("--addresses");
    List<String> once = addresses(RESUME, RESUME + 4, MUL_DIV);
    List<String> expected = new ArrayList<>(once);
    expected.addAll(once);
    expected.addAll(once);
    expected.addAll(addresses(RESUME + 0xB));
    assertEquals(expected, all.lines());
    assertEquals(3, all.exit());
  }

  @Test
  void missingCodeIsToldByTheNameOfItsImageOrMethod() {
    JsonReader answer = flow("--instructions", "--format", "json").json();
    List<String> whys =
        answer.get("errors").array().stream().map(error -> error.get("why").text()).toList();
    assertEquals(
        List.of(
            "no code at this address: ntdll.dll is missing (not found)",
            "no code at this address: the method Shop.Cart.Total was compiled while the program"
                + " ran, and its bytes are not in the recording"),
        whys);
    JsonReader missing = answer.get("missingImages").array().getFirst();
    assertEquals("ntdll.dll", missing.get("image").text());
  }

  @Test
  void aPieceWithoutPsbIsToldAndNothingOfItIsDecoded() {
    JsonReader piece = flow("--format", "json").json().get("pieces").array().get(2);
    assertFalse(piece.get("synchronised").isTrue());
    assertEquals(0, piece.get("instructions").number());
    assertEquals(1, piece.get("undecodedBytes").number());
    assertEquals("other.exe", piece.get("process").text());
    assertTrue(flow().err().contains("1 piece without PSB: nothing of them is decoded"));
  }

  @Test
  void theEndOfAPieceIsAtItsEvent() {
    // The last time stamp is that of the event, at 100 us; the first one is 28,000 ticks or 9,642
    // ns
    // before, at 2,904 million a second. Two instructions are between them.
    List<JsonReader> rows =
        flow("--instructions", "--format", "json").json().get("instructions").array();
    assertEquals(100_000 - 4821, rows.get(0).get("timeNanos").number());
    assertEquals("estimate", rows.get(0).get("timeTrust").text());
    assertEquals(100_000, rows.get(1).get("timeNanos").number());
    assertEquals(100_000, rows.get(2).get("timeNanos").number());
    assertEquals("lowerBound", rows.get(2).get("timeTrust").text());
  }

  @Test
  void piecesAreSelectedByProcessThreadCpuEventAndTime() {
    assertEquals(3, flow("-p", "shop.exe", "--format", "json").json().get("pieces").array().size());
    assertEquals(1, flow("-t", "5008", "--format", "json").json().get("pieces").array().size());
    assertEquals(1, flow("--cpu", "2", "--format", "json").json().get("pieces").array().size());
    assertEquals(
        4, flow("-e", "SysClExit", "--format", "json").json().get("pieces").array().size());
    assertEquals(0, flow("-e", "CSwitch", "--format", "json").json().get("pieces").array().size());
    JsonReader late = flow("--time", "350us..", "--format", "json").json();
    assertEquals(1, late.get("pieces").array().size());
    assertEquals(4, late.get("instructions").number());
  }

  @Test
  void callsHaveTheirPieceAndAHeadingTellsIt() {
    Cli.Result text = flow("--calls", "--time", "350us..", "--ascii");
    List<String> lines = text.lines();
    assertTrue(
        lines
            .getFirst()
            .startsWith(
                "piece 3 of CPU 1, shop.exe (4000), thread 4008, before PerfInfo/SysClExit at"
                    + " 400.000 us, "),
        lines.getFirst());
    assertTrue(lines.get(2).endsWith("kernel32.dll!IsSystemResumeAutomatic"), lines.get(2));
    assertTrue(lines.get(3).endsWith("\\- kernel32.dll!MulDiv"), lines.get(3));
    JsonReader calls = flow("--calls", "--format", "json").json().get("calls");
    assertEquals(PID, calls.array().getFirst().get("pid").number());
  }

  @Test
  void everyFormFitsItsSchema() throws IOException {
    JsonSchema schema = JsonSchema.named("pt-flow");
    for (String form : List.of("--instructions", "--blocks", "--calls", "--strict")) {
      assertEquals(
          List.of(),
          schema.findings(
              flow(
                      form,
                      "-p",
                      "*",
                      "-t",
                      "*",
                      "--cpu",
                      "0-3",
                      "-e",
                      "SysClExit",
                      "--format",
                      "json")
                  .json()),
          form);
    }
    JsonSchema row = schema.definition("row");
    for (String line : flow("--instructions", "--events", "--format", "jsonl").lines()) {
      assertEquals(List.of(), row.findings(JsonReader.parse(line)), line);
    }
  }

  @Test
  void theVariantOfDriversThatWasAskedForIsToldAndChangesNoUserCode() throws IOException {
    List<String> usual = flow("--addresses").lines();
    for (String state : List.of("auto", "on", "off", "import-only")) {
      JsonReader answer = flow("--retpoline", state, "--format", "json").json();
      assertEquals(state, answer.get("retpoline").text());
      assertEquals(List.of(), answer.get("drivers").array());
      assertEquals(List.of(), JsonSchema.named("pt-flow").findings(answer));
      assertEquals(usual, flow("--retpoline", state, "--addresses").lines());
    }
  }

  @Test
  void anImageOfAnotherBuildIsRefusedByName() throws IOException {
    byte[] image = Files.readAllBytes(folder.resolve("kernel32.dll"));
    int header = (int) LittleEndian.getU32(image, 0x3C);
    LittleEndian.putU32(image, header + 8, 1);
    Files.write(folder.resolve("kernel32.dll"), image);
    Cli.Result result = flow("--time", "350us..");
    assertTrue(result.err().contains("kernel32.dll is a different build"), result.err());
    assertEquals(3, result.exit());
  }
}
