package io.ntrail.formats.pe.fixups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.BuiltImages;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.fixups.DynamicFixup.AddressUse;
import io.ntrail.formats.pe.fixups.DynamicFixup.Arm64ImportTransfer;
import io.ntrail.formats.pe.fixups.DynamicFixup.Arm64xDelta;
import io.ntrail.formats.pe.fixups.DynamicFixup.Arm64xValue;
import io.ntrail.formats.pe.fixups.DynamicFixup.Arm64xZero;
import io.ntrail.formats.pe.fixups.DynamicFixup.FunctionOverride;
import io.ntrail.formats.pe.fixups.DynamicFixup.ImportTransfer;
import io.ntrail.formats.pe.fixups.DynamicFixup.IndirectTransfer;
import io.ntrail.formats.pe.fixups.DynamicFixup.ReturnGuardEpilogue;
import io.ntrail.formats.pe.fixups.DynamicFixup.ReturnGuardPrologue;
import io.ntrail.formats.pe.fixups.DynamicFixup.SwitchBranch;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of dynamic relocations that no real image at hand has, written byte by byte. */
class SyntheticDynamicRelocationsTest {
  private static final long SHARED_DATA = 0xFFFF_F780_0000_0000L;

  /** A block of a page with the given entries. */
  private static byte[] block(long page, LittleEndian entries) {
    entries.align(4);
    return new LittleEndian()
        .u32(page)
        .u32(8 + entries.size())
        .bytes(entries.toByteArray())
        .toByteArray();
  }

  /** A list of a symbol, as the version of the table has it. */
  private static byte[] list(int version, int word, long symbol, byte[] body) {
    LittleEndian list = new LittleEndian();
    if (version == 1) {
      list.pointer(word, symbol).u32(body.length);
    } else {
      // The header is eight bytes longer than what is known of it.
      list.u32(24 + word).u32(body.length).pointer(word, symbol).u32(7).u32(9).u64(0);
    }
    return list.bytes(body).toByteArray();
  }

  private static byte[] table(int version, byte[]... lists) {
    LittleEndian all = new LittleEndian();
    for (byte[] list : lists) {
      all.bytes(list);
    }
    return new LittleEndian().u32(version).u32(all.size()).bytes(all.toByteArray()).toByteArray();
  }

  private static PeImage image(int machine, byte[] table) {
    PeBuilder library =
        PeBuilder.library(machine)
            .loadConfig(machine == MachineType.I386 ? 0xC0 : 0x140)
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_OFFSET, 16)
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_SECTION, 2);
    library.code().fill(0x3000, 0xCC);
    library.section(".dvrt", 0x4200_0040).fill(16, 0xEE).bytes(table);
    return BuiltImages.image(library);
  }

  private static List<DynamicFixup> fixups(PeImage image) {
    List<DynamicFixup> fixups = new ArrayList<>();
    DynamicRelocations.of(image).forEach(fixups::add);
    return fixups;
  }

  private static List<DynamicFixup> only(int version, long symbol, byte[] body) {
    PeImage image = image(MachineType.AMD64, table(version, list(version, 8, symbol, body)));
    List<DynamicFixup> fixups = fixups(image);
    assertEquals(List.of(), image.gaps());
    return fixups;
  }

  @Test
  void aRecordAtTheStartOfAPageCountsOnlyAsTheFirstOfItsBlock() {
    // Symbol 4: REX.W alone at offset 0, then the same again, which only fills up.
    byte[] indirect = block(0x2000, new LittleEndian().u16(0x2000).u16(0x2010).u16(0x2000));
    assertEquals(
        List.of(
            new IndirectTransfer(0x2000, false, true, false),
            new IndirectTransfer(0x2010, false, true, false)),
        only(1, 4, indirect));
    byte[] imports = block(0x1000, new LittleEndian().u32(0x1000).u32(5 << 13).u32(0));
    assertEquals(List.of(new ImportTransfer(0x1000, true, 0)), only(1, 3, imports));
    byte[] switches = block(0x3000, new LittleEndian().u16(0).u16(0x1000));
    assertEquals(List.of(new SwitchBranch(0x3000, 0)), only(1, 5, switches));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void transfersOfEitherVersionAreRead(int version) {
    byte[] imports =
        block(0x1000, new LittleEndian().u32(5 << 13 | 0x1000 | 0x123).u32(0x7FFFFL << 13 | 0x456));
    byte[] indirect = block(0x2000, new LittleEndian().u16(0x5010).u16(0x2020).u16(0x1FFF));
    byte[] switches = block(0x3000, new LittleEndian().u16(0x1008).u16(0xF00C));
    PeImage image =
        image(
            MachineType.AMD64,
            table(
                version,
                list(version, 8, 3, imports),
                list(version, 8, 4, indirect),
                list(version, 8, 5, switches)));
    assertEquals(
        List.of(
            new ImportTransfer(0x1123, true, 5),
            new ImportTransfer(0x1456, false, -1),
            new IndirectTransfer(0x2010, true, false, true),
            new IndirectTransfer(0x2020, false, true, false),
            new IndirectTransfer(0x2FFF, true, false, false),
            new SwitchBranch(0x3008, 1),
            new SwitchBranch(0x300C, 15)),
        fixups(image));
    DynamicRelocations relocations = DynamicRelocations.of(image);
    assertEquals(version, relocations.version());
    assertEquals(version == 2 ? 7 : 0, relocations.lists().getFirst().group());
    assertEquals(version == 2 ? 9 : 0, relocations.lists().getFirst().flags());
    assertEquals(List.of(), image.gaps());
  }

  @Test
  void returnFlowGuardSaysWhatItWouldReplace() {
    List<DynamicFixup> prologues =
        only(1, 1, block(0x1000, new LittleEndian().u8(3).u8(0x65).u8(0x48).u8(0x90)));
    ReturnGuardPrologue prologue = (ReturnGuardPrologue) prologues.getFirst();
    assertEquals(3, prologue.prologue().length());
    assertEquals(0x48, prologue.prologue().u8(1));
    List<DynamicFixup> epilogues =
        only(
            1,
            2,
            block(
                0x1000, new LittleEndian().u32(12).u8(9).u8(2).u16(3).u16(1).u16(2).u16(3).u8(5)));
    ReturnGuardEpilogue epilogue = (ReturnGuardEpilogue) epilogues.getFirst();
    assertEquals(12, epilogue.epilogues());
    assertEquals(9, epilogue.epilogueBytes());
    assertEquals(6, epilogue.descriptors().length());
    assertEquals(5, epilogue.bitmap().u8(0));
  }

  @Test
  void arm64xRecordsAreZerosValuesAndDifferences() {
    LittleEndian records =
        new LittleEndian()
            .u16(0x8010)
            .u16(0x5020)
            .u16(0xBEEF)
            .u16(0xD030)
            .u64(0x1122_3344_5566_7788L)
            .u16(0x2040)
            .u16(3)
            .u16(0xE050)
            .u16(3);
    assertEquals(
        List.of(
            new Arm64xZero(0x1010, 4),
            new Arm64xValue(0x1020, 2, 0xBEEF),
            new Arm64xValue(0x1030, 8, 0x1122_3344_5566_7788L),
            new Arm64xDelta(0x1040, 4, 12),
            new Arm64xDelta(0x1050, 4, -24)),
        only(2, 6, block(0x1000, records)));
  }

  @Test
  void anArm64KernelCallNamesItsRegisterAndSlot() {
    assertEquals(
        List.of(
            new Arm64ImportTransfer(0x1000 + 4 * 0x155, true, 8, true, 77),
            new Arm64ImportTransfer(0x1004, false, 31, false, -1)),
        only(
            1,
            8,
            block(
                0x1000,
                new LittleEndian()
                    .u32(77L << 17 | 1 << 16 | 8 << 11 | 1 << 10 | 0x155)
                    .u32(0x7FFFL << 17 | 31 << 11 | 1))));
  }

  private static byte[] overrides() {
    byte[] places = block(0x2000, new LittleEndian().u16(0x1010).u16(0x1020).u16(0).u16(0));
    LittleEndian records =
        new LittleEndian()
            .u32(0x1100)
            .u32(0)
            .u32(8)
            .u32(places.length)
            .u32(0x1200)
            .u32(0x1300)
            .bytes(places)
            .u32(0x1400)
            .u32(40)
            .u32(4)
            .u32(0)
            .u32(0x1500);
    LittleEndian diagrams =
        new LittleEndian()
            // feature 17? then version 1, else feature 4? then version 0, else the original
            .u32(1)
            .u32(32)
            .u16(1)
            .u16(2)
            .u32(17)
            .u16(3)
            .u16(2)
            .u32(4)
            .u16(2)
            .u16(2)
            .u32(1)
            .u16(0)
            .u16(0)
            .u32(0)
            // always the first version
            .u32(1)
            .u32(8)
            .u16(0)
            .u16(0)
            .u32(0);
    return new LittleEndian()
        .u32(records.size())
        .bytes(records.toByteArray())
        .bytes(diagrams.toByteArray())
        .toByteArray();
  }

  @Test
  void functionOverridesChooseByTheFeaturesOfTheProcessor() {
    List<DynamicFixup> fixups = only(2, 7, overrides());
    assertEquals(2, fixups.size());
    FunctionOverride first = (FunctionOverride) fixups.getFirst();
    assertEquals(0x1100, first.rva());
    assertEquals(List.of(0x1200L, 0x1300L), first.versions());
    assertEquals(
        List.of(new FunctionOverride.Place(0x2010, 1), new FunctionOverride.Place(0x2020, 1)),
        first.places());
    assertEquals(4, first.diagram().size());
    assertEquals(Optional.of(0x1300L), first.chosen(feature -> feature == 17));
    assertEquals(Optional.of(0x1300L), first.chosen(feature -> feature == 4));
    assertEquals(Optional.of(0x1100L), first.chosen(feature -> false));
  }

  @Test
  void aDiagramThatGoesInACircleChoosesNothing() {
    FunctionOverride circle =
        new FunctionOverride(
            0x1000,
            List.of(0x2000L),
            List.of(),
            List.of(new FunctionOverride.Node(1, 1, 5), new FunctionOverride.Node(0, 0x7000, 6)));
    assertEquals(Optional.empty(), circle.chosen(feature -> true));
    FunctionOverride outside =
        new FunctionOverride(
            0x1000,
            List.of(),
            List.of(),
            List.of(new FunctionOverride.Node(1, 1, 9), new FunctionOverride.Node(1, 1, 3)));
    assertEquals(Optional.empty(), outside.chosen(feature -> true));
  }

  @Test
  void usesOfSystemAddressesAreOrdinaryRelocations() {
    byte[] uses = block(0x1000, new LittleEndian().u16(0xA010).u16(0x3020));
    PeImage image =
        image(
            MachineType.AMD64,
            table(1, list(1, 8, SHARED_DATA, uses), list(1, 8, 0x7FFE_1000L, uses)));
    DynamicRelocations relocations = DynamicRelocations.of(image);
    assertEquals(
        List.of("KI_USER_SHARED_DATA64", "0x7ffe1000"),
        relocations.lists().stream().map(DynamicRelocations.Fixups::name).toList());
    assertEquals(2, relocations.count(Symbol.KI_USER_SHARED_DATA64));
    assertEquals(2, relocations.count(Symbol.ADDRESS));
    assertEquals(new AddressUse(0x1010, Relocations.DIR64, 0), fixups(image).getFirst());
  }

  @Test
  void anUnknownSymbolIsNamedAndNotRead() {
    PeImage image =
        image(
            MachineType.AMD64,
            table(1, list(1, 8, 99, new byte[] {1, 2, 3}), list(1, 8, 5, new byte[0])));
    DynamicRelocations relocations = DynamicRelocations.of(image);
    assertEquals(Symbol.UNKNOWN, relocations.lists().getFirst().kind());
    assertEquals(3, relocations.lists().getFirst().size());
    assertEquals(Symbol.GUARD_SWITCHTABLE_BRANCH, relocations.lists().get(1).kind());
    assertEquals(List.of(), fixups(image));
    assertEquals(List.of(), image.gaps());
  }

  @Test
  void symbolsOf32BitImagesHave32Bits() {
    byte[] uses = block(0x1000, new LittleEndian().u16(0x3020));
    PeImage image = image(MachineType.I386, table(1, list(1, 4, 0x7FFE_0000L, uses)));
    assertEquals(
        Symbol.MM_SHARED_USER_DATA_VA, DynamicRelocations.of(image).lists().getFirst().kind());
    assertEquals(List.of(new AddressUse(0x1020, Relocations.HIGHLOW, 0)), fixups(image));
  }

  @Test
  void thePointerCountsBeforeTheSection() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .loadConfig(0x118)
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE, "table")
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_SECTION, 1);
    library.code().fill(16, 0xCC);
    library
        .constants()
        .label("table")
        .bytes(table(1, list(1, 8, 5, block(0x1000, new LittleEndian().u16(0x2004)))));
    PeBuilder.Built built = library.build();
    PeImage image = BuiltImages.image(built);
    assertEquals(built.rva("table"), DynamicRelocations.of(image).rva());
    assertEquals(List.of(new SwitchBranch(0x1004, 2)), fixups(image));
  }

  @ParameterizedTest
  @CsvSource({"3, 1", "9, 1", "1, 3"})
  void damageIsAGapAndTheDataBeforeItIsRead(int version, long words) {
    byte[] good = block(0x1000, new LittleEndian().u16(0x2004));
    byte[] bad = new LittleEndian().u32(0x2000).u32(words).u64(-1).toByteArray();
    LittleEndian body = new LittleEndian().bytes(good).bytes(bad);
    PeImage image = image(MachineType.AMD64, table(version, list(1, 8, 5, body.toByteArray())));
    assertEquals(version == 1 ? 1 : 0, fixups(image).size());
    assertEquals(1, image.gaps().size());
  }

  @Test
  void aTableThatIsCutIsReadUpToThere() {
    byte[] whole =
        table(
            1,
            list(1, 8, 5, block(0x1000, new LittleEndian().u16(0x2004))),
            list(1, 8, 7, overrides()));
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, whole.length);
      Arrays.fill(cut, length, cut.length, (byte) 0xFF);
      PeImage image = image(MachineType.AMD64, cut);
      List<DynamicFixup> found = fixups(image);
      assertTrue(found.size() <= 3, "cut at " + length);
      if (length >= 8 + 12 + 12) {
        assertEquals(new SwitchBranch(0x1004, 2), found.getFirst());
      }
    }
  }
}
