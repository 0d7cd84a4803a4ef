package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.LoadConfig.GuardEntry;
import io.ntrail.formats.pe.fixups.DynamicFixup;
import io.ntrail.formats.pe.fixups.DynamicRelocations;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.testkit.TestData;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Numbers that are known about real images are counted out of them. */
class KnownNumbersTest {
  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private static PeImage windows(String name) {
    return SampleImages.open("windows", name);
  }

  private static LoadConfig config(PeImage image) {
    return LoadConfig.of(image).orElseThrow();
  }

  @Test
  void kernel32Exports1633OfWhich184AreForwarded() {
    List<Export> exports = Exports.of(windows("kernel32.dll")).list();
    assertEquals(1633, exports.size());
    assertEquals(184, exports.stream().filter(export -> export.forward() != null).count());
    Export forwarded = exports.getFirst();
    assertEquals("AcquireSRWLockExclusive", forwarded.name());
    assertEquals("NTDLL", forwarded.forwardModule());
    assertEquals("RtlAcquireSRWLockExclusive", forwarded.forwardName());
  }

  @Test
  void kernel32Has1835FunctionsOfWhich330AreChainedUpToTwice() {
    FunctionTable table = FunctionTable.of(windows("kernel32.dll"));
    assertEquals(1835, table.entries().size());
    List<Integer> depths =
        table.entries().stream().map(entry -> table.chain(entry).depth()).toList();
    assertEquals(330, depths.stream().filter(depth -> depth > 0).count());
    assertEquals(2, depths.stream().mapToInt(depth -> depth).max().orElse(0));
  }

  @Test
  void kernel32HasGuardTablesWithFiveBytesAnEntry() {
    LoadConfig config = config(windows("kernel32.dll"));
    assertEquals(0x118, config.value(Field.SIZE));
    assertEquals(0x10417500, config.value(Field.GUARD_FLAGS));
    assertEquals(5, config.guardStride());
    List<GuardEntry> functions = config.guardFunctions();
    assertEquals(1510, functions.size());
    assertEquals(1393, functions.stream().filter(entry -> entry.flags() == 2).count());
    assertEquals(10, functions.stream().filter(entry -> entry.flags() == 1).count());
    assertEquals(70, config.guardEhContinuations().size());
    assertEquals(3, config.guardIatEntries().size());
    long before = 0;
    for (GuardEntry entry : functions) {
      assertTrue(entry.rva() > before);
      before = entry.rva();
    }
  }

  @Test
  void kernel32IsKnownByItsHash() {
    PeImage image = windows("kernel32.dll");
    assertEquals(0xC399D, image.headers().checksum());
    assertEquals(0xC399D, Checksum.of(image));
    DebugDirectory debug = DebugDirectory.of(image);
    assertEquals(
        List.of("CODEVIEW", "POGO", "REPRO", "EX_DLLCHARACTERISTICS"),
        debug.entries().stream().map(DebugDirectory.Entry::typeText).toList());
    assertEquals(DebugDirectory.CET_COMPAT, debug.exDllCharacteristics());
    byte[] hash = debug.reproHash().orElseThrow();
    assertEquals(32, hash.length);
    CodeView.Pdb70 pdb = (CodeView.Pdb70) debug.codeView().orElseThrow();
    Bytes stored =
        Objects.requireNonNull(debug.first(DebugDirectory.CODEVIEW).orElseThrow().data());
    assertArrayEquals(
        HexFormat.of().parseHex(HexFormat.of().formatHex(hash, 0, 16)), stored.array(4, 16));
    assertEquals("kernel32.pdb", pdb.path());
    long stamp = Bytes.copyOf(hash, "hash").u32(28);
    assertEquals(image.headers().timestamp(), stamp);
    assertEquals(
        ".text$mn",
        debug.groups().stream()
            .map(DebugDirectory.Group::name)
            .filter(name -> name.equals(".text$mn"))
            .findFirst()
            .orElse(""));
  }

  @Test
  void acpiHasVersion2UnwindDataAndThreeListsOfDynamicRelocations() {
    PeImage image = windows("acpi.sys");
    FunctionTable table = FunctionTable.of(image);
    assertEquals(2398, table.entries().size());
    List<UnwindInfo> infos =
        table.entries().stream().map(entry -> table.chain(entry).info()).toList();
    assertEquals(2393, infos.stream().filter(info -> info.version() == 2).count());
    assertEquals(1584, infos.stream().mapToInt(info -> info.epilogs().size()).sum());
    assertEquals(
        3, table.entries().stream().mapToInt(entry -> table.chain(entry).depth()).max().orElse(0));
    DynamicRelocations dynamic = DynamicRelocations.of(image);
    assertEquals(3317, dynamic.count(Symbol.GUARD_IMPORT_CONTROL_TRANSFER));
    assertEquals(417, dynamic.count(Symbol.GUARD_INDIR_CONTROL_TRANSFER));
    assertEquals(8, dynamic.count(Symbol.GUARD_SWITCHTABLE_BRANCH));
  }

  /** The instruction is {@code 48 FF 15 rel32} or {@code 48 FF 25 rel32}: seven bytes. */
  @Test
  void every3317ImportTransferOfAcpiUsesTheSlotThatItsRecordNames() {
    PeImage image = windows("acpi.sys");
    long table = image.directory(DataDirectory.IAT).rva();
    int[] seen = new int[2];
    DynamicRelocations.of(image)
        .forEach(fixup -> {
          if (fixup instanceof DynamicFixup.ImportTransfer transfer) {
            long at = transfer.rva();
            assertEquals(0x48, image.view().u8(at));
            assertEquals(0xFF, image.view().u8(at + 1));
            assertEquals(transfer.call() ? 0x15 : 0x25, image.view().u8(at + 2));
            assertEquals(table + 8L * transfer.index(), at + 7 + image.view().i32(at + 3));
            seen[transfer.call() ? 0 : 1]++;
          }
        });
    assertArrayEquals(new int[] {3303, 14}, seen);
  }

  @Test
  void earlyLaunchDriverHas63EntriesOfVersion2() {
    PeImage image = windows("WdBoot.sys");
    assertEquals(63, ofVersion2(image));
    assertEquals(144, DynamicRelocations.of(image).count(Symbol.GUARD_IMPORT_CONTROL_TRANSFER));
    assertEquals(15, DynamicRelocations.of(image).count(Symbol.GUARD_INDIR_CONTROL_TRANSFER));
  }

  @Test
  void aHostOfDotNetHasTwoEntriesOfVersion2FromItsRuntime() {
    assertEquals(2, ofVersion2(windows("pwsh.exe")));
  }

  private static long ofVersion2(PeImage image) {
    FunctionTable table = FunctionTable.of(image);
    return table.entries().stream()
        .filter(entry -> table.chain(entry).info().version() == 2)
        .count();
  }

  @Test
  void aLibraryOfVisualStudio2022Has125ChainedEntries() {
    FunctionTable table = FunctionTable.of(windows("YourPhone.Exp.WinRT.dll"));
    assertEquals(
        125, table.entries().stream().filter(entry -> table.chain(entry).depth() > 0).count());
  }

  @Test
  void kernelBaseForX86Has3146GuardedFunctionsAnd3Handlers() {
    LoadConfig config = config(windows("KernelBase.dll"));
    assertEquals(3146, config.guardFunctions().size());
    assertEquals(3, config.safeSehHandlers().orElseThrow().length);
  }

  @Test
  void ieAdvpackHasOneHandlerInALoadConfigOfA4Bytes() {
    LoadConfig config = config(windows("IEAdvpack.dll"));
    assertEquals(0xA4, config.value(Field.SIZE));
    assertEquals(1, config.safeSehHandlers().orElseThrow().length);
  }

  @Test
  void aLibraryOfLink6Has132FpoRecordsThatAreNotMapped() {
    PeImage image = windows("jobexec.dll");
    DebugDirectory.Entry fpo = DebugDirectory.of(image).first(DebugDirectory.FPO).orElseThrow();
    assertEquals(0, fpo.rva());
    Bytes records = Objects.requireNonNull(fpo.data());
    assertEquals(132 * 16, records.length());
    for (int i = 1; i < 132; i++) {
      assertTrue(records.u32(16 * i) > records.u32(16 * (i - 1)), "record " + i);
    }
    assertTrue(DebugDirectory.of(image).has(DebugDirectory.MISC));
    assertTrue(LoadConfig.of(image).isEmpty());
  }

  @Test
  void mfc40uExports5517OfWhichFourHaveNames() {
    PeImage image = windows("mfc40u.dll");
    List<Export> exports = Exports.of(image).list();
    assertEquals(5517, exports.size());
    assertEquals(4, exports.stream().filter(export -> export.name() != null).count());
    Imports imports = Imports.of(image);
    assertEquals(
        imports.modules().stream()
            .map(module -> module.name().toLowerCase(java.util.Locale.ROOT))
            .sorted()
            .toList(),
        imports.bound().stream()
            .map(bound -> bound.module().toLowerCase(java.util.Locale.ROOT))
            .sorted()
            .toList());
  }

  @Test
  void shimengOnlyForwards() {
    List<Export> exports = Exports.of(windows("shimeng.dll")).list();
    assertTrue(exports.stream().allMatch(export -> export.forward() != null));
    assertTrue(exports.size() > 3);
  }

  @Test
  void aSmallProgramImportsByOrdinal() {
    assertEquals(
        List.of(35),
        Imports.of(windows("impbyord.exe")).modules().get(1).symbols().stream()
            .map(Imports.Symbol::ordinal)
            .toList());
  }

  @Test
  void hybridsHaveTheMachineOfTheirFirstHalfAndAPointerToTheOther() {
    PeImage chpe = windows("msyuv.dll");
    assertEquals(MachineType.I386, chpe.headers().machine());
    assertTrue(config(chpe).value(Field.CHPE_METADATA_POINTER) != 0);
    PeImage ec = SampleImages.open("flags", "BA2025-NotApplicable-ARM64EC_rust_notApplicable.exe");
    assertEquals(MachineType.AMD64, ec.headers().machine());
    assertTrue(config(ec).value(Field.CHPE_METADATA_POINTER) != 0);
  }

  @Test
  void machinesOfOthersAreNamed() {
    assertEquals("mips", MachineType.text(windows("arp.dll").headers().machine()));
    assertEquals(
        "arm64",
        MachineType.text(
            SampleImages.open("eh", "seh_probe-msvc-aarch64-native-gs-o2.exe")
                .headers()
                .machine()));
  }

  @Test
  void aNativeImageOfDotNetHas124Functions() {
    assertEquals(
        124,
        FunctionTable.of(SampleImages.open("toolchains", "ngen-BinSkim.win-x64.ni.dll"))
            .entries()
            .size());
  }

  @Test
  void aChainThatLeadsToItselfIsCutOff() {
    PeImage image = SampleImages.open("hostile", "cfi_chained_loop.exe");
    FunctionTable table = FunctionTable.of(image);
    assertTrue(table.entries().stream().anyMatch(entry -> table.chain(entry).damage().isPresent()));
  }
}
