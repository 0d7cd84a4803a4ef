package io.ntrail.cli.symbols;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.PublicSymbols;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.programs.symbols.ImageSymbols;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * {@code symbols FILE --list}: the procedures of each module, then the public symbols that lie
 * elsewhere than at the begin of one of them; or all public symbols, by address.
 */
final class SymbolRows {
  /** Names that are read by several threads, then printed. */
  private static final int TOGETHER = 8192;

  private final PdbFile pdb;
  private final NamePattern pattern;
  private final boolean publicsAlone;
  private final int cores;

  /**
   * Those whose names fit a pattern.
   *
   * @param publicsAlone whether it is public symbols that are asked for
   * @param cores threads to use
   */
  SymbolRows(PdbFile pdb, NamePattern pattern, boolean publicsAlone, int cores) {
    this.cores = cores;
    this.pdb = pdb;
    this.pattern = pattern;
    this.publicsAlone = publicsAlone;
  }

  Listing listing() {
    return new Listing(
        "symbols",
        List.of(
            Column.number("rva", "rva"),
            Column.number("size", "size"),
            Column.name("kind", "kind"),
            Column.hidden("decorated"),
            Column.name("name", "name"),
            Column.hidden("module")),
        this::rows);
  }

  private void rows(Consumer<List<Cell>> sink) {
    Set<Long> procedures = new HashSet<>();
    if (!publicsAlone) {
      procedures(procedures, sink);
    }
    int count = pdb.publics().map(PublicSymbols::count).orElse(0);
    for (int from = 0; from < count; from += TOGETHER) {
      IntStream part = IntStream.range(from, Math.min(count, from + TOGETHER));
      (cores > 1 ? part.parallel() : part)
          .mapToObj(pdb::publicSymbol)
          .map(found -> found.flatMap(symbol -> row(symbol, procedures)))
          .flatMap(Optional::stream)
          .forEachOrdered(sink);
    }
  }

  private void procedures(Set<Long> procedures, Consumer<List<Cell>> sink) {
    for (PdbModule module : pdb.modules()) {
      for (Symbol.Procedure procedure : pdb.symbols(module).procedures()) {
        long linked = pdb.rva(procedure.section(), procedure.offset());
        procedures.add(linked);
        if (pattern.matches(procedure.name())) {
          sink.accept(
              List.of(
                  address(pdb.toImage(linked, procedure.length())),
                  new Cell.Count(procedure.length()),
                  new Cell.Text("procedure"),
                  Cell.UNKNOWN,
                  new Cell.Text(procedure.name()),
                  new Cell.Text(module.name())));
        }
      }
    }
  }

  private Optional<List<Cell>> row(Symbol.Public symbol, Set<Long> procedures) {
    long linked = pdb.rva(symbol.section(), symbol.offset());
    if (procedures.contains(linked)) {
      return Optional.empty();
    }
    String name = ImageSymbols.plain(symbol.name());
    return pattern.matches(name) || pattern.matches(symbol.name())
        ? Optional.of(
            List.of(
                address(pdb.toImage(symbol)),
                Cell.UNKNOWN,
                new Cell.Text(symbol.isFunction() ? "public function" : "public"),
                new Cell.Text(symbol.name()),
                new Cell.Text(name),
                Cell.UNKNOWN))
        : Optional.empty();
  }

  private static Cell address(long rva) {
    return rva < 0 ? Cell.UNKNOWN : new Cell.Hex(rva);
  }
}
