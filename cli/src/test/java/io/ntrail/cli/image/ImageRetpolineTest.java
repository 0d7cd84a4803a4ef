package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ntrail image DRIVER --disasm ... --retpoline on|import-only|off}. */
class ImageRetpolineTest {
  /** A function of WdBoot.sys with calls of imports and of a checked pointer. */
  private static final String FUNCTION = "0x1008";

  @TempDir private Path folder;

  private Path driver;
  private Path kernel;

  @BeforeEach
  void makeFiles() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    driver = Files.write(folder.resolve("WdBoot.sys"), TestData.gunzip("pt/dvrt/WdBoot.sys.gz"));
    PeBuilder builder =
        PeBuilder.library(MachineType.AMD64)
            .name("ntoskrnl.exe")
            .exports("RtlInitUnicodeString", "init");
    builder.code().fill(0x40, 0xCC).label("init").fill(16, 0xC3);
    kernel = Files.write(folder.resolve("ntoskrnl.exe"), builder.build().file());
  }

  private Cli.Result image(String... more) {
    Object[] words = new Object[more.length + 2];
    words[0] = "image";
    words[1] = driver;
    System.arraycopy(more, 0, words, 2, more.length);
    return Cli.run(words);
  }

  @Test
  void offIsTheCodeOfTheFile() {
    Cli.Result plain = image("--disasm", "all", "-n", "0");
    assertEquals(0, plain.exit(), plain.err());
    assertEquals(plain.out(), image("--disasm", "all", "-n", "0", "--retpoline", "off").out());
    assertEquals(
        image("--disasm", "all", "--format", "json").out(),
        image("--disasm", "all", "--format", "json", "--retpoline", "off").out());
  }

  @Test
  void aCheckedCallGoesToTheThunkBehindTheImage() {
    String file = image("--disasm", FUNCTION).out();
    assertTrue(file.contains("0x1048  ff151a510000      call qword ptr [0x6168]"), file);
    Cli.Result on = image("--disasm", FUNCTION, "--retpoline", "on");
    assertEquals(0, on.exit(), on.err());
    assertTrue(on.out().contains("0x1048  e853f20000        call 0x102a0"), on.out());
    assertTrue(on.out().contains("retpoline thunk for checked pointers"), on.out());
    assertTrue(on.out().contains("0x104d  90                nop"), on.out());
    assertTrue(on.out().contains("     14  checked call  goes to a thunk"), on.out());
    assertTrue(on.out().contains("synthetic"), on.out());
    String importOnly = image("--disasm", FUNCTION, "--retpoline", "import-only").out();
    assertTrue(importOnly.contains("0x1048  ff151a510000      call"), importOnly);
    assertFalse(importOnly.contains("synthetic"), importOnly);
  }

  @Test
  void anImportIsCalledDirectlyWhereItsModuleIsGiven() {
    // The function at RVA 0x1040 of a kernel 256 MB behind the driver.
    Cli.Result result =
        image(
            "--disasm",
            "all",
            "--retpoline",
            "import-only",
            "--at",
            "0xfffff80010000000",
            "--code",
            kernel + "@0xfffff80020000000");
    assertEquals(0, result.exit(), result.err());
    List<String> calls =
        result.lines().stream().filter(line -> line.contains("call 0x10001040")).toList();
    assertFalse(calls.isEmpty(), result.out());
    assertTrue(
        calls.stream().allMatch(line -> line.contains("ntoskrnl.exe!RtlInitUnicodeString")),
        calls.toString());
    assertTrue(result.out().contains("import call   goes to the import directly"), result.out());
    assertTrue(
        result.out().contains("import call   the address of the import is not known"),
        result.out());
  }

  @Test
  void anImportOutOfReachIsLeft() {
    String text =
        image(
                "--disasm",
                FUNCTION,
                "--retpoline",
                "import-only",
                "--at",
                "0xfffff80010000000",
                "--code",
                kernel + "@0xfffff80120000000")
            .out();
    assertTrue(text.contains("import call   the target is more than 2 GB away"), text);
  }

  @Test
  void newerKernelsCallAnImportOutOfReachThroughR10() {
    Cli.Result result =
        image(
            "--disasm",
            "all",
            "--retpoline",
            "import-r10",
            "--at",
            "0xfffff80010000000",
            "--code",
            kernel + "@0xfffff80120000000");
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.out().contains("import call   goes to the import through r10"), result.out());
    List<String> calls = result.lines().stream().filter(line -> line.contains("4dffd2")).toList();
    assertFalse(calls.isEmpty(), result.out());
    assertTrue(calls.stream().allMatch(line -> line.contains("call r10")), calls.toString());
  }

  @ParameterizedTest
  @CsvSource({"import-only, as in the file", "on, as if out of reach"})
  void rowsWithoutAReportComeWithANoteOnUnknownTargets(String state, String what) {
    Cli.Result result = image("--disasm", FUNCTION, "--retpoline", state, "--format", "csv");
    assertEquals(0, result.exit(), result.err());
    assertTrue(
        result.err().contains("note: unknown targets at 144 import sites, shown " + what),
        result.err());
  }

  @Test
  void jsonHasTheSitesByInstructionAndOutcome() throws IOException {
    JsonReader json = image("--disasm", FUNCTION, "--retpoline", "on", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    JsonReader rewriting = json.get("rewriting");
    assertEquals("on", rewriting.get("retpoline").text());
    assertEquals("0x1c0000000", rewriting.get("loadAddress").text());
    assertEquals("0x10000", rewriting.get("thunksRva").text());
    assertEquals(
        List.of(143L, 1L, 14L, 1L),
        rewriting.get("sites").array().stream().map(site -> site.get("count").number()).toList());
    JsonReader first = rewriting.get("sites").array().getFirst();
    assertEquals("thunk-unknown-target", first.get("outcome").text());
    JsonReader importOnly =
        image("--disasm", FUNCTION, "--retpoline", "import-only", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(importOnly));
    assertEquals(
        "unknown-target",
        importOnly.get("rewriting").get("sites").array().getFirst().get("outcome").text());
  }

  @Test
  void aRecordThatItsSiteContradictsIsAGap() throws IOException {
    byte[] file = Files.readAllBytes(driver);
    // The second byte of the first checked call, at RVA 0x1048 of .text, which is stored at 0x400.
    file[0x449] ^= 0x20;
    Files.write(driver, file);
    Cli.Result result = image("--disasm", FUNCTION, "--retpoline", "on");
    assertEquals(3, result.exit());
    assertTrue(
        result.err().contains("the site at 0x1048 is not rewritten: the instruction is not"),
        result.err());
    assertTrue(
        result.out().contains("      1  checked call  the instruction is not the one"),
        result.out());
  }

  @Test
  void optionsWithoutEffectAreRefused() {
    assertEquals(2, image("--retpoline", "on").exit());
    assertEquals(2, image("--disasm", "all", "--retpoline", "sometimes").exit());
    assertEquals(2, image("--disasm", "all", "--code", kernel.toString()).exit());
    assertEquals(
        2, image("--disasm", "all", "--retpoline", "on", "--code", kernel + "@here").exit());
    Cli.Result missing =
        image("--disasm", "all", "--retpoline", "on", "--code", folder + "/missing.exe");
    assertEquals(1, missing.exit(), missing.err());
  }
}
