package io.ntrail.formats.pdb;

import io.ntrail.formats.pdb.SectionContributions.Contribution;
import io.ntrail.formats.pdb.codeview.C13Lines;
import io.ntrail.formats.pdb.codeview.InlineSiteLines;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.Symbol.InlineSite;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the function, the file and line, and the inlined functions of an address. Addresses of
 * rearranged images are translated first. Only the module that contributed the address is read; the
 * last modules are kept. May be used by several threads.
 */
public final class PdbSymbolizer {
  private static final int MODULES_KEPT = 128;
  private static final int MOST_INLINED = 256;

  /** Ways to find the name of an address. */
  public enum Kind {
    /** A procedure with its exact bytes. */
    PROCEDURE,
    /** A few instructions that go elsewhere; of incremental linking it has the target's name. */
    THUNK,
    /** Bytes of a procedure that lie apart from it. */
    SEPARATED,
    /**
     * The code after a label outside procedures: assembly code, and what runs when an exception
     * passes a function for x86.
     */
    LABEL,
    /** The nearest public symbol before the address: where it ends is not known. */
    PUBLIC,
    /**
     * The nearest public symbol, but the address is in bytes that another object contributed, which
     * have no name: padding and tables, or functions without a name.
     */
    NEAREST
  }

  /**
   * A function at an address, with the line there or a line of the function that calls it.
   *
   * @param function its name, without parameters; decorated if only the public symbol is known;
   *     empty if it is inlined and its name could not be read
   * @param file empty if there is no line
   * @param line from 1; 0 if there is none, or the code is of no line of the file
   * @param column from 1; 0 if it is not known
   * @param isInlined whether it has no code of its own here
   * @param type of the function, to be asked for its parameters; 0 if it is not known
   */
  public record Frame(
      String function, String file, int line, int column, boolean isInlined, long type) {}

  /**
   * Meaning of an address.
   *
   * @param name of the function that has the code
   * @param decorated the public symbol at the start of the function; empty if there is none
   * @param begin RVA of the function in the program as it was linked
   * @param length bytes; of a label and a public symbol those up to the next one, or -1
   * @param offset of the address in the function
   * @param type of the function, 0 if unknown
   * @param module that contributed the address, -1 if unknown
   * @param frames the innermost first; at least the function itself
   */
  public record Found(
      Kind kind,
      String name,
      String decorated,
      long begin,
      long length,
      long offset,
      long type,
      int module,
      List<Frame> frames) {}

  private record Place(int section, long offset) {}

  private final PdbFile pdb;
  private final Map<Integer, ModuleSymbols> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, ModuleSymbols> eldest) {
          return size() > MODULES_KEPT;
        }
      };

  /** Looks in a PDB, which must stay open. */
  public PdbSymbolizer(PdbFile pdb) {
    this.pdb = pdb;
  }

  /**
   * Finds the meaning of an address.
   *
   * @param rva in the image
   * @return empty if the PDB does not cover it, or is that of a managed program
   */
  public Optional<Found> find(long rva) {
    if (pdb.isManaged()) {
      return Optional.empty();
    }
    return pdb.reading(
        "address",
        Optional.empty(),
        () -> {
          long original = pdb.toOriginal(rva);
          Optional<Place> place = original < 0 ? Optional.empty() : place(original);
          return place.flatMap(this::find);
        });
  }

  private Optional<Place> place(long rva) {
    for (PdbSection section : pdb.symbolSections()) {
      if (rva >= section.rva() && rva < section.rva() + section.size()) {
        return Optional.of(new Place(section.number(), rva - section.rva()));
      }
    }
    return Optional.empty();
  }

  private Optional<Found> find(Place place) {
    Optional<Contribution> contribution = pdb.contributions().find(place.section, place.offset);
    Optional<ModuleSymbols> module = contribution.flatMap(c -> symbols(c.module()));
    if (module.isPresent()) {
      Optional<Symbol> symbol = module.get().function(place.section, place.offset);
      if (symbol.isPresent()) {
        return found(module.get(), symbol.get(), place);
      }
    }
    Optional<Found> label = labelAt(contribution, module, place);
    Optional<Found> symbol = publicAt(contribution, module, place);
    // The nearer one is meant; at one place the public symbol, which others call.
    return label.isEmpty() || symbol.isPresent() && symbol.get().offset() <= label.get().offset()
        ? symbol
        : label;
  }

  private Optional<ModuleSymbols> symbols(int number) {
    if (number >= pdb.modules().size()) {
      return Optional.empty();
    }
    synchronized (kept) {
      return Optional.of(kept.computeIfAbsent(number, n -> pdb.symbols(pdb.modules().get(n))));
    }
  }

  private Optional<Found> found(ModuleSymbols module, Symbol symbol, Place place) {
    return switch (symbol) {
      case Procedure procedure -> Optional.of(procedure(module, procedure, place));
      case Symbol.Thunk thunk ->
          Optional.of(
              found(
                  module,
                  Kind.THUNK,
                  thunk.name(),
                  new Place(thunk.section(), thunk.offset()),
                  thunk.length(),
                  0,
                  place,
                  List.of(
                      frame(
                          module,
                          thunk.name(),
                          new Place(thunk.section(), thunk.offset()),
                          place,
                          0))));
      case Symbol.Trampoline trampoline -> trampoline(module, trampoline, place);
      case Symbol.SeparateCode code -> separated(module, code, place);
      default -> Optional.empty();
    };
  }

  /** The linker's jump to a function, with the function's name; empty if that is not known. */
  private Optional<Found> trampoline(
      ModuleSymbols module, Symbol.Trampoline trampoline, Place place) {
    Place target = new Place(trampoline.targetSection(), trampoline.targetOffset());
    String name =
        pdb.contributions()
            .find(target.section, target.offset)
            .flatMap(c -> symbols(c.module()))
            .flatMap(m -> m.function(target.section, target.offset))
            .filter(Procedure.class::isInstance)
            .map(symbol -> ((Procedure) symbol).name())
            .orElseGet(() -> decorated(target));
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(
            found(
                module,
                Kind.THUNK,
                name,
                new Place(trampoline.section(), trampoline.offset()),
                trampoline.length(),
                0,
                place,
                List.of(new Frame(name, "", 0, 0, false, 0))));
  }

  private Optional<Found> separated(ModuleSymbols module, Symbol.SeparateCode code, Place place) {
    return module
        .function(code.parentSection(), code.parentOffset())
        .filter(Procedure.class::isInstance)
        .map(Procedure.class::cast)
        .map(parent ->
            found(
                module,
                Kind.SEPARATED,
                parent.name(),
                new Place(code.section(), code.offset()),
                code.length(),
                type(parent),
                place,
                List.of(
                    frame(
                        module,
                        parent.name(),
                        new Place(code.parentSection(), code.parentOffset()),
                        place,
                        type(parent)))));
  }

  /** Of the newer kinds the type is that of an item. */
  private long type(Procedure procedure) {
    return procedure.isManaged()
        ? 0
        : procedure.hasItem() ? pdb.typeNames().typeOf(procedure.type()) : procedure.type();
  }

  private Found procedure(ModuleSymbols module, Procedure procedure, Place place) {
    List<Frame> frames = inlined(module, procedure, place.offset - procedure.offset());
    Place begin = new Place(procedure.section(), procedure.offset());
    frames.add(frame(module, procedure.name(), begin, place, type(procedure)));
    return found(
        module,
        Kind.PROCEDURE,
        procedure.name(),
        begin,
        procedure.length(),
        type(procedure),
        place,
        frames);
  }

  private Found found(
      ModuleSymbols module,
      Kind kind,
      String name,
      Place begin,
      long length,
      long type,
      Place place,
      List<Frame> frames) {
    return new Found(
        kind,
        name,
        decorated(begin),
        pdb.rva(begin.section, begin.offset),
        length,
        place.offset - begin.offset,
        type,
        module.module().number(),
        List.copyOf(frames));
  }

  private String decorated(Place begin) {
    return pdb.publics()
        .map(publics -> publics.atOrBefore(begin.section, begin.offset))
        .filter(found -> !found.isEmpty() && found.getFirst().offset() == begin.offset)
        .map(found -> found.getFirst().name())
        .orElse("");
  }

  /** A label means what follows it, up to the next one, in the same contribution. */
  private Optional<Found> labelAt(
      Optional<Contribution> contribution, Optional<ModuleSymbols> module, Place place) {
    if (contribution.isEmpty() || module.isEmpty()) {
      return Optional.empty();
    }
    Contribution c = contribution.get();
    ModuleSymbols m = module.get();
    return m.label(place.section, c.offset(), place.offset)
        // Behind a function that follows the label nothing is the label's.
        .filter(label ->
            m.nextAfter(place.section, label.offset()) < 0
                || m.nextAfter(place.section, label.offset()) > place.offset)
        .map(label -> {
          long end = c.offset() + c.size();
          long next = m.nextAfter(place.section, place.offset);
          return found(
              m,
              Kind.LABEL,
              label.name(),
              new Place(label.section(), label.offset()),
              (next < 0 ? end : Math.min(end, next)) - label.offset(),
              0,
              place,
              List.of(
                  frame(m, label.name(), new Place(label.section(), label.offset()), place, 0)));
        });
  }

  /** A public symbol means what follows it; of bytes of another contribution it is only nearest. */
  private Optional<Found> publicAt(
      Optional<Contribution> contribution, Optional<ModuleSymbols> module, Place place) {
    List<Public> before =
        pdb.publics()
            .map(publics -> publics.atOrBefore(place.section, place.offset))
            .orElse(List.of());
    if (before.isEmpty()) {
      return Optional.empty();
    }
    Public symbol = before.getFirst();
    boolean others = contribution.isPresent() && symbol.offset() < contribution.get().offset();
    long next =
        pdb.publics().map(publics -> publics.nextAfter(place.section, place.offset)).orElse(-1L);
    Frame frame =
        module
            .map(m ->
                frame(m, symbol.name(), new Place(symbol.section(), symbol.offset()), place, 0))
            .orElse(new Frame(symbol.name(), "", 0, 0, false, 0));
    return Optional.of(
        new Found(
            others ? Kind.NEAREST : Kind.PUBLIC,
            symbol.name(),
            symbol.name(),
            pdb.rva(symbol.section(), symbol.offset()),
            next < 0 ? -1 : next - symbol.offset(),
            place.offset - symbol.offset(),
            0,
            contribution.map(Contribution::module).orElse(-1),
            List.of(frame)));
  }

  /** At the exact start of a function the line of its first row is meant. */
  private static Frame frame(
      ModuleSymbols module, String function, Place begin, Place place, long type) {
    Optional<LineRow> row =
        begin.equals(place)
            ? module.startLine(place.section, place.offset)
            : module.line(place.section, place.offset);
    return row.filter(r -> !r.isMark())
        .map(r -> new Frame(function, module.file(r.file()), r.line(), r.column(), false, type))
        .orElse(new Frame(function, "", 0, 0, false, type));
  }

  /** The functions that were inlined at an offset, the innermost first. */
  private List<Frame> inlined(ModuleSymbols module, Procedure procedure, long offset) {
    List<Frame> frames = new ArrayList<>();
    long passed = procedure.at();
    for (InlineSite site : module.inlineSites(procedure)) {
      // What lies inside a site that does not have the address has not, either.
      if (site.at() < passed || frames.size() >= MOST_INLINED) {
        continue;
      }
      Optional<InlineSiteLines.Row> row = row(module, procedure, site, offset);
      if (row.isPresent()) {
        InlineSiteLines.Row r = row.get();
        long type = pdb.typeNames().typeOf(site.inlinee());
        String file = module.file(r.file());
        frames.addFirst(new Frame(name(module, site), file, r.line(), 0, true, type));
      } else {
        passed = site.end();
      }
    }
    return frames;
  }

  private Optional<InlineSiteLines.Row> row(
      ModuleSymbols module, Procedure procedure, InlineSite site, long offset) {
    return pdb.reading(
        "inline site of module " + module.module().number(),
        Optional.empty(),
        () -> {
          Optional<C13Lines.Inlinee> inlinee =
              module.c13Lines().flatMap(lines -> lines.inlinee(site.inlinee()));
          List<InlineSiteLines.Row> rows =
              InlineSiteLines.of(
                  site.annotations(),
                  inlinee.map(C13Lines.Inlinee::file).orElse(-1L),
                  inlinee.map(C13Lines.Inlinee::line).orElse(0),
                  procedure.length());
          return rows.reversed().stream().filter(r -> r.contains(offset)).findFirst();
        });
  }

  /**
   * The name of an inlined function; empty if it is not known. That its item is not there is a gap
   * of the PDB; linkers leave items of other kinds in its place.
   */
  private String name(ModuleSymbols module, InlineSite site) {
    long item = site.inlinee();
    Optional<String> name =
        (item & 0x8000_0000L) == 0 ? pdb.typeNames().function(item) : imported(module, item);
    if (name.isEmpty() && pdb.info().hasItems() && !pdb.typeNames().hasItem(item)) {
      module.gap(
          site.at(), "the function that was inlined, item %Xh, is not there".formatted(item));
    }
    return name.orElse("");
  }

  /** The name of a function of another module, which is found through its exports. */
  private Optional<String> imported(ModuleSymbols module, long item) {
    return module
        .c13Lines()
        .flatMap(lines -> lines.imported(item))
        .flatMap(imported -> {
          String name = pdb.names().text(imported.module());
          // Linkers write the path in small letters there.
          return pdb.modules().stream()
              .filter(other -> other.name().equalsIgnoreCase(name))
              .findFirst()
              .flatMap(other -> symbols(other.number()))
              .flatMap(ModuleSymbols::c13Lines)
              .flatMap(lines -> lines.exported(imported.item()));
        })
        .flatMap(global -> pdb.typeNames().function(global));
  }
}
