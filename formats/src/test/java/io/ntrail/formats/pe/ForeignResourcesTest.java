package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The leaves of the resource tree of real images, against llvm-readobj. */
class ForeignResourcesTest {
  private static final ExternalTool READOBJ =
      ExternalTool.of("llvm", "llvm-readobj-14", "llvm-readobj");
  private static final Pattern LEAF =
      Pattern.compile("Language: \\(ID (\\d+)\\)|DataRVA: 0x([0-9A-F]+)|DataSize: (\\d+)");

  @TempDir Path folder;

  private static void leaves(List<Resources.Entry> entries, List<String> found) {
    for (Resources.Entry entry : entries) {
      Resources.Data data = entry.data();
      if (data != null) {
        found.add(String.format(Locale.ROOT, "%d %X %d", entry.id(), data.rva(), data.size()));
      }
      leaves(entry.entries(), found);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "windows/kernel32.dll",
        "windows/IEAdvpack.dll",
        "windows/acpi.sys",
        "windows/PSCRIPT5.DLL",
        "windows/mfc40u.dll",
        "windows/pspluginwkr.dll",
        "toolchains/object-resource.exe",
        "toolchains/wix311-bootstrapper-x86.exe"
      })
  void areThoseThatLlvmPrints(String name) throws IOException, InterruptedException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(READOBJ.available(), READOBJ.missing());
    byte[] bytes = StoredImages.bytes(name);
    Path file = Files.write(folder.resolve("image.dll"), bytes);
    String text = READOBJ.run(folder, Map.of(), "--coff-resources", file.toString()).output();
    List<String> expected = new ArrayList<>();
    String leaf = "";
    Matcher matcher = LEAF.matcher(text);
    while (matcher.find()) {
      if (matcher.group(1) != null) {
        leaf = matcher.group(1);
      } else if (matcher.group(2) != null) {
        leaf += " " + matcher.group(2);
      } else {
        expected.add(leaf + " " + matcher.group(3));
      }
    }
    PeImage image = StoredImages.image(bytes, name);
    List<String> found = new ArrayList<>();
    leaves(Resources.of(image).entries(), found);
    assertEquals(expected, found);
    assertEquals(List.of(), image.gaps());
  }
}
