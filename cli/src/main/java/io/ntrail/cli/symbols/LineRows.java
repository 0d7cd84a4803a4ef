package io.ntrail.cli.symbols;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.ModuleSymbols;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code symbols FILE --lines}: which bytes came from which line, module by module. Code that comes
 * from no line of a file, which debuggers step over or into, has line 0. Bytes of a managed method
 * are of intermediate language: they have an offset in the method and no address.
 */
final class LineRows {
  private final PdbFile pdb;
  private final NamePattern files;
  private final StoppableWork<WorkPhase> work;

  /**
   * Lists the lines of files whose names fit a pattern.
   *
   * @param work is told of the modules that were looked at, and may leave out the rest
   */
  LineRows(PdbFile pdb, NamePattern files, StoppableWork<WorkPhase> work) {
    this.work = work;
    this.pdb = pdb;
    this.files = files;
  }

  /**
   * Bytes and their line.
   *
   * @param rva -1 if they are not in the image, or of intermediate language
   * @param file empty if unknown
   * @param method that they are the intermediate language of; null for all others
   */
  record Row(long rva, LineRow row, String file, String module, @Nullable Procedure method) {
    /** Returns the offset in the method; -1: they are no intermediate language. */
    long ilOffset() {
      return method == null ? -1 : row.offset() - method.offset();
    }

    /** {@code 0x10a6}, or {@code IL_000a} in a managed method. */
    private String place() {
      return method != null
          ? String.format(Locale.ROOT, "IL_%04x", ilOffset())
          : rva < 0 ? "-" : Numbers.hex(rva);
    }
  }

  Listing<Row> listing() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .knownHex("rva", Row::rva)
            .titled(pdb.isManaged() ? "IL offset" : "rva")
            .shown(Row::place)
            .count("size", line -> line.row.length())
            .titled()
            .count("line", line -> line.row.isMark() ? 0 : line.row.line())
            .titled()
            .knownCount("endLine", line -> line.row.isMark() ? -1 : line.row.endLine())
            .knownCount("column", line -> line.row.column() == 0 ? -1 : line.row.column())
            .text("file", line -> line.file.isEmpty() ? null : line.file)
            .titled()
            .text("module", Row::module)
            .knownCount("ilOffset", Row::ilOffset)
            .text("method", line -> line.method == null ? null : line.method.name());
    if (pdb.isManaged()) {
      columns.titled();
    }
    columns.text("token", line -> line.method == null ? null : SymbolRows.token(line.method));
    return new Listing<>("lines", columns, this::rows);
  }

  private void rows(Consumer<Row> sink) {
    List<PdbModule> modules = pdb.modules();
    work.begin(SymbolRows.phase(pdb), modules.size());
    for (PdbModule module : modules) {
      if (work.isStopping()) {
        work.stopped();
        return;
      }
      work.done(1);
      ModuleSymbols symbols = pdb.symbols(module);
      List<Procedure> methods = symbols.managed();
      // The same text for all rows of a file.
      Map<Long, String> names = new HashMap<>();
      Function<Long, String> file = symbols::file;
      for (LineRow row : symbols.lines()) {
        String name = names.computeIfAbsent(row.file(), file);
        if (files.matches(name)) {
          sink.accept(row(row, name, module, methods));
        }
      }
    }
  }

  private Row row(LineRow row, String file, PdbModule module, List<Procedure> methods) {
    Procedure method = methods.isEmpty() ? null : method(row, methods);
    if (method != null || pdb.isManaged()) {
      return new Row(-1, row, file, module.name(), method);
    }
    long linked = pdb.rva(row.section(), row.offset());
    return new Row(pdb.toImage(linked, Math.max(1, row.length())), row, file, module.name(), null);
  }

  /** Returns the method that a row belongs to; null if it is in none. */
  private static @Nullable Procedure method(LineRow row, List<Procedure> methods) {
    // By section and offset; those of one method do not overlap those of another.
    int last =
        Search.last(
            0,
            methods.size(),
            i ->
                methods.get(i).section() < row.section()
                    || methods.get(i).section() == row.section()
                        && methods.get(i).offset() <= row.offset());
    if (last < 0) {
      return null;
    }
    Procedure method = methods.get(last);
    return method.section() == row.section() && row.offset() < method.offset() + method.length()
        ? method
        : null;
  }
}
