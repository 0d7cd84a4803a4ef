package io.ntrail.cli.symbols;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.formats.pdb.ModuleSymbols;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.codeview.LineRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * {@code symbols FILE --lines}: which bytes came from which line, module by module. Code that comes
 * from no line of a file, which debuggers step over or into, has line 0.
 */
final class LineRows {
  private final PdbFile pdb;
  private final NamePattern files;

  /** Those of files whose names fit a pattern. */
  LineRows(PdbFile pdb, NamePattern files) {
    this.pdb = pdb;
    this.files = files;
  }

  Listing listing() {
    return new Listing(
        "lines",
        List.of(
            Column.number("rva", "rva"),
            Column.number("size", "size"),
            Column.number("line", "line"),
            Column.hidden("endLine"),
            Column.hidden("column"),
            Column.name("file", "file"),
            Column.hidden("module")),
        this::rows);
  }

  private void rows(Consumer<List<Cell>> sink) {
    for (PdbModule module : pdb.modules()) {
      ModuleSymbols symbols = pdb.symbols(module);
      Cell name = new Cell.Text(module.name());
      // The same text for all rows of a file.
      Map<Long, String> names = new HashMap<>();
      for (LineRow row : symbols.lines()) {
        String file = names.computeIfAbsent(row.file(), symbols::file);
        if (files.matches(file)) {
          long linked = pdb.rva(row.section(), row.offset());
          long rva = pdb.toImage(linked, Math.max(1, row.length()));
          sink.accept(
              List.of(
                  rva < 0 ? Cell.UNKNOWN : new Cell.Hex(rva),
                  new Cell.Count(row.length()),
                  new Cell.Count(row.isMark() ? 0 : row.line()),
                  row.isMark() ? Cell.UNKNOWN : new Cell.Count(row.endLine()),
                  row.column() == 0 ? Cell.UNKNOWN : new Cell.Count(row.column()),
                  new Cell.Text(file.isEmpty() ? null : file),
                  name));
        }
      }
    }
  }
}
