package io.ntrail.cli.symbols;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.formats.pdb.ModuleSymbols;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.codeview.LineRow;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * {@code symbols FILE --lines}: which bytes came from which line, module by module. Code that comes
 * from no line of a file, which debuggers step over or into, has line 0.
 */
final class LineRows {
  private final PdbFile pdb;
  private final NamePattern files;

  /** Lists the lines of files whose names fit a pattern. */
  LineRows(PdbFile pdb, NamePattern files) {
    this.pdb = pdb;
    this.files = files;
  }

  /**
   * Bytes and their line.
   *
   * @param rva -1 if they are not in the image
   * @param file empty if unknown
   */
  record Row(long rva, LineRow row, String file, String module) {}

  Listing<Row> listing() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .knownHex("rva", Row::rva)
            .titled()
            .count("size", line -> line.row.length())
            .titled()
            .count("line", line -> line.row.isMark() ? 0 : line.row.line())
            .titled()
            .knownCount("endLine", line -> line.row.isMark() ? -1 : line.row.endLine())
            .knownCount("column", line -> line.row.column() == 0 ? -1 : line.row.column())
            .text("file", line -> line.file.isEmpty() ? null : line.file)
            .titled()
            .text("module", Row::module);
    return new Listing<>("lines", columns, this::rows);
  }

  private void rows(Consumer<Row> sink) {
    for (PdbModule module : pdb.modules()) {
      ModuleSymbols symbols = pdb.symbols(module);
      // The same text for all rows of a file.
      Map<Long, String> names = new HashMap<>();
      for (LineRow row : symbols.lines()) {
        String file = names.computeIfAbsent(row.file(), symbols::file);
        if (files.matches(file)) {
          long linked = pdb.rva(row.section(), row.offset());
          long rva = pdb.toImage(linked, Math.max(1, row.length()));
          sink.accept(new Row(rva, row, file, module.name()));
        }
      }
    }
  }
}
