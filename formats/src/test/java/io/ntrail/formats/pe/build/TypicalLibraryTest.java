package io.ntrail.formats.pe.build;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Resources;
import io.ntrail.formats.pe.VersionInfo;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.FunctionTableSummary;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The made-up library, as a reader sees it. */
class TypicalLibraryTest {
  private final PeImage image = PeImage.ofFile(InputFile.of(TypicalLibrary.file(), "typical.dll"));

  @Test
  void itHasWhatLibrariesOfWindowsHaveAndNothingIsDamaged() {
    VersionInfo version = VersionInfo.of(image, Resources.of(image)).orElseThrow();
    assertEquals(Optional.of("A company"), version.text("CompanyName"));
    assertEquals(600, LoadConfig.of(image).orElseThrow().guardFunctions().size());
    assertEquals(42, Exports.of(image).list().size());
    assertEquals(6, Imports.of(image).count());
    FunctionTableSummary functions = FunctionTableSummary.of(image, FunctionTable.of(image));
    assertEquals(1_212, functions.entries());
    assertEquals(12, functions.chained());
    assertEquals(0, functions.damaged());
    assertEquals(List.of(), image.gaps());
  }
}
