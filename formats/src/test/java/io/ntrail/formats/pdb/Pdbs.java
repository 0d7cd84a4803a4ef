package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The shared PDBs, opened; their inputs are not closed, since the test JVM ends. */
final class Pdbs {
  private Pdbs() {}

  /** Returns true if there are any; for {@code @EnabledIf}. */
  static boolean present() {
    return PdbSamples.present();
  }

  static InputFile input(String name) {
    return InputFile.of(PdbSamples.bytes(name), name);
  }

  static PdbFile open(String name) {
    return PdbFile.open(input(name));
  }

  /** A cell of files.tsv; empty if the row ends before it. */
  static String cell(Map<String, String> row, String column) {
    return Objects.requireNonNullElse(row.get(column), "");
  }

  /** The rows of files.tsv that another reader could read. */
  static List<Map<String, String>> readable() {
    return PdbSamples.files().stream().filter(row -> !cell(row, "guid").isEmpty()).toList();
  }

  /** The rows of files.tsv that must be refused. */
  static List<Map<String, String>> refused() {
    return PdbSamples.files().stream().filter(row -> cell(row, "guid").isEmpty()).toList();
  }
}
