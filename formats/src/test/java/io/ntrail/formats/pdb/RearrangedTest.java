package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Programs of Microsoft that were rearranged after linking. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class RearrangedTest {
  @Test
  void everyRealExportOfUser32LiesWhereItsPublicSymbolIsTranslatedTo() {
    PdbFile pdb = Pdbs.open("win7/user32.pdb");
    PeImage image = PeImage.ofFile(InputFile.of(PdbSamples.bytes("win7/user32.dll"), "user32.dll"));
    PublicSymbols publics = pdb.publics().orElseThrow();
    int named = 0;
    int forwarders = 0;
    int exact = 0;
    int later = 0;
    int untranslated = 0;
    for (Export export : Exports.of(image).list()) {
      List<Public> symbols = export.name() == null ? List.of() : publics.named(export.name());
      if (symbols.isEmpty()) {
        continue;
      }
      named++;
      if (export.forward() != null) {
        forwarders++;
        continue;
      }
      Public symbol = symbols.getFirst();
      long rva = pdb.rva(symbol.section(), symbol.offset());
      long length = publics.nextAfter(symbol.section(), symbol.offset()) - symbol.offset();
      if (pdb.toImage(rva, 1) == export.rva()) {
        exact++;
      } else if (pdb.toImage(rva, length) == export.rva()) {
        later++;
      }
      untranslated += rva == export.rva() ? 1 : 0;
    }
    assertEquals(
        List.of(639, 4, 628, 7, 0), List.of(named, forwarders, exact, later, untranslated));
  }

  @Test
  void addressesComeBackFromTheOtherSide() {
    for (String name :
        List.of(
            "win7/user32.pdb",
            "syzygy/omapped_test_dll.pdb",
            "syzygy/test_vtables_omap.dll.pdb",
            "breakpad/omap_reorder_bbs.pdb")) {
      PdbFile pdb = Pdbs.open(name);
      PublicSymbols publics = pdb.publics().orElseThrow();
      int there = 0;
      int back = 0;
      for (int i = 0; i < publics.count(); i++) {
        Public symbol = publics.get(i);
        long rva = pdb.rva(symbol.section(), symbol.offset());
        long image = rva < 0 ? -1 : pdb.toImage(rva, 1);
        if (image >= 0) {
          there++;
          back += pdb.toOriginal(image) == rva ? 1 : 0;
        }
      }
      assertEquals(there, back, name);
    }
  }
}
