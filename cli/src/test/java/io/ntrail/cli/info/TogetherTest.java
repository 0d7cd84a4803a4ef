package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several files given to one command: parts of one recording, or not. */
class TogetherTest {
  @TempDir private Path folder;

  private static Path file(String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("etl/" + name + ".etl.gz");
  }

  private static void refused(Path first, Path second, String why) {
    Cli.Result result = Cli.run("info", first, second);
    assertEquals(2, result.exit(), result.err());
    assertEquals("", result.out());
    assertTrue(result.err().contains(why), result.err());
    assertTrue(
        result.err().contains("try: ntrail diff " + first + " " + second + "\n"), result.err());
  }

  @Test
  void filesOfDifferentBootsAreRefused() {
    // Boots of one virtual machine, 38 seconds after one another.
    refused(file("s4-CldFlt0"), file("s4-CldFlt1"), "of different machines or boots (booted at");
  }

  @Test
  void filesOfDifferentMachinesAreRefused() {
    refused(file("tx-Process"), file("diaghub"), "of different machines (2 and 4 processors)");
    refused(file("sonde-test"), file("sawbuck-image_data_32_v0"), "of different machines (perf");
  }

  @Test
  void filesOfOneBootThatAreFarApartAreRefused() {
    refused(
        file("s4-waasmedic.20251005_113019_195"),
        file("s4-WindowsUpdate.20251008.140245.443.8"),
        "ends 81.5 hours before");
  }

  @Test
  void membersOfOneArchiveAreComparedToo() throws IOException {
    Path archive = folder.resolve("two boots.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
      for (String name : List.of("s4-CldFlt0", "s4-CldFlt1")) {
        zip.putNextEntry(new ZipEntry(name + ".etl"));
        zip.write(TestData.unpacked(file(name)));
        zip.closeEntry();
      }
    }
    Cli.Result refused = Cli.run("events", archive, "--count");
    assertEquals(2, refused.exit(), refused.err());
    assertTrue(
        refused.err().contains("two boots.zip!/s4-CldFlt1.etl are of different machines or boots"),
        refused.err());
    assertTrue(refused.err().contains("try: --together\n"), refused.err());
    assertEquals(0, Cli.run("events", archive, "--count", "--together").exit());
  }

  @Test
  void kernelAndUserFilesOfOneSessionAreOneRecording() {
    Cli.Result result =
        Cli.run(
            "events",
            file("diaghub.kernel.1"),
            file("diaghub.user_paged.1"),
            file("diaghub.user_injected.1"),
            "--count",
            "-q");
    assertEquals(0, result.exit(), result.err());
  }

  @Test
  void filesOfOneBootMinutesApartAreOneRecording() {
    Cli.Result result =
        Cli.run("info", file("sawbuck-image_data_32_v0"), file("sawbuck-process_data_32_v3"));
    assertEquals(0, result.exit(), result.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"info", "events", "profile", "export"})
  void everyCommandThatTakesSeveralFilesRefusesThemAndCanBeOverruled(String command) {
    Path first = file("s4-CldFlt0");
    Path second = file("s4-CldFlt1");
    boolean isExport = command.equals("export");
    Object to = isExport ? "--to" : "-q";
    Object format = isExport ? "collapsed" : "-q";
    Cli.Result refused = Cli.run(command, first, second, "-q", to, format);
    assertEquals(2, refused.exit(), refused.err());
    Cli.Result read = Cli.run(command, first, second, "-q", to, format, "--together");
    assertTrue(read.exit() != 2, read.err());
    assertTrue(!read.err().contains("--together"), read.err());
  }
}
