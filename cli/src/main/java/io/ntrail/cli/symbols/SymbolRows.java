package io.ntrail.cli.symbols;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.PublicSymbols;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.programs.symbols.ImageSymbols;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
  private final StoppableWork<WorkPhase> work;

  /**
   * Lists the symbols whose names fit a pattern.
   *
   * @param publicsAlone whether only public symbols are requested
   * @param cores threads to use
   * @param work is told of what was looked at, and may leave out the rest
   */
  SymbolRows(
      PdbFile pdb,
      NamePattern pattern,
      boolean publicsAlone,
      int cores,
      StoppableWork<WorkPhase> work) {
    this.work = work;
    this.cores = cores;
    this.pdb = pdb;
    this.pattern = pattern;
    this.publicsAlone = publicsAlone;
  }

  /**
   * A symbol.
   *
   * @param rva -1 if it is not in the image, or has intermediate language instead of code
   * @param size -1 if unknown; of managed methods bytes of intermediate language
   * @param module null for public symbols
   * @param token of a managed method in the metadata of its program; null for all others
   */
  record Row(
      long rva,
      long size,
      String kind,
      @Nullable String decorated,
      String name,
      @Nullable String module,
      @Nullable String token) {}

  /** The token of a managed method: {@code 0x6000001}. */
  static String token(Symbol.Procedure method) {
    return Numbers.hex(method.type());
  }

  Listing<Row> listing() {
    return listing(this::rows);
  }

  /** Returns a list of such rows, wherever they come from. */
  static Listing<Row> listing(Consumer<Consumer<Row>> rows) {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .knownHex("rva", Row::rva)
            .titled()
            .knownCount("size", Row::size)
            .titled()
            .text("kind", Row::kind)
            .titled()
            .text("decorated", Row::decorated)
            .text("name", Row::name)
            .titled()
            .text("module", Row::module)
            .text("token", Row::token);
    return new Listing<>("symbols", columns, rows);
  }

  private void rows(Consumer<Row> sink) {
    LongSet procedures = new LongSet();
    if (!publicsAlone) {
      procedures(procedures, sink);
    }
    if (work.stoppedAt().isPresent()) {
      return;
    }
    int count = pdb.publics().map(PublicSymbols::count).orElse(0);
    work.begin(new WorkPhase("reading the public symbols of " + pdb.name(), "symbol"), count);
    for (int from = 0; from < count; from += TOGETHER) {
      work.reached(from);
      if (work.isStopping()) {
        work.stopped();
        return;
      }
      IntStream part = IntStream.range(from, Math.min(count, from + TOGETHER));
      (cores > 1 ? part.parallel() : part)
          .mapToObj(pdb::publicSymbol)
          .map(found -> found.flatMap(symbol -> row(symbol, procedures)))
          .filter(Optional::isPresent)
          .map(Optional::get)
          .forEachOrdered(sink);
    }
  }

  /** Returns the phase in which the modules of a PDB are read. */
  static WorkPhase phase(PdbFile pdb) {
    return new WorkPhase("reading the modules of " + pdb.name(), "module");
  }

  private void procedures(LongSet procedures, Consumer<Row> sink) {
    List<PdbModule> modules = pdb.modules();
    work.begin(phase(pdb), modules.size());
    for (PdbModule module : modules) {
      if (work.isStopping()) {
        work.stopped();
        return;
      }
      work.done(1);
      for (Symbol.Procedure procedure : pdb.symbols(module).procedures()) {
        long linked = pdb.rva(procedure.section(), procedure.offset());
        procedures.add(place(procedure.section(), procedure.offset()));
        if (pattern.matches(procedure.name())) {
          sink.accept(
              new Row(
                  procedure.isManaged() ? -1 : pdb.toImage(linked, procedure.length()),
                  procedure.length(),
                  procedure.isManaged() ? "managed method" : "procedure",
                  null,
                  procedure.name(),
                  module.name(),
                  procedure.isManaged() ? token(procedure) : null));
        }
      }
    }
  }

  /** A place in the program, which has it also where the addresses of sections are not known. */
  private static long place(int section, long offset) {
    return (long) section << 32 | offset;
  }

  private Optional<Row> row(Symbol.Public symbol, LongSet procedures) {
    if (procedures.contains(place(symbol.section(), symbol.offset()))) {
      return Optional.empty();
    }
    String name = ImageSymbols.plain(symbol.name());
    return pattern.matches(name) || pattern.matches(symbol.name())
        ? Optional.of(
            new Row(
                pdb.toImage(symbol),
                -1,
                symbol.isFunction() ? "public function" : "public",
                symbol.name(),
                name,
                null,
                null))
        : Optional.empty();
  }
}
