package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleDump;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.LoaderView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image --from DUMP MODULE}. */
class ImageFromDumpTest {
  @TempDir private Path folder;

  private Path dump(byte[] content) throws IOException {
    return Files.write(folder.resolve("crash.dmp"), content);
  }

  @Test
  void anImageComesOutOfTheMemory() throws IOException {
    Path dump = dump(SampleDump.make());
    Cli.Result result = Cli.run("image", "--from", dump, "shopcore");
    assertEquals(0, result.exit(), result.err());
    assertTrue(
        result.lines().getFirst().startsWith("C:\\shop\\shopcore.dll at 0x180000000, "),
        result.out());
    assertTrue(
        result.lines().get(1).startsWith(dump + "!shopcore.dll: PE32+ DLL, x64"), result.out());
    Path file = Files.write(folder.resolve("shopcore.dll"), SampleImage.make());
    for (String part : List.of("--exports", "--imports", "--functions", "--disasm=all")) {
      assertEquals(
          after(Cli.run("image", file, part)),
          after(Cli.run("image", "--from", dump, "0x180001000", part)),
          part);
    }
  }

  /** The tables, without the lines that name the source. */
  private static List<String> after(Cli.Result result) {
    assertEquals(0, result.exit(), result.err());
    List<String> lines = result.lines();
    return lines.subList(lines.indexOf(""), lines.size());
  }

  @Test
  void bytesThatDifferFromTheFileAreListed() throws IOException {
    byte[] memory = LoaderView.map(SampleImage.make());
    memory[0x1001] ^= 0x0F;
    memory[0x1002] ^= 0x0F;
    Path dump = dump(SampleDump.make(memory));
    Path file = Files.write(folder.resolve("shopcore.dll"), SampleImage.make());
    Cli.Result text = Cli.run("image", "--from", dump, "shopcore.dll", "--compare", file);
    assertEquals(0, text.exit(), text.err());
    assertTrue(text.out().contains("\n  0x1001      2  .text"), text.out());
    assertTrue(text.out().contains("1 difference in "), text.out());
    JsonReader json =
        Cli.run("image", "--from", dump, "shopcore", "--compare", file, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    assertEquals("0x1001", json.get("differences").array().getFirst().get("rva").text());
    assertEquals(0, json.get("comparison").get("notSaved").number());
  }

  @Test
  void whatCannotBeShownIsSaid() throws IOException {
    Path dump = dump(SampleDump.make());
    error("ntrail: " + dump + " has no module user32", Cli.run("image", "--from", dump, "user32"));
    error(
        "ntrail: "
            + dump
            + " has no headers of shopd.exe in its memory, and no file of its build"
            + " (698BD3A18000) is found",
        Cli.run("image", "--from", dump, "shopd"));
    Path other = TestData.projectRoot().resolve("samples/shopd.exe");
    error(
        "ntrail: " + other + " is a different build than shopcore.dll in the dump",
        Cli.run("image", "--from", dump, "shopcore", "--compare", other));
    assertEquals(2, Cli.run("image", "--from", dump).exit());
    assertEquals(2, Cli.run("image", other, "--compare", other).exit());
    Cli.Result missing = Cli.run("image", "--from", dump, "shopcore", "--disasm", "Nothing");
    error("ntrail: " + dump + "!shopcore.dll has no function named Nothing", missing);
    assertTrue(
        missing.err().contains("try: ntrail image --from " + dump + " shopcore.dll --functions"),
        missing.err());
    error("ntrail: " + other + " is not a dump", Cli.run("image", "--from", other, "shopcore"));
  }

  private static void error(String message, Cli.Result result) {
    assertEquals(1, result.exit());
    assertTrue(result.err().startsWith(message), result.err());
  }

  /** The dump has 256 bytes of the program; the rest is in its file, relocated. */
  @Test
  void whatWasNotSavedComesFromTheFile() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Files.write(folder.resolve("crash.exe"), TestData.gunzip("pdb/sentry/crash.exe.gz"));
    Files.write(folder.resolve("crash.pdb"), TestData.gunzip("pdb/sentry/crash.pdb.gz"));
    Path dump = TestData.file("dumps/sentry/windows.dmp.gz");
    Cli.Result result =
        Cli.run("image", "--from", dump, "crash", "-y", folder, "--disasm", "0x2a3d");
    assertEquals(0, result.exit(), result.err());
    assertTrue(
        result.lines().getFirst().contains(", 256 of 36,864 bytes from the memory of "),
        result.out());
    assertTrue(result.out().contains("main  0x2910..0x2a6e"), result.out());
    // The instruction at the fault, and one that holds a relocated address.
    assertTrue(result.out().replace(" ", "").contains("c70545000000"), result.out());
    assertTrue(result.out().contains("push 0x2a4708"), result.out());
  }
}
