package io.ntrail.formats.pe.build;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.BuiltImages;
import io.ntrail.formats.pe.Checksum;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.ExternalTool.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of the builder, read by other tools and run by Wine. */
class PeBuilderTest {
  private static final ExternalTool WINE =
      ExternalTool.of("wine", "wine64", "/usr/lib/wine/wine64", "wine");
  private static final ExternalTool READOBJ =
      ExternalTool.of("llvm", "llvm-readobj-14", "llvm-readobj");
  private static final ExternalTool OBJDUMP = ExternalTool.of("objdump", "objdump");

  @TempDir Path folder;

  private Path written(String name, PeBuilder builder) throws IOException {
    return Files.write(folder.resolve(name), builder.build().file());
  }

  /** Runs a program under Wine without display, network or any other Windows than itself. */
  private Outcome wine(String program) throws IOException, InterruptedException {
    return WINE.run(
        folder,
        Map.of(
            "WINEPREFIX", folder.resolve("prefix").toString(),
            "WINEDLLOVERRIDES", "mscoree,mshtml=",
            "WINEDEBUG", "-all",
            "DISPLAY", ""),
        folder.resolve(program).toString());
  }

  @Test
  void aProgramRunsWithItsLibraryAndExitsWithWhatTheLibrarySays()
      throws IOException, InterruptedException {
    assumeTrue(WINE.available(), WINE.missing());
    written("prog.exe", BuiltImages.printing());
    written("answer.dll", BuiltImages.answer());
    Outcome outcome = wine("prog.exe");
    assertEquals("built by hand\n", outcome.output());
    assertEquals(37, outcome.exitCode());
    // The library now wants to be where the program is, and must be relocated.
    Outcome moved = again(BuiltImages.printing(), BuiltImages.answer().base(0x1_4000_0000L));
    assertEquals(outcome.output(), moved.output());
    assertEquals(outcome.exitCode(), moved.exitCode());
  }

  private Outcome again(PeBuilder program, PeBuilder library)
      throws IOException, InterruptedException {
    written("prog.exe", program);
    written("answer.dll", library);
    return wine("prog.exe");
  }

  private String readobj(String name, PeBuilder builder) throws IOException, InterruptedException {
    Outcome outcome =
        READOBJ.run(
            folder,
            Map.of(),
            "--file-headers",
            "--sections",
            "--coff-imports",
            "--coff-exports",
            "--coff-basereloc",
            "--coff-debug-directory",
            "--coff-load-config",
            "--coff-tls-directory",
            "--coff-resources",
            written(name, builder).toString());
    assertEquals("", outcome.errors());
    assertEquals(0, outcome.exitCode());
    return outcome.output().replaceAll(" +", " ");
  }

  @ParameterizedTest
  @ValueSource(ints = {MachineType.I386, MachineType.AMD64})
  void llvmReadsTheDirectories(int machine) throws IOException, InterruptedException {
    assumeTrue(READOBJ.available(), READOBJ.missing());
    String text = readobj("everything.dll", BuiltImages.everything(machine));
    for (String expected :
        List.of(
            "Name: first.dll",
            "Symbol: One (0)",
            "Symbol: (2)",
            "Symbol: Three (0)",
            "Name: second.dll",
            "Name: late.dll",
            "Symbol: Later (0)",
            "Symbol: (9)",
            "Name: alpha",
            "Ordinal: 12",
            "Name: Zulu",
            "Ordinal: 15",
            "PDBFileName: C:\\built\\everything.pdb",
            "PDBAge: 3",
            "SizeOfZeroFill: 0x40",
            "GuardFlags: 0x10500",
            "GuardCFFunctionCount: 2",
            "Type: ILTCG",
            "TimeDateStamp: 2020-07-04")) {
      assertTrue(text.contains(expected), expected + "\n" + text);
    }
    assertEquals(12, count(text, machine == MachineType.AMD64 ? "Type: DIR64" : "Type: HIGHLOW"));
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  @Test
  void objdumpReadsTheFunctionTable() throws IOException, InterruptedException {
    assumeTrue(OBJDUMP.available(), OBJDUMP.missing());
    PeBuilder library = PeBuilder.library(MachineType.AMD64);
    library.code().label("f").fill(0x40, 0x90).label("f.end");
    library.code().label("g").fill(0x20, 0x90).label("g.end").label("handler").code(0xC3);
    library
        .function("g", "g.end", UnwindInfoBuilder.prologue(0).chained("f"))
        .function(
            "f",
            "f.end",
            UnwindInfoBuilder.prologue(0x20)
                .push(1, 5)
                .push(3, 15)
                .allocate(10, 0x28)
                .allocate(11, 0x108)
                .allocate(12, 0x10_0000)
                .frame(16, 5, 0x30)
                .save(20, 3, 0x40)
                .save(24, 6, 0x10_0000)
                .saveXmm(28, 6, 0x50)
                .saveXmm(32, 15, 0x20_0000)
                .handler(true, false, "handler", part -> part.u32(7)));
    Outcome outcome =
        OBJDUMP.run(folder, Map.of(), "-p", written("functions.dll", library).toString());
    String text = outcome.output();
    assertEquals(0, outcome.exitCode());
    for (String expected :
        List.of(
            "Version: 1, Flags: UNW_FLAG_EHANDLER",
            "Nbr codes: 19, Prologue size: 0x20, Frame offset: 0x3, Frame reg: rbp",
            "pc+0x1c: save xmm6 at rsp + 0x50",
            "pc+0x18: save rsi at rsp + 0x100000",
            "pc+0x14: save rbx at rsp + 0x40",
            "pc+0x10: FPReg: rbp = rsp + 0x30",
            "pc+0x0c: alloc large area: rsp = rsp - 0x100000",
            "pc+0x0b: alloc large area: rsp = rsp - 0x108",
            "pc+0x0a: alloc small area: rsp = rsp - 0x28",
            "pc+0x03: push r15",
            "pc+0x01: push rbp",
            "UNW_FLAG_CHAININFO")) {
      assertTrue(text.contains(expected), expected + "\n" + text);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {MachineType.I386, MachineType.AMD64})
  void objdumpReadsExportsAndImports(int machine) throws IOException, InterruptedException {
    assumeTrue(OBJDUMP.available(), OBJDUMP.missing());
    Path file = written("everything.dll", BuiltImages.everything(machine));
    Outcome outcome = OBJDUMP.run(folder, Map.of(), "-p", file.toString());
    String text = outcome.output().replaceAll("[ \t]+", " ");
    assertEquals(0, outcome.exitCode());
    for (String expected :
        List.of(
            "DLL Name: first.dll",
            "DLL Name: second.dll",
            "Forwarder RVA -- NTDLL.RtlMike",
            "Forwarder RVA -- NTDLL.#77",
            "[ 1] alpha",
            "[ 0] Zulu")) {
      assertTrue(text.contains(expected), expected + "\n" + text);
    }
  }

  @Test
  void llvmReadsTheFunctionTable() throws IOException, InterruptedException {
    assumeTrue(READOBJ.available(), READOBJ.missing());
    PeBuilder library = PeBuilder.library(MachineType.AMD64);
    library.code().label("f").fill(0x40, 0x90).label("f.end");
    library.function(
        "f",
        "f.end",
        UnwindInfoBuilder.prologue(9)
            .machineFrame(0, true)
            .push(1, 3)
            .saveXmm(9, 15, 0x20_0000)
            .allocate(5, 0x10_0008));
    Outcome outcome =
        READOBJ.run(folder, Map.of(), "--unwind", written("functions.dll", library).toString());
    String text = outcome.output().replaceAll(" +", " ");
    for (String expected :
        List.of(
            "0x09: SAVE_XMM128_FAR reg=XMM15, offset=0x200000",
            "0x05: ALLOC_LARGE size=1048584",
            "0x01: PUSH_NONVOL reg=RBX",
            "0x00: PUSH_MACHFRAME errcode=yes")) {
      assertTrue(text.contains(expected), expected + "\n" + text);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {MachineType.I386, MachineType.AMD64})
  void readsBackWhatWasDeclared(int machine) {
    PeBuilder.Built built = BuiltImages.everything(machine).build();
    PeImage image = BuiltImages.image(built);
    Exports exports = Exports.of(image);
    assertEquals("everything.dll", exports.module());
    assertEquals(
        List.of(
            "12 Zulu " + built.rva("beta") + " null",
            "13 alpha " + built.rva("alpha") + " null",
            "14 mike forwarded NTDLL.RtlMike",
            "15 null " + built.rva("data") + " null",
            "16 november forwarded NTDLL.#77"),
        exports.list().stream()
            .map(export ->
                export.ordinal()
                    + " "
                    + export.name()
                    + " "
                    + (export.forward() == null ? export.rva() : "forwarded")
                    + " "
                    + export.forward())
            .toList());
    Imports imports = Imports.of(image);
    assertEquals(
        List.of("first.dll", "second.dll", "late.dll"),
        imports.modules().stream().map(Imports.Module::name).toList());
    assertEquals(built.rva("late.dll!#9"), imports.modules().get(2).symbols().get(1).slot());
    assertTrue(Checksum.isRight(image));
    assertEquals(List.of(), image.gaps());
  }

  @Test
  void theSameDeclarationsGiveTheSameBytes() {
    assertArrayEquals(
        BuiltImages.everything(MachineType.AMD64).build().file(),
        BuiltImages.everything(MachineType.AMD64).build().file());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void delayedImportsOfVisualC6AreReadLikeThoseOfToday(boolean addresses)
      throws IOException, InterruptedException {
    PeBuilder library =
        PeBuilder.library(MachineType.I386)
            .delayImports("late.dll", addresses, "load", "One", "#2");
    library.code().label("load").code(0xCC);
    PeBuilder.Built built = library.build();
    Imports.Module module = Imports.of(BuiltImages.image(built)).modules().getFirst();
    assertTrue(module.delay());
    assertEquals("late.dll", module.name());
    assertEquals("One", module.symbols().get(0).name());
    assertEquals(2, module.symbols().get(1).ordinal());
    assertEquals(built.rva("late.dll!One"), module.symbols().get(0).slot());
  }

  @Test
  void boundImportsNameTheirModules() {
    Map<String, Long> addresses = new LinkedHashMap<>();
    addresses.put("One", 0x7780_1000L);
    addresses.put("Two", 0x7780_2000L);
    PeBuilder program =
        PeBuilder.program(MachineType.I386)
            .boundImports("old.dll", 0x3000_0001, addresses, Map.of("older.dll", 0x2000_0002L));
    PeImage image = BuiltImages.image(program);
    Imports imports = Imports.of(image);
    assertEquals(
        List.of(
            new Imports.Bound(
                "old.dll",
                0x3000_0001,
                List.of(new Imports.Bound("older.dll", 0x2000_0002, List.of())))),
        imports.bound());
    Imports.Module module = imports.modules().getFirst();
    assertEquals(Imports.BOUND_NEW_STYLE, module.timestamp());
    assertEquals("Two", module.symbols().get(1).name());
    assertEquals(0x7780_2000L, image.view().u32(module.symbols().get(1).slot()));
    assertEquals(List.of(), image.gaps());
  }

  @Test
  void anImageOfSmallAlignmentIsMappedAsItIs() throws IOException, InterruptedException {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .alignment(0x20, 0x20)
            .name("flat.dll")
            .exports("f", "f");
    library.code().label("f").code(0xC3);
    library.data().label("d").address("f").reserve(0x100);
    PeBuilder.Built built = library.build();
    PeImage image = BuiltImages.image(built);
    assertEquals(0xC3, image.view().u8(built.rva("f")));
    assertEquals(0xC3, built.file()[(int) built.rva("f")] & 0xFF);
    assertEquals(built.rva("f"), Exports.of(image).list().getFirst().rva());
    assertThrows(
        IllegalArgumentException.class,
        () -> PeBuilder.program(MachineType.AMD64).alignment(0x1000, 0x100));
  }

  @Test
  void whatIsUsedMustHaveAPlace() {
    PeBuilder program = PeBuilder.program(MachineType.AMD64);
    program.code().code(0xE8).relative("nowhere");
    assertThrows(IllegalStateException.class, program::build);
  }

  @Test
  void aFixedProgramStoresNoRelocations() {
    PeBuilder program = PeBuilder.program(MachineType.AMD64).fixed();
    program.data().label("d").address("d");
    PeImage image = BuiltImages.image(program);
    assertTrue(image.headers().is(PeHeaders.RELOCS_STRIPPED));
    assertFalse(image.headers().isDll(PeHeaders.DYNAMIC_BASE));
    assertFalse(image.directory(DataDirectory.BASE_RELOCATION).isPresent());
  }
}
