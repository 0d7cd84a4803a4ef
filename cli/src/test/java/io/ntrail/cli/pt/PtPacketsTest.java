package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ntrail pt packets}. */
class PtPacketsTest {
  @TempDir private Path folder;

  private Path stream;

  @BeforeEach
  void writeStream() throws IOException {
    stream = Files.write(folder.resolve("trace.pt"), SamplePt.make());
  }

  private Cli.Result packets(Object... options) {
    Object[] words = new Object[options.length + 3];
    words[0] = "pt";
    words[1] = "packets";
    words[2] = stream;
    System.arraycopy(options, 0, words, 3, options.length);
    return Cli.run(words);
  }

  @Test
  void peopleSeeOffsetValueAndMeaning() {
    Cli.Result result = packets("--clock", "3,2,308,37");
    assertEquals(0, result.exit());
    assertEquals(
        List.of(
            stream + ": 54 bytes, first PSB at 0x0, all packets, clock 3.7 GHz",
            "    offset  packet   value           meaning",
            "  0x000000  PSB                      synchronised",
            "  0x000010  TSC      0x3a5f2b11c0de  0 ns",
            "  0x000018  MODE     Exec 64         64-bit mode",
            "  0x00001a  FUP      0x7ff6a1b21040  here",
            "  0x000021  PSBEND                   end of the header packets",
            "  0x000023  TNT      T N T T N T     6 branches",
            "  0x000024  TIP      0x7ff8c0219d10  target",
            "  0x00002b  PAD      x 2             fillers",
            "  0x00002d  TSC      0x3a5f2b11f6d6  3,734 ns",
            "  0x000035  TIP.PGD                  tracing ends"),
        result.lines());
  }

  @Test
  void programsGetALineForEachPacket() {
    List<String> lines = packets("--format", "jsonl", "--clock", "3,2,308,37").lines();
    assertEquals(11, lines.size());
    assertEquals(
        "{\"offset\":16,\"length\":8,\"type\":\"TSC\",\"fields\":{\"tsc\":\"0x3a5f2b11c0de\"},"
            + "\"timeNanos\":0,\"tsc\":64180418887902}",
        lines.get(1));
    assertEquals(
        "{\"offset\":36,\"length\":7,\"type\":\"TIP\",\"fields\":{\"ipc\":3,\"ip\":\"0x7ff8c0219d10\"},"
            + "\"timeNanos\":0,\"tsc\":64180418887902}",
        lines.get(6));
    assertTrue(
        lines.get(8).startsWith("{\"offset\":44,\"length\":1,\"type\":\"PAD\","), lines.get(8));
    assertTrue(lines.get(10).contains("\"ip\":null"), lines.get(10));
  }

  @Test
  void withoutClockTimesAreUnknownAndNotZero() {
    String line = packets("--format", "jsonl").lines().get(1);
    assertTrue(line.contains("\"timeNanos\":null,\"tsc\":64180418887902"), line);
    String first = packets("--format", "jsonl").lines().getFirst();
    assertTrue(first.contains("\"timeNanos\":null,\"tsc\":null"), first);
  }

  @Test
  void csvHasTheSameColumns() {
    List<String> lines = packets("--format", "csv").lines();
    assertEquals("offset,length,type,fields,timeNanos,tsc,why", lines.getFirst());
    assertEquals("35,1,TNT8,bits=TNTTNT,,64180418887902,", lines.get(6));
  }

  @Test
  void countsAreInTheOrderOfTheTable() throws IOException {
    JsonReader json = packets("--count", "--format", "json").json();
    assertEquals(11, json.get("packets").number());
    assertEquals(6, json.get("branches").number());
    assertEquals(2, json.get("types").get("PAD").number());
    assertEquals(2, json.get("types").get("TSC").number());
    assertEquals(List.of(), JsonSchema.named("pt-packets").findings(json));
  }

  @Test
  void countsAreOfTheTimesThatWereAskedFor() throws IOException {
    Object[] first = {"--clock", "3,2,308,37", "--time", "0..1ns", "--format", "jsonl"};
    long listed = packets(first).lines().size();
    JsonReader json =
        packets("--clock", "3,2,308,37", "--time", "0..1ns", "--count", "--format", "json").json();
    assertEquals(listed, json.get("packets").number());
    assertTrue(listed < 11, listed + " packets");
    assertEquals(2, packets("--calls").exit());
    assertEquals(2, packets("--filter", "0x1-0x2").exit());
  }

  @Test
  void everyPacketFitsTheSchema() throws IOException {
    JsonSchema schema = JsonSchema.named("pt-packets");
    JsonReader json = packets("--format", "json").json();
    assertEquals(List.of(), schema.findings(json));
    for (JsonReader packet : json.get("packets").array()) {
      assertEquals(List.of(), schema.definition("packet").findings(packet));
    }
  }

  @Test
  void aTimeChoosesPackets() {
    List<String> lines =
        packets("--time", "1us..10us", "--clock", "3,2,308,37", "--format", "jsonl").lines();
    assertEquals(2, lines.size());
    assertTrue(lines.getFirst().contains("\"timeNanos\":3734"), lines.getFirst());
  }

  @Test
  void aTimeNeedsAClock() {
    Cli.Result result = packets("--time", "0..10us");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("needs the clock of the processor"), result.err());
  }

  @Test
  void aLimitIsToldToPeople() {
    assertEquals("  ... 7 more rows (-n 0 shows all)", packets("-n", "3").lines().getLast());
    assertEquals(3, packets("-n", "3", "--format", "jsonl").lines().size());
  }

  @Test
  void anObjectSaysHowManyPacketsAreLeftOut() {
    JsonReader all = packets("-n", "0", "--format", "json").json();
    assertEquals(0, all.get("rowsLeftOut").number());
    JsonReader first = packets("-n", "3", "--format", "json").json();
    assertEquals(3, first.get("packets").array().size());
    assertEquals(all.get("packets").array().size() - 3, first.get("rowsLeftOut").number());
  }

  @Test
  void damageIsToldAndReadingGoesOn() throws IOException {
    stream =
        Files.write(
            folder.resolve("bad.pt"),
            SamplePt.bytes(
                "02820282028202820282028202820282" + "05" + "02820282028202820282028202820282"));
    Cli.Result result = packets("--format", "jsonl");
    assertEquals(3, result.exit());
    assertEquals(
        "{\"offset\":16,\"length\":1,\"type\":\"ERROR\",\"fields\":{},\"timeNanos\":null,"
            + "\"tsc\":null,\"why\":\"no packet begins so\"}",
        result.lines().get(1));
    assertEquals(3, result.lines().size());
    assertTrue(result.err().contains("at offset 16 could not be read"), result.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "json", "jsonl", "csv"})
  void damageBeyondTheLastRowIsToldInEveryForm(String format) throws IOException {
    stream =
        Files.write(
            folder.resolve("bad.pt"),
            SamplePt.bytes(
                "02820282028202820282028202820282" + "05" + "02820282028202820282028202820282"));
    Cli.Result result = packets("-n", "1", "--format", format);
    assertEquals(3, result.exit());
    assertTrue(result.err().contains("at offset 16 could not be read"), result.err());
  }

  @Test
  void wrongWordsAreRefusedWithAnExample() {
    assertEquals(2, Cli.run("pt").exit());
    assertEquals(2, Cli.run("pt", "pakets", stream).exit());
    assertEquals(2, Cli.run("pt", "packets").exit());
    assertEquals(2, packets("--clock", "3,2").exit());
    assertEquals(2, packets("--clock", "16,1,1,1").exit());
    assertEquals(2, packets("--model", "skylake").exit());
    assertEquals(2, packets("--compat", "perf").exit());
  }

  @Test
  void aFileWithoutPsbIsRefused() throws IOException {
    stream = Files.writeString(folder.resolve("text.pt"), "no trace");
    Cli.Result result = packets();
    assertEquals(1, result.exit());
    assertTrue(result.err().contains("is not a Processor Trace"), result.err());
  }

  @Test
  void packetsOfTimeThatDoNotCountAreTold() throws IOException {
    PtPackets packets = new PtPackets(false).psb().tsc(1000).tma(1, 0).psbEnd();
    stream = folder.resolve("timed.pt");
    Files.write(stream, packets.mtc(1).mtc(2).cyc(5).toByteArray());
    String told = packets("--clock", "0,0,0,37").err();
    assertTrue(told.contains("--clock does not tell how to use 2 MTC and 1 CYC"), told);
    assertEquals("", packets().err());
  }

  @Test
  void timesOfARealStreamAreThoseOfIntelsLibraryIfAsked() {
    assumeTrue(TestData.available(), TestData.MISSING);
    stream = TestData.file("pt/dynamorio/hello.pt");
    List<String> lines =
        packets("--clock", "3,2,308,37", "--compat", "libipt", "--format", "jsonl").lines();
    String first =
        lines.stream().filter(line -> line.contains("\"MTC\"")).findFirst().orElseThrow();
    // Offset 3a of dynamorio/hello.times: 2fa1088fac07b0.
    assertTrue(first.startsWith("{\"offset\":58,"), first);
    assertTrue(first.contains("\"tsc\":" + 0x2fa1088fac07b0L), first);
  }

  /** libipt takes bit 3 of a PWRE for that of the hardware, and five bits of an EVD's type. */
  @Test
  void asLibiptFieldsAreReadWhereItReadsThem() throws IOException {
    stream =
        Files.write(
            folder.resolve("power.pt"),
            SamplePt.bytes(
                "02820282028202820282028202820282" + "02220800" + "0253210000000000000000"));
    List<String> right = packets("--format", "jsonl").lines();
    List<String> same = packets("--format", "jsonl", "--compat", "libipt").lines();
    assertTrue(right.get(1).contains("\"hw\":0"), right.get(1));
    assertTrue(same.get(1).contains("\"hw\":1"), same.get(1));
    assertTrue(right.get(2).contains("\"type\":33"), right.get(2));
    assertTrue(same.get(2).contains("\"type\":1,"), same.get(2));
  }
}
