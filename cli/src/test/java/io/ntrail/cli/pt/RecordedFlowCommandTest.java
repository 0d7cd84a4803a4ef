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
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void writeRecording() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    TraceRecording recording = TracedShop.recording(folder);
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
    List<String> once = addresses(TracedShop.RESUME, TracedShop.RESUME + 4, TracedShop.MUL_DIV);
    List<String> expected = new ArrayList<>(once);
    expected.addAll(once);
    expected.addAll(once);
    expected.addAll(addresses(TracedShop.RESUME + 0xB));
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
  void aCpuWithoutPiecesIsSaid() {
    String without = "warning: none of the selected events ran on CPU 70-71,77";
    assertTrue(flow("--cpu", "2,70-71,77", "--format", "json").messages().contains(without));
    assertFalse(flow("--cpu", "2", "--format", "json").err().contains("ran on CPU"));
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
    assertEquals(TracedShop.PID, calls.array().getFirst().get("pid").number());
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

  @Test
  void sumsTellWhatTheyLack() throws IOException {
    Cli.Result text = Cli.run("profile", file, "--metric", "pt", "--image-path", folder);
    assertTrue(
        text.out().contains("10 instructions; the flow is lost at 2 places, 1 piece not decoded"),
        text.out());
    assertTrue(
        flow("--profile").out().contains("; the flow is lost at 2 places, 1 piece not decoded"));
    JsonReader json =
        Cli.run("profile", file, "--metric", "pt", "--image-path", folder, "--format", "json")
            .json();
    assertEquals(List.of(), JsonSchema.named("profile").findings(json));
    assertEquals(1, json.get("piecesNotDecoded").number());
    assertEquals(0, json.get("piecesWrapped").number());
  }
}
