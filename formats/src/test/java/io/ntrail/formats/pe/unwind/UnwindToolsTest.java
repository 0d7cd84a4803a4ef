package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.Differences;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.SampleImages;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.ObjdumpPrivate;
import io.ntrail.testkit.pe.ReadobjUnwind;
import io.ntrail.testkit.pe.ToolFunction;
import io.ntrail.testkit.pe.ToolOutput;
import io.ntrail.testkit.pe.ToolUnwind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unwind data are read as llvm-readobj and objdump decode them, code by code. */
class UnwindToolsTest {
  /**
   * Both tools take a section named .pdata for the table, whatever the directory says: a native
   * image of .NET has none of that name, and in an ARM64EC image it is the table of its ARM64 code.
   */
  private static final Set<String> OTHER_SECTION =
      Set.of("ngen-BinSkim.win-x64.ni.dll", "BA2025-NotApplicable-ARM64EC_rust_notApplicable.exe");

  /**
   * Linked incrementally: the section begins with room for more, whose zeros readobj prints as rows
   * and objdump takes for the end.
   */
  private static final Set<String> BEGINS_WITH_ZEROS =
      Set.of(
          "BA2008-Fail-Native_x64_VS2015_Default.dll",
          "BA2025-Fail-Native_x64_CETShadowStack_Disabled.exe",
          "BA2025-Pass-Native_x64_CETShadowStack_Enabled.exe",
          "vs2019-Native_x64_debug.dll");

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  /** Only images whose unwind data are of version 1: on others llvm-readobj 14 crashes. */
  @ParameterizedTest
  @CsvSource({"windows,4200", "eh,9800", "flags,550", "toolchains,5600"})
  void everyFunctionIsReadAsReadobjDecodesIt(String group, int functions) throws IOException {
    Differences differences = new Differences();
    ToolOutput.forEach(
        "readobj-unwind-" + group + ".txt.gz",
        output -> {
          PeImage image = SampleImages.open(group, output.name());
          long base = image.headers().imageBase();
          differences.image(output.name()).part("function table");
          if (!OTHER_SECTION.contains(output.name())) {
            List<ToolFunction> rows =
                ReadobjUnwind.table(output, base).stream().filter(row -> row.begin() > 0).toList();
            differences.same("rows", rows, ToolUnwinds.table(FunctionTable.of(image)));
          }
          differences.part("unwind info");
          for (ToolUnwind told : ReadobjUnwind.parse(output, base)) {
            compare(told, image, differences);
          }
        });
    assertEquals("", String.join("\n", differences.found()));
    assertTrue(differences.compared() > functions, () -> "compared " + differences.compared());
  }

  @ParameterizedTest
  @CsvSource({"windows,6600", "eh,8500", "flags,270", "toolchains,15400"})
  void everyFunctionIsReadAsObjdumpDecodesIt(String group, int functions) throws IOException {
    Differences differences = new Differences();
    ToolOutput.forEach(
        "objdump-p-" + group + ".txt.gz",
        output -> {
          ObjdumpPrivate told = ObjdumpPrivate.parse(output);
          if (output.status() != 0) {
            return;
          }
          PeImage image = SampleImages.open(group, output.name());
          differences.image(output.name()).part("function table");
          if (BEGINS_WITH_ZEROS.contains(output.name())) {
            differences.same("rows", List.of(), told.table());
          } else if (OTHER_SECTION.contains(output.name())) {
            return;
          } else {
            differences.same("rows", told.table(), ToolUnwinds.table(FunctionTable.of(image)));
          }
          differences.part("unwind info");
          for (ToolUnwind info : told.unwind()) {
            compare(info, image, differences);
          }
        });
    assertEquals("", String.join("\n", differences.found()));
    assertTrue(differences.compared() > functions, () -> "compared " + differences.compared());
  }

  private static void compare(ToolUnwind told, PeImage image, Differences differences) {
    ToolFunction function = new ToolFunction(told.begin(), told.end(), told.at());
    differences.same(
        "at 0x" + Long.toHexString(told.at()), told, ToolUnwinds.unwind(image.view(), function));
  }
}
