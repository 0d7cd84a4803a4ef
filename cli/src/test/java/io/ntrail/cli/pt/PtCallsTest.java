package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code calls}, {@code profile --metric pt}, {@code diff} and {@code export} of a recording with
 * Processor Trace. Each piece runs IsSystemResumeAutomatic of kernel32.dll: 2 instructions of it, 1
 * of MulDiv, which it calls, and 3 behind the call; MulDiv jumps there, and does not return, so
 * that these are in its call, too.
 */
class PtCallsTest {
  private static final long KERNEL32 = 0x7FFB_3B40_0000L;
  private static final long RESUME = KERNEL32 + 0x39600;
  private static final long MUL_DIV = KERNEL32 + 0x25000;
  private static final int PID = 4000;
  private static final int TID = 4008;
  private static final long USER = 0x0000_0001L;
  private static final long USER_MTC = 0x0000_0311L;

  @TempDir private Path folder;

  @BeforeEach
  void saveImage() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Files.write(folder.resolve("kernel32.dll"), TestData.gunzip("pe/windows/kernel32.dll.gz"));
  }

  private Path recording(String name, int pieces, boolean isTimed) throws IOException {
    byte[] image = Files.readAllBytes(folder.resolve("kernel32.dll"));
    int header = (int) LittleEndian.getU32(image, 0x3C);
    int stamp = (int) LittleEndian.getU32(image, header + 8);
    long size = LittleEndian.getU32(image, header + 24 + 56);
    TraceRecording recording = new TraceRecording().process(PID, TID, "shop.exe");
    recording.found(PID, KERNEL32, size, stamp, TraceRecording.systemPath("kernel32.dll"));
    for (int i = 0; i < pieces; i++) {
      recording.traced(1000L * (i + 1), 1, PID, TID, isTimed ? USER_MTC : USER, stream(isTimed));
    }
    Path file = folder.resolve(name);
    Files.write(file, recording.toByteArray());
    return file;
  }

  private static byte[] stream(boolean isTimed) {
    PtPackets packets = new PtPackets(false).psb();
    if (isTimed) {
      packets.tsc(29_040_000).tma(0, 0);
    }
    packets.psbEnd().mode(64).ip(PtPackets.PGE, RESUME).ip(PtPackets.TIP, MUL_DIV);
    // MulDiv jumps to what is behind the call.
    packets.ip(PtPackets.TIP, RESUME + 0xB);
    if (isTimed) {
      packets.tsc(29_068_000);
    }
    return packets.ip(PtPackets.FUP, RESUME + 0x17).noIp(PtPackets.PGD).toByteArray();
  }

  private Cli.Result run(Object... words) {
    List<Object> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--image-path", folder));
    return Cli.run(all.toArray());
  }

  private static Map<String, String> sums(JsonReader rows, String self, String total) {
    Map<String, String> sums = new TreeMap<>();
    for (JsonReader row : rows.array()) {
      String function = row.get("function").text();
      sums.put(
          function.substring(function.indexOf('!') + 1),
          row.get(self).number() + " " + row.get(total).number());
    }
    return sums;
  }

  @Test
  void theProfileHasTheInstructionsOfTheFlow() throws IOException {
    Path file = recording("three.etl", 3, false);
    Cli.Result profile = run("profile", file, "--metric", "pt", "-n", "0", "--format", "json");
    JsonReader json = profile.json();
    assertEquals(List.of(), JsonSchema.named("profile").findings(json));
    assertEquals("pt", json.get("metric").text());
    assertEquals("instructions", json.get("unit").text());
    assertEquals(18, json.get("total").number());
    JsonReader flow = run("pt", "flow", file, "--profile", "--format", "json").json();
    assertEquals(18, flow.get("instructions").number());
    Map<String, String> expected =
        sums(flow.get("functions"), "selfInstructions", "totalInstructions");
    assertEquals(expected, sums(json.get("rows"), "self", "inclusive"));
    assertTrue(expected.containsKey("MulDiv"), expected.toString());
    assertEquals(0, profile.exit(), profile.err());
  }

  @Test
  void aRecordingOfTheCallsHasTheSameProfile() throws IOException {
    Path file = recording("two.etl", 2, false);
    Path calls = folder.resolve("calls.ntr");
    Cli.Result written = run("pt", "flow", file, "--calls", "-o", calls);
    assertEquals(0, written.exit(), written.err());
    assertEquals(
        sums(
            run("profile", file, "--metric", "pt", "--format", "json").json().get("rows"),
            "self",
            "inclusive"),
        sums(
            Cli.run("profile", calls, "--format", "json").json().get("rows"), "self", "inclusive"));
  }

  @Test
  void severalThreadsAddUpWhatOneDoes() throws IOException {
    Path file = recording("many.etl", 300, true);
    List<String> one = run("pt", "flow", file, "--profile", "--cores", "1").lines();
    assertEquals(one, run("pt", "flow", file, "--profile", "--cores", "4").lines());
    JsonReader json = run("profile", file, "--metric", "pt", "--format", "json").json();
    assertEquals(1800, json.get("total").number());
    assertEquals(300, json.get("piecesFollowed").number());
  }

  @Test
  void theProfileOfATimeHasItsInstructions() throws IOException {
    Path file = recording("times.etl", 3, true);
    // Pieces end at 100, 200 and 300 us.
    JsonReader json =
        run("profile", file, "--metric", "pt", "--time", "150us..250us", "--format", "json").json();
    assertEquals(6, json.get("total").number());
    JsonReader other =
        run("profile", file, "--metric", "pt", "-t", "4009", "--format", "json").json();
    assertEquals(0, other.get("total").number());
  }

  @Test
  void callsOfTimedPiecesHaveTimesOfTheRecording() throws IOException {
    List<String> lines = run("calls", recording("timed.etl", 2, true), "--format", "jsonl").lines();
    JsonReader first = JsonReader.parse(lines.getFirst());
    double entry = first.get("entry").number();
    assertTrue(entry > 90_000 && entry <= 100_000, lines.getFirst());
    assertTrue(lines.stream().anyMatch(line -> line.contains("MulDiv")), lines.toString());
  }

  @Test
  void aDifferenceIsInInstructions() throws IOException {
    Path before = recording("before.etl", 1, false);
    Path after = recording("after.etl", 4, false);
    JsonReader diff = run("diff", before, after, "--metric", "pt", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(diff));
    assertEquals("instructions", diff.get("before").get("unit").text());
    assertEquals(24, diff.get("after").get("total").number());
  }

  @Test
  void stacksAreExportedWithInstructions() throws IOException {
    Path out = folder.resolve("stacks.txt");
    Cli.Result result =
        run(
            "export",
            recording("stacks.etl", 2, false),
            "--metric",
            "pt",
            "--to",
            "collapsed",
            "-o",
            out);
    assertEquals(0, result.exit(), result.err());
    String stacks = Files.readString(out);
    List<String> lines = stacks.lines().map(line -> line.replaceFirst(".*;", "")).sorted().toList();
    assertEquals(List.of("kernel32.dll!IsSystemResumeAutomatic 4", "kernel32.dll!MulDiv 8"), lines);
  }
}
