package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.testkit.LittleEndian;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Export directories whose three tables do not fit together. */
class LostExportsTest {
  private final byte[] file = library();

  private static byte[] library() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .exports("alpha", "code")
            .exports("beta", "code")
            .forwards("gamma", "NTDLL.Gamma");
    library.code().label("code").code(0xC3);
    return library.build().file();
  }

  private PeImage image() {
    return PeImage.ofFile(InputFile.of(file, "lost.dll"));
  }

  /** Returns the place of a table that the directory names, or of the directory itself. */
  private int at(int field) {
    PeImage image = image();
    long directory = image.directory(DataDirectory.EXPORT).rva();
    return (int) image.view().offset(field == 0 ? directory : image.view().u32(directory + field));
  }

  private static List<String> reasons(PeImage image) {
    return image.gaps().stream().map(Gap::why).toList();
  }

  @Test
  void exportsThatAreWholeHaveNoGap() {
    PeImage image = image();
    assertEquals(3, Exports.of(image).list().size());
    assertEquals(List.of(), reasons(image));
  }

  @Test
  void namesWithoutARowAreAGap() {
    LittleEndian.putU32(file, at(0) + 0x14, 1);
    PeImage image = image();
    assertEquals(1, Exports.of(image).list().size());
    assertEquals(List.of("2 of 3 names belong to no row of the address table"), reasons(image));
  }

  @Test
  void addressesOutsideTheImageAreAGap() {
    LittleEndian.putU32(file, at(0x1C), 0x7FFF_FFFF);
    PeImage image = image();
    assertEquals(3, Exports.of(image).list().size());
    assertEquals(List.of("1 of 3 addresses are outside the image"), reasons(image));
  }

  @Test
  void aNameOfWhichOnlyTheStartIsReadIsAGap() {
    PeBuilder library = PeBuilder.library(MachineType.AMD64).exports("a".repeat(4_097), "code");
    library.exports("b".repeat(4_096), "code").code().label("code").code(0xC3);
    PeImage image = PeImage.ofFile(InputFile.of(library.build().file(), "long.dll"));
    assertEquals(
        List.of("a".repeat(4_096), "b".repeat(4_096)),
        Exports.of(image).list().stream().map(Exports.Export::name).toList());
    assertEquals(List.of("1 are too long: their ends are left out"), reasons(image));
  }
}
