package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.fixups.Relocations;
import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Tables of which a part was overwritten: rows that are lost are said, padding is none of them. */
class LostRowsTest {
  private static final int DESCRIPTOR = 20;

  private final byte[] file = library();

  private static byte[] library() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .imports("first.dll", "One")
            .imports("second.dll", "Two")
            .imports("third.dll", "Three");
    library.code().label("code").code(0xC3);
    for (int page = 0; page < 4; page++) {
      library.data().align(8).address("code").fill(0x1000, 1);
    }
    return library.build().file();
  }

  private PeImage image() {
    return PeImage.ofFile(InputFile.of(file, "lost.dll"));
  }

  /** Returns the place of a table in the file. */
  private int at(DataDirectory directory) {
    PeImage image = image();
    return (int) image.view().offset(image.directory(directory).rva());
  }

  private static List<String> reasons(PeImage image) {
    return image.gaps().stream().map(Gap::why).toList();
  }

  @Test
  void aTableThatIsWholeHasNoGap() {
    PeImage image = image();
    assertEquals(3, Imports.of(image).modules().size());
    assertEquals(4, Relocations.of(image).count(Relocations.DIR64));
    assertEquals(List.of(), reasons(image));
  }

  @Test
  void modulesBehindADescriptorOfZerosAreAGap() {
    int second = at(DataDirectory.IMPORT) + DESCRIPTOR;
    Arrays.fill(file, second, second + DESCRIPTOR, (byte) 0);
    PeImage image = image();
    assertEquals(1, Imports.of(image).modules().size());
    assertEquals(
        List.of("the list ends before 1 more modules that the directory names"), reasons(image));
  }

  @Test
  void relocationsBehindZerosAreAGap() {
    int first = at(DataDirectory.BASE_RELOCATION);
    int second = first + file[first + 4];
    Arrays.fill(file, second, second + 8, (byte) 0);
    PeImage image = image();
    assertEquals(1, Relocations.of(image).count(Relocations.DIR64));
    assertEquals(List.of("zeros in place of a block, with others behind them"), reasons(image));
  }

  @Test
  void zerosThatPadTheRelocationsAreNoGap() {
    int first = at(DataDirectory.BASE_RELOCATION);
    int size = (int) image().directory(DataDirectory.BASE_RELOCATION).size();
    int second = first + file[first + 4];
    Arrays.fill(file, second, first + size, (byte) 0);
    PeImage image = image();
    assertEquals(1, Relocations.of(image).count(Relocations.DIR64));
    assertEquals(List.of(), reasons(image));
  }

  @Test
  void zerosOfMoreThanTheAlignmentOfTheFileAreLostRelocations() {
    PeBuilder library = PeBuilder.library(MachineType.AMD64);
    library.code().label("code").code(0xC3);
    for (int i = 0; i < 1000; i++) {
      library.data().address("code");
    }
    byte[] bytes = library.build().file();
    PeImage whole = PeImage.ofFile(InputFile.of(bytes, "long.dll"));
    assertEquals(1000, Relocations.of(whole).count());
    int at = (int) whole.view().offset(whole.directory(DataDirectory.BASE_RELOCATION).rva());
    int second = at + (int) LittleEndian.getU32(bytes, at + 4);
    Arrays.fill(
        bytes, second, at + (int) whole.directory(DataDirectory.BASE_RELOCATION).size(), (byte) 0);
    PeImage image = PeImage.ofFile(InputFile.of(bytes, "long.dll"));
    assertEquals(512, Relocations.of(image).count());
    assertEquals(List.of("zeros, more than the alignment of the file needs"), reasons(image));
  }

  /** Returns an address table's place in the file, and makes a stamp say that it is bound. */
  private int bound(int descriptor) {
    int at = at(DataDirectory.IMPORT) + descriptor * DESCRIPTOR;
    LittleEndian.putU32(file, at, 0);
    LittleEndian.putU32(file, at + 4, 0x5E00_0000);
    return (int) image().view().offset(LittleEndian.getU32(file, at + 16));
  }

  private static List<String> namesOf(Imports imports, int module) {
    return imports.modules().get(module).symbols().stream().map(Imports.Symbol::name).toList();
  }

  @Test
  void anAddressTableOfNamesIsReadThoughAStampSaysThatItIsBound() {
    bound(1);
    PeImage image = image();
    assertEquals(List.of("Two"), namesOf(Imports.of(image), 1));
    assertEquals(List.of(), reasons(image));
  }

  @Test
  void importsOfWhichThereAreOnlyAddressesAreAGap() {
    LittleEndian.putU32(file, bound(1), 0x7FF0_1234);
    PeImage image = image();
    Imports imports = Imports.of(image);
    assertEquals("second.dll", imports.modules().get(1).name());
    assertEquals(List.of(), namesOf(imports, 1));
    assertEquals(List.of("Three"), namesOf(imports, 2));
    assertEquals(
        List.of("the names of what is imported from this module are not in the image"),
        reasons(image));
  }

  @Test
  @EnabledIf(
      value = "io.ntrail.formats.pe.StoredImages#present",
      disabledReason = "no test data on this machine")
  void ordinalsOfTheSmallestImportsAreReadThoughTheyHaveAStamp() {
    List<Imports.Module> modules =
        Imports.of(
                StoredImages.image(
                    Objects.requireNonNull(StoredImages.corkami().get("imports_tinyXP.exe")),
                    "tiny.exe"))
            .modules();
    assertEquals(
        List.of("kernel32 183", "msvcrt 742"),
        modules.stream()
            .map(module -> module.name() + " " + module.symbols().getFirst().ordinal())
            .toList());
  }

  @Test
  void delayedImportsWithoutNamesAreAGap() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64).delayImports("later.dll", false, "load", "Later");
    library.code().label("load").code(0xC3);
    byte[] bytes = library.build().file();
    PeImage whole = PeImage.ofFile(InputFile.of(bytes, "delayed.dll"));
    long descriptor = whole.directory(DataDirectory.DELAY_IMPORT).rva();
    LittleEndian.putU32(bytes, (int) whole.view().offset(descriptor) + 16, 0);
    PeImage image = PeImage.ofFile(InputFile.of(bytes, "delayed.dll"));
    assertEquals("later.dll", Imports.of(image).modules().getFirst().name());
    assertEquals(
        List.of("the names of what is imported from this module are not in the image"),
        reasons(image));
  }

  private static byte[] debugged() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .pdb(Guid.parse("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708"), 2, "lost.pdb")
            .debug(DebugDirectory.EX_DLLCHARACTERISTICS, new byte[] {1, 0, 0, 0});
    library.code().label("code").code(0xC3);
    return library.build().file();
  }

  /** Returns a library with a debug directory of two entries, at another place and of a size. */
  private static PeImage debuggedAt(long rva, int size) {
    byte[] bytes = debugged();
    PeImage whole = PeImage.ofFile(InputFile.of(bytes, "debug.dll"));
    int row = (int) whole.headers().peOffset() + PeHeaders.FILE_HEADER + 112 + 8 * 6;
    assertEquals(2 * 28, LittleEndian.getU32(bytes, row + 4));
    LittleEndian.putU32(bytes, row, rva == 0 ? LittleEndian.getU32(bytes, row) : rva);
    LittleEndian.putU32(bytes, row + 4, size);
    return PeImage.ofFile(InputFile.of(bytes, "debug.dll"));
  }

  @Test
  void aDebugDirectoryThatIsThereHasAllAnswers() {
    PeImage image = debuggedAt(0, 56);
    DebugDirectory debug = DebugDirectory.of(image);
    assertTrue(debug.isCodeViewKnown() && debug.isExDllCharacteristicsKnown());
    assertEquals(DebugDirectory.CET_COMPAT, debug.exDllCharacteristics());
    assertEquals(List.of(), reasons(image));
  }

  @Test
  void aDebugDirectoryOutsideTheImageIsAGap() {
    PeImage image = debuggedAt(0x7F00_0000, 56);
    DebugDirectory debug = DebugDirectory.of(image);
    assertFalse(debug.isCodeViewKnown() || debug.isExDllCharacteristicsKnown());
    assertEquals(List.of("56 bytes, of which 0 entries of 28 bytes can be read"), reasons(image));
  }

  @Test
  void aDebugDirectoryThatEndsInsideAnEntryIsAGap() {
    for (int size : new int[] {27, 29, 55, 57}) {
      PeImage image = debuggedAt(0, size);
      DebugDirectory debug = DebugDirectory.of(image);
      assertEquals(size >= 28, debug.isCodeViewKnown());
      assertEquals(size >= 56, debug.isExDllCharacteristicsKnown());
      assertEquals(
          List.of(size + " bytes, of which " + size / 28 + " entries of 28 bytes can be read"),
          reasons(image));
    }
  }

  @Test
  void anEntryForAPdbThatNamesNoneIsAGap() {
    byte[] bytes = debugged();
    PeImage whole = PeImage.ofFile(InputFile.of(bytes, "debug.dll"));
    int entry = (int) whole.view().offset(whole.directory(DataDirectory.DEBUG).rva());
    byte[] shortened = bytes.clone();
    LittleEndian.putU32(shortened, entry + 16, 20);
    byte[] moved = bytes.clone();
    LittleEndian.putU32(moved, entry + 24, 0x40);
    for (byte[] damaged : List.of(shortened, moved)) {
      PeImage image = PeImage.ofFile(InputFile.of(damaged, "debug.dll"));
      DebugDirectory debug = DebugDirectory.of(image);
      assertFalse(debug.isCodeViewKnown());
      assertTrue(debug.isExDllCharacteristicsKnown());
      assertEquals(1, reasons(image).size());
      assertTrue(reasons(image).getFirst().endsWith(" bytes of a CODEVIEW entry name no PDB"));
    }
  }

  @Test
  void headersOfAnotherWidthThanTheMachineHasAreAGap() {
    int magic = (int) image().headers().peOffset() + PeHeaders.FILE_HEADER;
    LittleEndian.putU16(file, magic, PeHeaders.PE32);
    assertEquals(
        List.of(
            "those of 32 bits (PE32) for x64, which has others: all that they name may be wrong"),
        reasons(image()));
  }

  @Test
  void relocationsOfAPageThatBeginsBeforeItsSectionAreNoGap() {
    int first = at(DataDirectory.BASE_RELOCATION);
    LittleEndian.putU32(file, first, LittleEndian.getU32(file, first) | 0x7F00_0000L);
    PeImage image = image();
    assertEquals(4, Relocations.of(image).count(Relocations.DIR64));
    assertEquals(1, reasons(image).size());
    // As in images for Linux: the code is at 1200h, after headers of 200h.
    int entry = first + 8;
    LittleEndian.putU32(file, first, 0xF00);
    LittleEndian.putU16(file, entry, Relocations.DIR64 << 12 | 0x100);
    assertEquals(4, Relocations.of(image()).count(Relocations.DIR64));
    assertEquals(List.of(), reasons(image()));
  }
}
