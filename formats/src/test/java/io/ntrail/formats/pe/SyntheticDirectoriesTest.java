package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.identity.FileVersion;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.formats.pe.fixups.DynamicRelocations;
import io.ntrail.formats.pe.fixups.Relocations;
import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that no real image at hand has, and damaged ones. */
class SyntheticDirectoriesTest {
  @Test
  void everyTypeOfRelocationIsRead() {
    PeBuilder library = PeBuilder.library(MachineType.ARMNT);
    PeSectionContent data = library.data();
    for (int type = 1; type < 16; type++) {
      if (type == Relocations.HIGHADJ) {
        data.highAdjusted(-2);
      } else {
        data.relocation(type);
      }
      data.u64(0);
    }
    PeImage image = BuiltImages.image(library);
    List<String> found = new ArrayList<>();
    Relocations relocations = Relocations.of(image);
    relocations.forEach((rva, type, low) ->
        found.add(
            Long.toHexString(rva)
                + " "
                + Relocations.typeName(image.headers().machine(), type)
                + (low == 0 ? "" : " " + low)));
    assertEquals(
        List.of(
            "1000 HIGH",
            "1008 LOW",
            "1010 HIGHLOW",
            "1018 HIGHADJ -2",
            "1020 ARM_MOV32",
            "1028 RESERVED",
            "1030 THUMB_MOV32",
            "1038 MACHINE_SPECIFIC_8",
            "1040 MACHINE_SPECIFIC_9",
            "1048 DIR64",
            "1050 11",
            "1058 12",
            "1060 13",
            "1068 14",
            "1070 15"),
        found);
    assertEquals(15, relocations.count());
    assertEquals(1, relocations.blocks());
    assertEquals(List.of(), image.gaps());
  }

  @ParameterizedTest
  @CsvSource({
    "0x1C0, 5, ARM_MOV32",
    "0x166, 5, MIPS_JMPADDR",
    "0x166, 9, MIPS_JMPADDR16",
    "0x5064, 5, RISCV_HIGH20",
    "0x5064, 7, RISCV_LOW12I",
    "0x5064, 8, RISCV_LOW12S",
    "0x6264, 8, LOONGARCH_MARK_LA",
    "0x200, 9, IA64_IMM64",
    "0x8664, 5, MACHINE_SPECIFIC_5"
  })
  void typesFiveSevenEightAndNineAreNamedByTheMachine(String machine, int type, String name) {
    assertEquals(name, Relocations.typeName(Integer.decode(machine), type));
  }

  /** One operand of a type, before and after the image moved by 12345000h. */
  @ParameterizedTest
  @CsvSource({
    "0x14C, 1, 0100, 3512",
    "0x14C, 2, 0100, 0150",
    "0x14C, 3, 78563412, 78A66824",
    "0x8664, 10, F0DEBC9A78563412, F02EF1AC78563412",
    "0x14C, 4, 0100, 3612",
    // jal 0040_0000 >> 2
    "0x166, 5, 0000100C, 00149D0C",
    // movw r0, #5678h; movt r0, #1234h
    "0x1C0, 5, 780605E3340241E3, 78060AE3680442E3",
    // The same in Thumb.
    "0x1C4, 7, 45F27860C1F23420, 4AF27860C2F26840"
  })
  void operandsMoveWithTheImage(String machine, int type, String before, String after) {
    PeBuilder library = PeBuilder.library(Integer.decode(machine));
    PeSectionContent data = library.data();
    if (type == Relocations.HIGHADJ) {
      data.highAdjusted(0x3000);
    } else {
      data.relocation(type);
    }
    byte[] bytes = HexFormat.of().parseHex(before);
    data.bytes(bytes).u64(-1);
    PeImage image = BuiltImages.image(library);
    var moved = Relocations.of(image).relocated(0x1000, bytes.length, 0x1234_5000);
    assertEquals(
        after, HexFormat.of().withUpperCase().formatHex(moved.bytes().array(0, bytes.length)));
    assertEquals(1, moved.changed());
    assertEquals(0, moved.unknown());
  }

  @Test
  void aBlockOfNonsenseEndsTheTable() {
    PeBuilder library = PeBuilder.library(MachineType.I386).fixed();
    library
        .data()
        .label("relocations")
        .u32(0x1000)
        .u32(12)
        .u16(0x3004)
        .u16(0)
        .u32(0x1000)
        .u32(7)
        .u64(0);
    library.directory(DataDirectory.BASE_RELOCATION, "relocations", 28);
    PeImage image = BuiltImages.image(library);
    Relocations relocations = Relocations.of(image);
    assertEquals(1, relocations.count());
    assertEquals(1, image.gaps().size());
    assertEquals("base relocations", image.gaps().getFirst().what());
  }

  @ParameterizedTest
  @CsvSource({"0x1000, 0x2000", "0x2000, 0x1000", "0x1000, 0x1000"})
  void blocksCountInAnyOrderOfPages(String first, String second) {
    PeBuilder library = PeBuilder.library(MachineType.I386).fixed();
    library.code().reserve(0x1800);
    library.data().label("relocations");
    for (String page : List.of(first, second)) {
      library.data().u32(Integer.decode(page)).u32(12).u16(0x3004).u16(0);
    }
    library.directory(DataDirectory.BASE_RELOCATION, "relocations", 24);
    Relocations relocations = Relocations.of(BuiltImages.image(library));
    long times = first.equals(second) ? 2 : 1;
    assertEquals(times * 0x10, relocations.relocated(0x1004, 4, 0x10).bytes().u32(0));
    assertEquals(2, relocations.blocks());
    assertTrue(relocations.reach(0x1007, 1));
    // Of a table that is out of order it is not known.
    assertEquals(first.equals("0x1000") && times == 1, !relocations.reach(0x4000, 4));
  }

  @Test
  void aBlockForAPageThatIsNotThereIsAGap() {
    PeBuilder library = PeBuilder.library(MachineType.I386).fixed();
    library
        .data()
        .label("relocations")
        .u32(0x7000_0000)
        .u32(12)
        .u16(0x3004)
        .u16(0)
        .u32(0x1000)
        .u32(10)
        .u16(0x3008)
        .u16(0);
    library.directory(DataDirectory.BASE_RELOCATION, "relocations", 22);
    PeImage image = BuiltImages.image(library);
    assertEquals(2, Relocations.of(image).count());
    assertTrue(image.gaps().getFirst().why().contains("0x70000000"));
  }

  @Test
  void aTableOfGigabytesOfZerosIsReadAtOnce() {
    PeBuilder library = PeBuilder.library(MachineType.I386).fixed();
    library.data().label("relocations").u32(0x1000).u32(8).reserve(0x7000_0000);
    library.directory(DataDirectory.BASE_RELOCATION, "relocations", 0xFFFF_FFFFL);
    PeImage image = BuiltImages.image(library);
    assertEquals(1, Relocations.of(image).blocks());
  }

  @ParameterizedTest
  @CsvSource({
    "0x14C, 0x40",
    "0x14C, 0x48",
    "0x14C, 0x5C",
    "0x14C, 0x98",
    "0x14C, 0xA0",
    "0x14C, 0xA4",
    "0x14C, 0xB8",
    "0x14C, 0xBC",
    "0x14C, 0xC0",
    "0x8664, 0x70",
    "0x8664, 0x94",
    "0x8664, 0xD0",
    "0x8664, 0x100",
    "0x8664, 0x108",
    "0x8664, 0x118",
    "0x8664, 0x130",
    "0x8664, 0x138",
    "0x8664, 0x140",
    "0x8664, 0x148"
  })
  void aLoadConfigurationOfAnySizeHasTheFieldsThatFit(String machine, String size) {
    boolean wide = machine.equals("0x8664");
    PeBuilder library = PeBuilder.library(Integer.decode(machine)).loadConfig(Integer.decode(size));
    for (LoadConfig.Field field : LoadConfig.Field.values()) {
      if (field != LoadConfig.Field.SIZE) {
        library.configure(field, field.ordinal());
      }
    }
    LoadConfig config = LoadConfig.of(BuiltImages.image(library)).orElseThrow();
    for (LoadConfig.Field field : LoadConfig.Field.values()) {
      boolean fits = field.at(wide) + field.width(wide) <= Integer.decode(size);
      assertEquals(fits, config.has(field), field.name());
      if (field != LoadConfig.Field.SIZE) {
        assertEquals(fits ? field.ordinal() : 0, config.value(field), field.name());
      }
    }
    assertEquals(Integer.decode(size).longValue(), config.value(LoadConfig.Field.SIZE));
  }

  @Test
  void callbacksOfThreadsAreListed() {
    PeBuilder.Built built = BuiltImages.everything(MachineType.I386).build();
    Tls tls = Tls.of(BuiltImages.image(built)).orElseThrow();
    assertEquals(List.of(built.rva("alpha"), built.rva("beta")), tls.callbacks());
    assertEquals(built.rva("tls.begin"), tls.begin());
    assertEquals(built.rva("tls.end"), tls.end());
    assertEquals(built.rva("tls.index"), tls.index());
    assertEquals(64, tls.zeroFill());
  }

  @Test
  void aListOfCallbacksWithoutEndIsAGap() {
    PeBuilder library = PeBuilder.library(MachineType.I386).fixed();
    library.data().label("tls").u32(0).u32(0).u32(0).address("list").u64(0);
    library.data().align(0x1000, 0x41).fill(0xF00, 0x41).label("list").fill(0x100, 0x41);
    library.directory(DataDirectory.TLS, "tls", 24);
    PeImage image = BuiltImages.image(library);
    assertEquals(64, Tls.of(image).orElseThrow().callbacks().size());
    assertEquals(1, image.gaps().size());
  }

  @Test
  void resourcesAreATreeOfTypesNamesAndLanguages() {
    PeImage image = BuiltImages.image(BuiltImages.everything(MachineType.AMD64));
    Resources resources = Resources.of(image);
    assertEquals(3, resources.count());
    assertEquals(
        List.of("KIND", "RCDATA"), resources.entries().stream().map(Resources::typeName).toList());
    Resources.Entry named = resources.type(10).orElseThrow().entries().getFirst();
    assertEquals("NAMED", named.text());
    assertEquals(0x407, named.entries().getFirst().id());
    Resources.Data data = named.entries().getFirst().data();
    assertEquals("Text", data == null ? "" : data.bytes(image).latin1z(0, 4));
  }

  @Test
  void aTreeOfResourcesThatContainsItselfEnds() {
    PeBuilder library = PeBuilder.library(MachineType.AMD64);
    PeSectionContent part = library.section(".rsrc", 0x4000_0040).label("root");
    // 2,000 entries that all lead back to the root.
    part.u32(0).u32(0).u32(0).u16(0).u16(2000);
    for (int i = 0; i < 2000; i++) {
      part.u32(i).u32(0x8000_0000L);
    }
    library.directory(DataDirectory.RESOURCE, "root", 16 + 8 * 2000);
    PeImage image = BuiltImages.image(library);
    Resources resources = Resources.of(image);
    assertEquals(0, resources.count());
    assertEquals(1, image.gaps().size());
  }

  @Test
  void aTreeOfResourcesWithMoreBranchesThanBytesIsLimited() {
    PeBuilder library = PeBuilder.library(MachineType.AMD64);
    PeSectionContent part = library.section(".rsrc", 0x4000_0040).label("root");
    int size = 16 + 8 * 1000;
    for (int level = 0; level < 3; level++) {
      part.u32(0).u32(0).u32(0).u16(0).u16(1000);
      for (int i = 0; i < 1000; i++) {
        part.u32(i).u32(level < 2 ? 0x8000_0000L + (level + 1L) * size : 0);
      }
    }
    library.directory(DataDirectory.RESOURCE, "root", 3L * size);
    PeImage image = BuiltImages.image(library);
    assertTrue(Resources.of(image).count() <= 65_536);
    assertFalse(image.gaps().isEmpty());
  }

  @Test
  void hotPatchTablesNameTheImagesThatTheyAreFor() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .loadConfig(0x140)
            .configure(LoadConfig.Field.HOT_PATCH_TABLE_OFFSET, "patch");
    library
        .constants()
        .align(8)
        .label("patch")
        .u32(4)
        .u32(36 + 2 * 32)
        .u32(11)
        .u32(36)
        .u32(2)
        .u32(0x100)
        .u32(0x200)
        .u32(10)
        .u32(1)
        .u32(11)
        .u32(0x13)
        .u32(0x5F00_0000)
        .u32(0x1_2345)
        .u32(0x300)
        .u32(52)
        .u32(0x400)
        .u32(0x500)
        .u32(11)
        .u32(4)
        .fill(24, 0);
    PeImage image = BuiltImages.image(library);
    HotPatchTables tables = HotPatchTables.of(image).orElseThrow();
    assertEquals(List.of(), image.gaps());
    assertEquals(11, tables.sequence());
    assertEquals(10, tables.minimumSequence());
    assertEquals(0x200, tables.extraPatchSize());
    HotPatchTables.Base base = tables.bases().getFirst();
    assertEquals(
        new HotPatchTables.Base(11, 0x13, 0x5F00_0000, 0x1_2345, 0x300, 52, 0x400, 0x500), base);
    assertTrue(base.isObligatory() && base.canBeUndone());
    assertEquals(MachineType.AMD64, base.machine());
    assertEquals(MachineType.I386, tables.bases().get(1).machine());
  }

  @Test
  void aChunkOfAHotPatchIsTakenApart() {
    assertEquals(
        new HotPatchTables.Chunk(HotPatchTables.Kind.REL32, true, false, true, true, 0x14),
        HotPatchTables.Chunk.of(0x8003_C014));
    assertEquals(
        new HotPatchTables.Chunk(HotPatchTables.Kind.DYNAMIC_VALUE, false, true, true, false, 8),
        HotPatchTables.Chunk.of(0x4007_8008));
    assertEquals(HotPatchTables.Kind.UNKNOWN, HotPatchTables.Chunk.of(0x8_0000).kind());
  }

  @Test
  void anEnclaveNamesItsLibraries() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .loadConfig(0x118)
            .configure(LoadConfig.Field.ENCLAVE_CONFIGURATION_POINTER, "enclave");
    byte[] family = new LittleEndian().guid(new UUID(1, 2)).toByteArray();
    byte[] program = new LittleEndian().guid(new UUID(3, 4)).toByteArray();
    library
        .constants()
        .label("enclave")
        .u32(0x50)
        .u32(0x50)
        .u32(EnclaveConfiguration.DEBUGGABLE)
        .u32(1)
        .rva("enclave.imports")
        .u32(80)
        .bytes(family)
        .bytes(program)
        .u32(5)
        .u32(6)
        .u64(0x1000_0000)
        .u32(2)
        .u32(EnclaveConfiguration.PRIMARY)
        .label("enclave.imports")
        .u32(4)
        .u32(9)
        .fill(32, 0xAB)
        .bytes(family)
        .bytes(program)
        .rva("enclave.name")
        .u32(0)
        .label("enclave.name")
        .text("vertdll.dll");
    PeImage image = BuiltImages.image(library);
    EnclaveConfiguration enclave = EnclaveConfiguration.of(image).orElseThrow();
    assertEquals(List.of(), image.gaps());
    assertEquals(Guid.parse("00000000-0000-0001-0000-000000000002"), enclave.family());
    assertEquals(Guid.parse("00000000-0000-0003-0000-000000000004"), enclave.imageId());
    assertEquals(0x1000_0000, enclave.size());
    assertEquals(2, enclave.threads());
    assertEquals(5, enclave.imageVersion());
    assertEquals("vertdll.dll", enclave.imports().getFirst().name());
    assertEquals(9, enclave.imports().getFirst().minimumSecurityVersion());
  }

  @Test
  void codeCompiledForOneRuntimeIsRecognisedByItsSignature() {
    PeBuilder library = PeBuilder.library(MachineType.AMD64);
    library
        .constants()
        .label("clr")
        .u32(72)
        .u16(2)
        .u16(5)
        .rva("metadata")
        .u32(32)
        .u32(ClrHeader.IL_LIBRARY)
        .fill(44, 0)
        .rva("native")
        .u32(16)
        .label("metadata")
        .u32(0x424A_5342)
        .u64(0)
        .u32(12)
        .text("v4.0.30319")
        .label("native")
        .u32(0x0045_474E)
        .fill(12, 0);
    library.directory(DataDirectory.CLR, "clr", 72);
    PeImage image = BuiltImages.image(library);
    ClrHeader header = ClrHeader.of(image).orElseThrow();
    assertEquals(ClrHeader.Code.NGEN, header.code());
    assertEquals("v4.0.30319", header.runtime());
  }

  @Test
  void aLibraryWithEverythingRareIsReadWhole() {
    PeImage image = BuiltImages.image(BuiltImages.special());
    AllDirectories.read(image);
    assertEquals(List.of(), image.gaps().stream().map(Gap::toString).toList());
    assertEquals(4, DynamicRelocations.of(image).lists().size());
    VersionInfo version = VersionInfo.of(image).orElseThrow();
    VersionInfo.Numbers numbers = version.numbers();
    assertEquals("1.2.3.4", FileVersion.text(numbers == null ? 0 : numbers.fileVersion()));
    assertEquals("5.6.7.8", FileVersion.text(numbers == null ? 0 : numbers.productVersion()));
    assertEquals(Optional.of("hello"), version.text("Comment"));
    assertEquals(List.of(new VersionInfo.Translation(0x409, 0x4B0)), version.translations());
  }

  @Test
  void certificatesAndOverlayAreKeptApart() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .overlay(new byte[100])
            .certificate(new byte[] {0x30, (byte) 0x82, 1})
            .certificate(new byte[16]);
    library.code().code(0xC3);
    PeImage image = BuiltImages.image(library);
    Certificates certificates = Certificates.of(image);
    assertEquals(List.of(), image.gaps());
    assertEquals(2, certificates.list().size());
    assertArrayEquals(
        new byte[] {0x30, (byte) 0x82, 1},
        certificates.list().getFirst().content(image.file().orElseThrow()).array(0, 3));
    // The certificates begin at a multiple of eight, of which the bytes before are overlay.
    assertEquals(104, Overlay.of(image).size());
    assertTrue(Checksum.isRight(image));
  }

  @Test
  void aRichHeaderOfAnotherImageIsFound() {
    int key = 0x1234_5678;
    LittleEndian rich = new LittleEndian().u32(0x536E_6144 ^ key).u32(key).u32(key).u32(key);
    rich.u32(0x0104_7809 ^ key).u32(7 ^ key).u32(0x6863_6952).u32(key);
    RichHeader header =
        RichHeader.of(
                BuiltImages.image(PeBuilder.library(MachineType.I386).rich(rich.toByteArray())))
            .orElseThrow();
    assertEquals(0x80, header.offset());
    assertEquals(List.of(new RichHeader.Entry(0x104, 0x7809, 7)), header.entries());
    assertFalse(header.isGenuine());
    long genuine = header.computed();
    LittleEndian right = new LittleEndian();
    int good = (int) genuine;
    right.u32(0x536E_6144 ^ good).u32(good).u32(good).u32(good);
    right.u32(0x0104_7809 ^ good).u32(7 ^ good).u32(0x6863_6952).u32(good);
    assertTrue(
        RichHeader.of(
                BuiltImages.image(PeBuilder.library(MachineType.I386).rich(right.toByteArray())))
            .orElseThrow()
            .isGenuine());
  }

  @ParameterizedTest
  @ValueSource(ints = {MachineType.I386, MachineType.AMD64})
  void anImageWithoutDirectoriesHasNone(int machine) {
    PeBuilder library = PeBuilder.library(machine);
    library.code().code(0xC3);
    PeImage image = BuiltImages.image(library);
    assertEquals(0, Relocations.of(image).count());
    assertEquals(List.of(), DynamicRelocations.of(image).lists());
    assertEquals(Optional.empty(), Tls.of(image));
    assertEquals(List.of(), Resources.of(image).entries());
    assertEquals(Optional.empty(), VersionInfo.of(image));
    assertEquals(Optional.empty(), RichHeader.of(image));
    assertEquals(List.of(), Certificates.of(image).list());
    assertEquals(Optional.empty(), ClrHeader.of(image));
    assertEquals(Optional.empty(), HybridMetadata.of(image));
    assertEquals(Optional.empty(), HotPatchTables.of(image));
    assertEquals(Optional.empty(), EnclaveConfiguration.of(image));
    assertEquals(Optional.empty(), VolatileMetadata.of(image));
    assertEquals(List.of(), image.gaps());
  }
}
