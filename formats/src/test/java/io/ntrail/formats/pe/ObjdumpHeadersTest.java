package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.ObjdumpPrivate;
import io.ntrail.testkit.pe.ObjdumpPrivate.Leaf;
import io.ntrail.testkit.pe.ToolOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every number of the optional header that objdump prints is read from the image; it has some that
 * llvm-readobj leaves out, such as the checksum.
 */
class ObjdumpHeadersTest {
  /**
   * Differences between objdump 2.40 and the bytes: it takes the directories of impbyord.exe for
   * missing, whose optional header reaches over the end of what it reads.
   */
  private static final Set<String> WITHOUT_DIRECTORIES = Set.of("impbyord.exe");

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @CsvSource({"windows,16", "eh,89", "flags,35", "toolchains,36"})
  void whatObjdumpPrintsIsWhatIsRead(String group, int images) throws IOException {
    Differences differences = new Differences();
    ToolOutput.forEach(
        "objdump-p-" + group + ".txt.gz",
        output -> {
          if (output.status() == 0) {
            compare(
                ObjdumpPrivate.parse(output),
                SampleImages.open(group, output.name()),
                differences.image(output.name()));
          }
        });
    assertEquals("", String.join("\n", differences.found()));
    assertTrue(differences.compared() >= images * 30L, () -> "compared " + differences.compared());
  }

  /** objdump stops before the last of some images; what it prints is in order. */
  @ParameterizedTest
  @CsvSource({"windows,270", "eh,75", "flags,10", "toolchains,35"})
  void everyResourceThatObjdumpPrintsIsFound(String group, int resources) throws IOException {
    Differences differences = new Differences();
    int[] count = new int[1];
    ToolOutput.forEach(
        "objdump-p-" + group + ".txt.gz",
        output -> {
          if (output.status() == 0) {
            List<Leaf> told = ObjdumpPrivate.parse(output).resources();
            List<Leaf> read = new ArrayList<>();
            collect(Resources.of(SampleImages.open(group, output.name())).entries(), read);
            count[0] += told.size();
            differences
                .image(output.name())
                .part("resources")
                .same("leaves", told, read.subList(0, Math.min(told.size(), read.size())));
          }
        });
    assertEquals("", String.join("\n", differences.found()));
    assertTrue(count[0] > resources, () -> "compared " + count[0]);
  }

  private static void collect(List<Resources.Entry> entries, List<Leaf> leaves) {
    for (Resources.Entry entry : entries) {
      Resources.Data data = entry.data();
      if (data != null) {
        leaves.add(new Leaf(data.rva(), data.size(), data.codePage()));
      }
      collect(entry.entries(), leaves);
    }
  }

  private static void compare(ObjdumpPrivate told, PeImage image, Differences differences) {
    differences.part("header");
    PeHeaders read = image.headers();
    Map<String, Long> fields =
        Map.ofEntries(
            Map.entry("Magic", (long) read.magic()),
            Map.entry("MajorLinkerVersion", (long) read.linkerMajor()),
            Map.entry("MinorLinkerVersion", (long) read.linkerMinor()),
            Map.entry("SizeOfCode", read.sizeOfCode()),
            Map.entry("SizeOfInitializedData", read.sizeOfInitializedData()),
            Map.entry("SizeOfUninitializedData", read.sizeOfUninitializedData()),
            Map.entry("AddressOfEntryPoint", read.entryPoint()),
            Map.entry("BaseOfCode", read.baseOfCode()),
            Map.entry("BaseOfData", read.baseOfData()),
            Map.entry("ImageBase", read.imageBase()),
            Map.entry("SectionAlignment", read.sectionAlignment()),
            Map.entry("FileAlignment", read.fileAlignment()),
            Map.entry("MajorOSystemVersion", (long) read.osMajor()),
            Map.entry("MinorOSystemVersion", (long) read.osMinor()),
            Map.entry("MajorImageVersion", (long) read.imageMajor()),
            Map.entry("MinorImageVersion", (long) read.imageMinor()),
            Map.entry("MajorSubsystemVersion", (long) read.subsystemMajor()),
            Map.entry("MinorSubsystemVersion", (long) read.subsystemMinor()),
            Map.entry("Win32Version", read.win32Version()),
            Map.entry("SizeOfImage", read.sizeOfImage()),
            Map.entry("SizeOfHeaders", read.sizeOfHeaders()),
            Map.entry("CheckSum", read.checksum()),
            Map.entry("Subsystem", (long) read.subsystem()),
            Map.entry("DllCharacteristics", (long) read.dllCharacteristics()),
            Map.entry("SizeOfStackReserve", read.stackReserve()),
            Map.entry("SizeOfStackCommit", read.stackCommit()),
            Map.entry("SizeOfHeapReserve", read.heapReserve()),
            Map.entry("SizeOfHeapCommit", read.heapCommit()),
            Map.entry("LoaderFlags", read.loaderFlags()),
            Map.entry("NumberOfRvaAndSizes", read.directoryCount()));
    fields.forEach((name, value) -> {
      Long number = told.header().get(name);
      if (number != null || !name.equals("BaseOfData")) {
        differences.same(name, number, value);
      }
    });
    differences.part("directories");
    if (WITHOUT_DIRECTORIES.contains(image.name().substring(image.name().indexOf('/') + 1))) {
      return;
    }
    List<ObjdumpPrivate.Directory> directories =
        read.directories().stream()
            .map(range -> new ObjdumpPrivate.Directory(range.rva(), range.size()))
            .toList();
    differences.same("all", told.directories(), directories);
  }
}
