package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block that was lost changes nothing, or the PDB tells it. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class ZeroedBlocksTest {
  private static final int BLOCK = 4096;

  /** Returns functions, public symbols, lines and frames, as text; or that there is a gap. */
  private static String contents(byte[] bytes) {
    try (InputFile input = InputFile.of(bytes, "block.pdb")) {
      PdbFile pdb = PdbFile.open(input);
      List<String> all = new ArrayList<>();
      PdbSymbolizer addresses = new PdbSymbolizer(pdb);
      all.add(pdb.guid() + " " + pdb.age());
      for (PdbModule module : pdb.modules()) {
        ModuleSymbols symbols = pdb.symbols(module);
        symbols.procedures().stream()
            .map(p -> pdb.rva(p.section(), p.offset()))
            .forEach(rva -> all.add(rva + " " + addresses.find(rva) + addresses.find(rva + 5)));
        symbols.lines().forEach(row -> all.add(row + symbols.file(row.file())));
      }
      int count = pdb.publics().map(PublicSymbols::count).orElse(0);
      for (int i = 0; i < count; i++) {
        all.add(pdb.publicSymbol(i).toString());
      }
      return pdb.gaps().isEmpty() ? String.join("\n", all) : "";
    } catch (CannotGoOn e) {
      return "";
    }
  }

  @ParameterizedTest
  @ValueSource(bytes = {0, -1})
  void aLostBlockIsTold(byte fill) {
    byte[] whole = PdbSamples.bytes("llvm/every-function.pdb");
    String expected = contents(whole);
    assertFalse(expected.isEmpty(), "no gaps");
    List<Integer> silent = new ArrayList<>();
    for (int at = 0; at < whole.length; at += BLOCK) {
      byte[] damaged = whole.clone();
      Arrays.fill(damaged, at, Math.min(whole.length, at + BLOCK), fill);
      String found = contents(damaged);
      if (!found.isEmpty() && !found.equals(expected)) {
        silent.add(at / BLOCK);
      }
    }
    assertEquals(List.of(), silent);
  }
}
