package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image --disasm} of functions whose code the file does not hold. */
class LostCodeTest {
  private static final int HELD = 0x200;

  @TempDir private Path folder;

  /** A library with a function at the start of its code and one behind what the file holds. */
  private Path cut() throws IOException {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64).exports("first", "first").exports("last", "last");
    library
        .code()
        .label("first")
        .code(0xC3)
        .fill(HELD + 0x40, 0xCC)
        .label("last")
        .code(0xB8, 1, 0, 0, 0, 0xC3);
    byte[] file = library.build().file();
    PeImage image = PeImage.ofFile(InputFile.of(file, "cut.dll"));
    long stored = image.sections().getFirst().rawSize();
    int header = headerOf(file, stored);
    LittleEndian.putU32(file, header, HELD);
    return Files.write(folder.resolve("cut.dll"), file);
  }

  /** Returns the place of SizeOfRawData of the first section. */
  private static int headerOf(byte[] file, long stored) {
    int pe = file[0x3C] & 0xFF;
    int header = pe + 24 + 240 + 16;
    assertEquals(stored, (file[header] & 0xFF) + ((file[header + 1] & 0xFF) << 8));
    return header;
  }

  @Test
  void aFunctionThatTheFileDoesNotHoldSaysSo() throws IOException {
    Path file = cut();
    Cli.Result text = Cli.run("image", file, "--disasm", "last");
    assertEquals(3, text.exit(), text.out());
    assertTrue(text.out().contains("\n  the image does not hold these "), text.out());
    assertTrue(text.err().contains("the image does not hold "), text.err());
    Cli.Result json = Cli.run("image", file, "--disasm", "last", "--format", "json");
    assertEquals(3, json.exit(), json.err());
    assertEquals(List.of(), JsonSchema.named("image").findings(json.json()));
    assertEquals("code", json.json().get("gaps").array().getFirst().get("what").text());
    assertEquals(3, Cli.run("image", file, "--disasm", "last", "--format", "csv").exit());
  }

  @Test
  void allFunctionsTogetherSayHowManyAreLost() throws IOException {
    Cli.Result all = Cli.run("image", cut(), "--disasm", "all", "--format", "csv");
    assertEquals(3, all.exit(), all.out());
    assertTrue(all.err().contains(" of 1 of 2 functions"), all.err());
    assertTrue(all.out().contains(",ret"), all.out());
  }

  @Test
  void aFunctionThatIsHeldHasNoGap() throws IOException {
    Cli.Result first = Cli.run("image", cut(), "--disasm", "first");
    assertEquals(0, first.exit(), first.err());
  }

  private static Path real(String file) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("pe/" + file);
  }

  private static void contains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "no <" + part + "> in " + text);
    }
  }

  @Test
  void arm64CodeOfAnX86LibraryIsNamedAndNotDecoded() throws IOException {
    Path file = real("windows/msyuv.dll.gz");
    Cli.Result entry = Cli.run("image", file, "--disasm", "0x54f0");
    assertEquals(0, entry.exit(), entry.err());
    contains(entry.out(), "PE32 DLL, x86 with ARM64 code (CHPE), ");
    contains(entry.out(), "0x54f0..0x5900", "\n  1,040 bytes of ARM64 code not disassembled\n");
    assertEquals(List.of("note: 1,040 bytes of ARM64 code not disassembled"), entry.messages());
    // The ranges of its metadata: 4e28h and 2090h bytes.
    Cli.Result all = Cli.run("image", file, "--disasm", "all", "--format", "json");
    assertEquals(List.of(), JsonSchema.named("image").findings(all.json()));
    assertEquals("CHPE", all.json().get("hybrid").text());
    assertEquals(0x4E28 + 0x2090, all.json().get("notDisassembled").get("arm64").number());
    for (JsonReader instruction : all.json().get("instructions").array()) {
      long address = Long.decode(instruction.get("address").text());
      assertTrue(address < 0x2A00 || address >= 0x7828 && address < 0x9000 || address >= 0xB090);
    }
  }

  @Test
  void x64CodeOfAnArm64EcProgramIsDecoded() {
    Path file = real("flags/BA2025-NotApplicable-ARM64EC_rust_notApplicable.exe.gz");
    Cli.Result all = Cli.run("image", file, "--disasm", "all");
    contains(all.out(), "x64 with ARM64 code (ARM64EC)", "jmp rax", "jmp qword ptr [0x1d080]");
    contains(all.err(), "note: 98,428 bytes of ARM64 code not disassembled");
  }

  @Test
  void functionsOfArmCodeAreCountedAndNoneIsCalledALeaf() throws IOException {
    Path file = real("flags/BA2025-NotApplicable-ARM64EC_rust_notApplicable.exe.gz");
    String more = "ARM64EC: 383 more entries of the function table not shown";
    contains(Cli.run("image", file).out(), "2 in .pdata (0 chained, 0 with handlers), " + more);
    contains(Cli.run("image", file, "--functions").out(), "2 functions, 8 bytes\n" + more);
    assertEquals(
        List.of("note: " + more),
        Cli.run("image", file, "--functions", "--format", "csv").messages());
    contains(
        Cli.run("image", file, "--unwind", "0x1004").out(),
        "0x1004: unwind data of ARM64EC are not read");
    JsonReader json = Cli.run("image", file, "--unwind", "0x1004", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    assertEquals(383, json.get("armFunctionEntries").number());
    assertTrue(json.get("functions").array().getFirst().get("leaf").isNull());
  }

  @Test
  void functionsOfAnArmImageAreCountedAndNoneIsCalledALeaf() {
    Path file = real("eh/seh_probe-msvc-aarch64-native-gs-o2.exe");
    String more = "arm64: 36 entries of the function table not shown";
    for (String option : List.of("", "--functions", "--hotpatch")) {
      contains(Cli.run("image", file, option.isEmpty() ? "-q" : option).out(), more);
    }
    contains(
        Cli.run("image", file, "--unwind", "0x1004").out(), "unwind data of arm64 are not read");
  }

  @Test
  void aFunctionOfX86IsNotCalledALeaf() throws IOException {
    PeBuilder library = PeBuilder.library(MachineType.I386).exports("first", "first");
    library.code().label("first").code(0xC3);
    Path file = Files.write(folder.resolve("x86.dll"), library.build().file());
    contains(
        Cli.run("image", file, "--unwind", "first").out(),
        "first, 0x1000: x86 images have no function table");
    JsonReader json = Cli.run("image", file, "--unwind", "first", "--format", "json").json();
    assertTrue(json.get("functions").array().getFirst().get("leaf").isNull());
  }

  @Test
  void codeInNoFunctionIsCountedWithoutPadding() throws IOException {
    PeBuilder program =
        PeBuilder.program(MachineType.AMD64)
            .entry("main")
            .function("known", "known.end", UnwindInfoBuilder.prologue(0));
    program
        .code()
        .label("main")
        .code(0xB8, 1, 0, 0, 0, 0xC3)
        .fill(26, 0xCC)
        .label("known")
        .code(0x33, 0xC0, 0xC3)
        .label("known.end")
        .fill(5, 0x90)
        .code(0xEB, 0xFE);
    Path file = Files.write(folder.resolve("stripped.exe"), program.build().file());
    // B8 01 C3, EB FE.
    Cli.Result text = Cli.run("image", file, "--disasm", "all");
    assertEquals(0, text.exit(), text.err());
    assertEquals(
        List.of("note: 5 bytes of executable sections are in no known function"), text.messages());
    JsonReader json = Cli.run("image", file, "--disasm", "all", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("image").findings(json));
    assertEquals(5, json.get("notDisassembled").get("inNoFunction").number());
    JsonReader one = Cli.run("image", file, "--disasm", "0x1020", "--format", "json").json();
    assertTrue(one.get("notDisassembled").get("inNoFunction").isNull());
  }

  @Test
  void aProgramWithoutKnownFunctionsSaysSo() throws IOException {
    PeBuilder program = PeBuilder.program(MachineType.I386).entry("main");
    program.code().label("main").code(0xB8, 1, 0, 0, 0, 0xC3);
    Path file = Files.write(folder.resolve("none.exe"), program.build().file());
    Cli.Result text = Cli.run("image", file, "--disasm", "all");
    contains(text.out(), "no functions known");
    contains(text.err(), "note: 3 bytes of executable sections are in no known function");
  }
}
