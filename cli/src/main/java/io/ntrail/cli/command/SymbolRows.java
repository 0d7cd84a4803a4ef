package io.ntrail.cli.command;

import io.ntrail.analysis.events.Pattern;
import io.ntrail.cli.command.Listing.Cell;
import io.ntrail.cli.command.Listing.Column;
import io.ntrail.formats.decoration.Undecoration;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.codeview.Symbol;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * {@code symbols FILE --list}: the procedures of each module, then the public symbols that lie
 * elsewhere than at the begin of one of them; or all public symbols, by address.
 */
final class SymbolRows {
  private final PdbFile pdb;
  private final Pattern pattern;
  private final boolean publicsAlone;

  /**
   * Those whose names fit a pattern.
   *
   * @param publicsAlone whether it is public symbols that are asked for
   */
  SymbolRows(PdbFile pdb, Pattern pattern, boolean publicsAlone) {
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
    pdb.publics()
        .ifPresent(publics -> {
          for (int i = 0; i < publics.count(); i++) {
            symbol(publics.get(i), procedures, sink);
          }
        });
  }

  private void procedures(Set<Long> procedures, Consumer<List<Cell>> sink) {
    for (PdbModule module : pdb.modules()) {
      for (Symbol.Procedure procedure : pdb.symbols(module).procedures()) {
        long rva = pdb.rva(procedure.section(), procedure.offset());
        procedures.add(rva);
        if (pattern.matches(procedure.name())) {
          sink.accept(
              List.of(
                  rva < 0 ? Cell.UNKNOWN : new Cell.Hex(rva),
                  new Cell.Count(procedure.length()),
                  new Cell.Text("procedure"),
                  Cell.UNKNOWN,
                  new Cell.Text(procedure.name()),
                  new Cell.Text(module.name())));
        }
      }
    }
  }

  private void symbol(Symbol.Public symbol, Set<Long> procedures, Consumer<List<Cell>> sink) {
    long rva = pdb.rva(symbol.section(), symbol.offset());
    String name = Undecoration.of(symbol.name(), Undecoration.Style.NAME).orElse(symbol.name());
    if (!procedures.contains(rva) && (pattern.matches(name) || pattern.matches(symbol.name()))) {
      sink.accept(
          List.of(
              rva < 0 ? Cell.UNKNOWN : new Cell.Hex(rva),
              Cell.UNKNOWN,
              new Cell.Text(symbol.isFunction() ? "public function" : "public"),
              new Cell.Text(symbol.name()),
              new Cell.Text(name),
              Cell.UNKNOWN));
    }
  }
}
