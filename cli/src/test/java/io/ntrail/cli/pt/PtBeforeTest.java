package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.TraceRecording;
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
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void writeRecording() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    // Two events without a piece.
    TraceRecording recording = TracedShop.recording(folder).event(5000, 1).event(6000, 2);
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
    assertEquals(hex(TracedShop.MUL_DIV, TracedShop.RESUME + 0xB), texts(last.get("instructions")));
    assertTrue(last.get("complete").isTrue());
    assertEquals(400_000, last.get("timeNanos").number());
    assertEquals(TracedShop.TID, last.get("tid").number());
    assertEquals("PerfInfo/SysClExit", last.get("event").text());
  }

  @Test
  void aCallIsToldWithItsPlaceAmongTheInstructions() {
    JsonReader call = events("-n", "3").get(3).get("calls").array().getFirst();
    assertEquals("kernel32.dll!MulDiv", call.get("function").text());
    assertEquals("call", call.get("entry").text());
    assertEquals(1, call.get("instruction").number());
    assertEquals("0x" + Long.toHexString(TracedShop.RESUME + 4), call.get("from").text());
    assertEquals("0x" + Long.toHexString(TracedShop.MUL_DIV), call.get("address").text());
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
    assertEquals(
        hex(TracedShop.RESUME, TracedShop.RESUME + 4, TracedShop.MUL_DIV),
        texts(first.get("instructions")));
    assertFalse(first.get("complete").isTrue());
    assertEquals(
        "right before the event: no code at this address: ntdll.dll is missing (not found) at 0x"
            + Long.toHexString(TracedShop.NTDLL + 0x1230),
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
    Path stream = Files.write(folder.resolve("trace.pt"), TracedShop.returning());
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
