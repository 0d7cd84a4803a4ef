package io.ntrail.formats.pdb;

import static io.ntrail.formats.pdb.Pdbs.cell;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.DbiHeader.Debug;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Every shared PDB has the identity and the counts that another reader found in it. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class FilesTableTest {
  private static final String DATA = "file size sha256 note";

  @Test
  void identityAndCountsOfEveryFileAreThoseOfAnotherReader() {
    List<Map<String, String>> expected = new ArrayList<>();
    List<Map<String, String>> found = new ArrayList<>();
    for (Map<String, String> row : Pdbs.readable()) {
      Map<String, String> wanted = new LinkedHashMap<>(row);
      wanted.keySet().removeAll(List.of(DATA.split(" ")));
      Map<String, String> counted = counts(Pdbs.open(cell(row, "file")));
      counted.keySet().retainAll(wanted.keySet());
      wanted.keySet().retainAll(counted.keySet());
      wanted.put("file", cell(row, "file"));
      counted.put("file", cell(row, "file"));
      expected.add(wanted);
      found.add(counted);
    }
    assertTrue(expected.size() >= 57, "files");
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i), found.get(i));
    }
  }

  @Test
  void noReadableFileHasGaps() {
    for (Map<String, String> row : Pdbs.readable()) {
      PdbFile pdb = Pdbs.open(cell(row, "file"));
      counts(pdb);
      assertEquals(List.of(), pdb.gaps(), cell(row, "file"));
    }
  }

  @Test
  void otherFilesAreRefusedByName() {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (Map<String, String> row : Pdbs.refused()) {
      try (InputFile input = Pdbs.input(cell(row, "file"))) {
        CannotGoOn refusal =
            assertThrows(CannotGoOn.class, () -> PdbFile.open(input), cell(row, "file"));
        assertTrue(refusal.message().startsWith(cell(row, "file")), refusal.message());
        reasons.put(cell(row, "file"), refusal.message().substring(cell(row, "file").length() + 1));
      }
    }
    assertEquals(
        Map.of(
            "llvm/bad-block-size.pdb.gz",
                "is a damaged PDB: it ends after 29 bytes, inside the superblock",
            "misc/fuzzed.pdb.gz",
                "is a damaged PDB: its directory cannot be read: the map of the directory lies in block"
                    + " 1357 of 339",
            "sentry/portable.pdb.gz", "is a portable PDB of .NET, which has no native symbols",
            "sentry/source-links-only.pdb.gz",
                "is a portable PDB of .NET, which has no native symbols"),
        reasons);
  }

  private static Map<String, String> counts(PdbFile pdb) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("bs", Integer.toString(pdb.msf().blockSize()));
    row.put("guid", pdb.guid().toString().toUpperCase(Locale.ROOT));
    row.put("infoage", Long.toString(pdb.info().age()));
    row.put("dbiage", pdb.header().map(h -> Long.toString(h.age())).orElse(""));
    row.put("machine", pdb.header().map(h -> Integer.toHexString(h.machine())).orElse("0"));
    row.put("flags", pdb.header().map(h -> Integer.toString(h.flags())).orElse(""));
    row.put("modules", Integer.toString(pdb.modules().size()));
    row.put("publics", pdb.publics().map(p -> Integer.toString(p.count())).orElse("0"));
    row.put("c11", Long.toString(pdb.modules().stream().mapToLong(PdbModule::c11Bytes).sum()));
    int procedures = 0;
    int sites = 0;
    int lines = 0;
    for (PdbModule module : pdb.modules()) {
      ModuleSymbols symbols = pdb.symbols(module);
      for (Symbol symbol : symbols.symbols()) {
        procedures += symbol instanceof Symbol.Procedure ? 1 : 0;
        sites += symbol instanceof Symbol.InlineSite ? 1 : 0;
      }
      lines += symbols.c13Lines().map(c13 -> c13.rows().size()).orElse(0);
    }
    row.put("procs", Integer.toString(procedures));
    row.put("inlinesites", Integer.toString(sites));
    row.put("lines", Integer.toString(lines));
    row.put("fpo", entries(pdb, Debug.FPO, 16));
    row.put("framedata", entries(pdb, Debug.FRAME_DATA, 32));
    row.put("omapto", entries(pdb, Debug.OMAP_TO_SOURCE, 8));
    row.put("omapfrom", entries(pdb, Debug.OMAP_FROM_SOURCE, 8));
    return row;
  }

  private static String entries(PdbFile pdb, Debug content, int bytes) {
    return Long.toString(pdb.stream(content).map(MsfStream::length).orElse(0L) / bytes);
  }
}
