package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.merge.MergeCommand;
import io.ntrail.cli.merge.MergeMachine;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.machine.MachineQuestions;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail merge} where the recording was made: Wine plays that Windows. */
final class MergeOnMachineTest {
  private static final Path DLL = TestData.projectRoot().resolve("samples/shopcore.dll");
  private static final String KEY = "HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion";
  private static final String LAB = "7601.19160.amd64fre.win7sp1_gdr.160211-0600";
  private static final long BASE = 0x7FF8_0000_0000L;

  @TempDir private Path folder;
  private Wine wine;
  private AgentHost host;
  private RunningWindows machine;
  private Path drive;

  @BeforeEach
  void begin() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    wine = Wine.shared();
    host = new AgentHost.Wine(wine.loader(), wine.environment());
    Wine.Outcome added =
        wine.run(
            folder,
            new byte[0],
            Duration.ofMinutes(2),
            "reg",
            "add",
            KEY,
            "/v",
            "BuildLabEx",
            "/d",
            LAB,
            "/f");
    assertEquals(0, added.exitCode(), added.text());
    machine = MachineQuestions.ask(host);
    drive = wine.prefix().resolve("drive_c");
    Path shop = Files.createDirectories(drive.resolve("shop"));
    Files.copy(DLL, shop.resolve("shopcore.dll"), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(
        DLL, drive.resolve("windows/system32/shopsys.dll"), StandardCopyOption.REPLACE_EXISTING);
  }

  private MergeMachine asked() {
    return new MergeMachine(
        Optional.of(host),
        path -> {
          assertTrue(path.startsWith("C:\\"), path);
          return drive.resolve(path.substring(3).replace('\\', '/'));
        });
  }

  /**
   * A recording of three loaded images, two of which are there.
   *
   * @param boot FILETIME
   */
  private Path recording(long boot) throws IOException {
    byte[] dll = Files.readAllBytes(DLL);
    int pe = (int) LittleEndian.getU32(dll, 0x3C);
    int stamp = (int) LittleEndian.getU32(dll, pe + 8);
    int size = (int) LittleEndian.getU32(dll, pe + 0x50);
    EtlSettings settings =
        EtlSettings.windows11()
            .version(6, 1, machine.build(), 1, 5)
            .perfFreq(machine.ticksPerSecond())
            .bootTime(boot);
    EtlWriter writer = new EtlWriter(settings);
    String volume = "\\Device\\HarddiskVolume1";
    writer.log(0, image(settings, 1, size, stamp, volume + "\\shop\\shopcore.dll"));
    writer.log(0, image(settings, 2, size, stamp, "\\SystemRoot\\system32\\shopsys.dll"));
    writer.log(0, image(settings, 3, size, stamp + 1, volume + "\\shop\\shopcore.dll"));
    writer.log(0, image(settings, 4, size, stamp, "\\Device\\Mup\\srv\\share\\shopnet.dll"));
    Path file = folder.resolve("in.etl");
    writer.flush().writeTo(file);
    return file;
  }

  private static EtlRecord image(
      EtlSettings settings, int number, long size, int stamp, String path) {
    return EtlRecords.system(8, 0x030A)
        .version(3)
        .time(settings.startTicks() + number)
        .thread(40, 8)
        .payload(KernelPayloads.image(BASE + (number << 24), size, 40, 0, stamp, path))
        .build();
  }

  private JsonReader merged(Path from, Path to) throws IOException {
    return merged(from, to, asked());
  }

  private static JsonReader merged(Path from, Path to, MergeMachine machine) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Commands.Entry merge = new Commands.Entry("merge", "", false, () -> new MergeCommand(machine));
    List<String> words = List.of("merge", from.toString(), "-o", to.toString(), "--format", "json");
    int exit;
    try (Terminal terminal = Terminal.of(out, err)) {
      exit = CommandRunner.run(merge, words.toArray(String[]::new), terminal);
    }
    assertEquals(0, exit, err.toString(StandardCharsets.UTF_8));
    JsonReader report = JsonReader.parse(out.toString(StandardCharsets.UTF_8));
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(report));
    return report;
  }

  private static List<String> missing(JsonReader report) {
    return report.get("missing").array().stream()
        .map(one -> one.get("name").text() + ", " + one.get("why").text())
        .toList();
  }

  private static List<JsonReader> events(Path file, String pattern) {
    return Cli.run("events", file, "-e", pattern, "--format", "jsonl")
        .out()
        .lines()
        .map(JsonReader::parse)
        .toList();
  }

  private static List<String> fields(Path file, String event, String field) {
    return events(file, event).stream().map(one -> one.get("fields").get(field).text()).toList();
  }

  @Test
  void driveLettersPathsAndBuildAreAdded() throws IOException {
    Path out = folder.resolve("out.etl");
    JsonReader added = merged(recording(machine.bootTime()), out).get("added");
    assertEquals(2, added.get("volumes").number());
    assertEquals(1, added.get("systemPaths").number());
    assertEquals(1, added.get("builds").number());
    assertEquals(
        List.of(
            "C:\\shop\\shopcore.dll",
            machine.windowsDirectory() + "system32\\shopsys.dll",
            "C:\\shop\\shopcore.dll",
            "\\\\srv\\share\\shopnet.dll"),
        fields(out, "Image/Load", "FileName"));
    assertEquals(List.of(LAB), fields(out, "SystemConfigEx/BuildInfo", "BuildLab"));
    assertEquals(
        List.of(machine.windowsDirectory()),
        fields(out, "SystemConfigEx/SystemPaths", "SystemWindowsDirectory"));
  }

  @Test
  void imagesAreFoundAtTheirRecordedPaths() throws IOException {
    Path out = folder.resolve("out.etl");
    JsonReader report = merged(recording(machine.bootTime()), out);
    assertEquals(2, report.get("added").get("images").number());
    // Of another build, and of another machine, which is not asked.
    String why = "not found, damaged or without a PDB";
    assertEquals(List.of("shopcore.dll, " + why, "shopnet.dll, " + why), missing(report));
    JsonReader pdb = Cli.run("image", DLL, "--format", "json").json();
    List<String> ids = fields(out, "ImageID/DbgID_RSDS", "GuidSig");
    assertEquals(2, ids.size());
    for (String id : ids) {
      assertTrue(pdb.toString().contains(id), id);
    }
  }

  @Test
  void mergingAgainChangesNoByteThereOrElsewhere() throws IOException {
    Path once = folder.resolve("once.etl");
    Path again = folder.resolve("again.etl");
    Path elsewhere = folder.resolve("elsewhere.etl");
    merged(recording(machine.bootTime()), once);
    JsonReader report = merged(once, again);
    assertArrayEquals(Files.readAllBytes(once), Files.readAllBytes(again));
    assertEquals(0, report.get("added").get("volumes").number());
    JsonReader other = Cli.run("merge", once, "-o", elsewhere, "--format", "json").json();
    assertEquals(List.of(), missing(other));
    assertArrayEquals(Files.readAllBytes(once), Files.readAllBytes(elsewhere));
  }

  @Test
  void recordingsOfAnotherBootStayAsTheyAre() throws IOException {
    Path in = recording(machine.bootTime() - 600_000_000L);
    Path there = folder.resolve("there.etl");
    Path here = folder.resolve("here.etl");
    JsonReader report = merged(in, there);
    assertEquals(0, Cli.run("merge", in, "-o", here).exit());
    assertArrayEquals(Files.readAllBytes(here), Files.readAllBytes(there));
    List<String> missing = missing(report);
    assertEquals(3, missing.size());
    for (String one : missing) {
      assertTrue(one.contains("recorded on another machine or boot: booted at "), one);
    }
  }

  @Test
  void aMachineThatCannotBeAskedIsTold() throws IOException {
    MergeMachine silent =
        new MergeMachine(
            Optional.of(new AgentHost.Wine(folder.resolve("none"), Map.of())), Path::of);
    JsonReader report = merged(recording(machine.bootTime()), folder.resolve("out.etl"), silent);
    List<String> missing = missing(report);
    assertEquals(3, missing.size());
    for (String one : missing) {
      assertTrue(one.contains("this machine could not be asked: "), one);
    }
  }
}
