package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleDump;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail info} of dumps, and what other commands say about them. */
class DumpInfoTest {
  @TempDir private Path folder;

  private Path sample() throws IOException {
    return Files.write(folder.resolve("crash.dmp"), SampleDump.make());
  }

  @Test
  void theScreenTellsWhatTheProcessWasAndWhyItStopped() throws IOException {
    Path file = sample();
    Cli.Result result = Cli.run("info", file);
    assertEquals(0, result.exit());
    assertEquals(List.of(), result.messages());
    List<String> lines = result.lines();
    assertTrue(
        lines.getFirst().startsWith(file + ": minidump of shopd.exe (4312), "), lines.getFirst());
    assertTrue(lines.getFirst().endsWith(", complete"), lines.getFirst());
    assertEquals(
        """
          system     Windows 11 24H2 (10.0.26100) x64, 8 CPUs
          time       2026-03-14 08:31:07 UTC
          stopped    thread 4316 "main": ACCESS VIOLATION, it read address 0x18 (null pointer + 0x18)
                     at 0x180001049, shopcore.dll + 0x1049\
        """,
        String.join("\n", lines.subList(2, 6)));
    assertTrue(
        lines
            .get(6)
            .startsWith("  contents   2 threads (1 with names), 2 modules (1 more unloaded), "),
        lines.get(6));
    assertEquals("  written    with full memory", lines.get(7));
    assertTrue(result.out().contains("  stream 0x1234\n"), result.out());
    assertTrue(
        result.out().contains("5E1C7A9044B24C0FA1D2B3C4D5E6F7082  C:\\shop\\shopd.exe\n"),
        result.out());
  }

  @Test
  void theJsonOfEveryDumpFitsTheSchema() throws IOException {
    JsonSchema schema = JsonSchema.named("info").definition("dump");
    JsonReader sample = Cli.run("info", sample(), "--format", "json").json();
    assertEquals(List.of(), schema.findings(sample));
    assertEquals(
        0x1049, Long.decode(sample.get("exception").get("address").text()) - SampleDump.BASE);
    assertEquals("minidump", sample.get("files").array().getFirst().get("kind").text());
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Path file : SharedDumps.minidumps()) {
      JsonReader json = Cli.run("info", file, "--format", "json").json();
      assertEquals(List.of(), schema.findings(json), file.toString());
    }
  }

  @Test
  void aLineOfJsonOrCsvIsAFile() throws IOException {
    Path file = sample();
    JsonReader line = Cli.run("info", file, "--format", "jsonl").json();
    assertEquals(List.of(), JsonSchema.named("info").definition("dumpFile").findings(line));
    List<String> rows = Cli.run("info", file, "--format", "csv").lines();
    assertEquals(2, rows.size());
    assertTrue(
        rows.getLast()
            .startsWith(
                file
                    + ",minidump,2026-03-14T08:31:07.0000000Z,Windows 11 24H2 (10.0.26100),x64,4312,"),
        rows.getLast());
    assertTrue(
        rows.getLast()
            .endsWith(
                "0xc0000005,0x180001049,4316,"
                    + "\"ACCESS VIOLATION, it read address 0x18 (null pointer + 0x18)\""),
        rows.getLast());
  }

  @Test
  void aCutDumpIsReadAsFarAsItGoes() throws IOException {
    byte[] whole = SampleDump.make();
    int end = whole.length - 1200;
    Path file = Files.write(folder.resolve("cut.dmp"), Arrays.copyOf(whole, end));
    Cli.Result result = Cli.run("info", file);
    assertEquals(3, result.exit());
    assertTrue(result.lines().getFirst().contains("could not be read"), result.out());
    assertTrue(result.err().startsWith("warning: " + file + ": "), result.err());
  }

  @Test
  void aDumpInAnArchiveIsFound() throws IOException {
    Path zip = folder.resolve("report.zip");
    Recordings.zip(zip, Map.of("crash.dmp", SampleDump.make()));
    Cli.Result result = Cli.run("info", zip);
    assertEquals(0, result.exit());
    assertTrue(
        result.lines().getFirst().startsWith(zip + "!/crash.dmp: minidump of"), result.out());
  }

  @Test
  void otherCommandsSayWhatADumpHasInstead() throws IOException {
    Path file = sample();
    List<Object[]> commands =
        List.of(
            new Object[] {"events", file},
            new Object[] {"profile", file},
            new Object[] {"calls", file},
            new Object[] {"export", file, "--to", "collapsed"});
    for (Object[] command : commands) {
      Cli.Result result = Cli.run(command);
      assertEquals(1, result.exit(), result.err());
      assertTrue(
          result
              .err()
              .startsWith(
                  "ntrail: "
                      + file
                      + " is a minidump: it has threads, modules and memory of one instant, and no "),
          result.err());
      assertTrue(result.err().contains("try: ntrail stacks " + file), result.err());
    }
  }

  @Test
  void aKernelDumpIsNamed() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = TestData.file("dumps/kernel/triage_x64.dmp.gz");
    for (String command : List.of("info", "events", "profile")) {
      Cli.Result result = Cli.run(command, file);
      assertEquals(1, result.exit());
      assertTrue(
          result.err().contains(" is a small kernel dump (triage) of 64-bit Windows"),
          result.err());
    }
  }
}
