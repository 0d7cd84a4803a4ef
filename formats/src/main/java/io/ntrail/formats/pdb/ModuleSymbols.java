package io.ntrail.formats.pdb;

import static io.ntrail.formats.pdb.codeview.SymbolKind.S_INLINESITE;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_INLINESITE2;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_LABEL32;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_SEPCODE;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_THUNK32;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_TRAMPOLINE;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.codeview.C11Lines;
import io.ntrail.formats.pdb.codeview.C13Lines;
import io.ntrail.formats.pdb.codeview.CodeViewCursor;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.SymbolKind;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Symbols and lines (of either generation) of one module, from its stream. Functions are found in
 * one walk over the records that skips their scopes; a function's own records and lines are read on
 * demand.
 */
public final class ModuleSymbols {
  private static final int SIGNATURE_C13 = 4;

  /**
   * Bound of the number of functions that start between an address and the function that contains
   * it.
   */
  private static final int MOST_NESTED = 64;

  /** The bytes of a function, and where its record is. */
  private record Extent(int kind, int section, long offset, long length, long at) {
    boolean contains(int otherSection, long other) {
      return section == otherSection && other >= offset && other < offset + length;
    }
  }

  private static final Comparator<Extent> BY_ADDRESS =
      (a, b) ->
          a.section != b.section
              ? Integer.compare(a.section, b.section)
              : Long.compare(a.offset, b.offset);

  private final PdbFile pdb;
  private final PdbModule module;
  private final MsfStream stream;

  /** Result of the walk: functions, thunks and separated code; and labels outside them. */
  private record Found(List<Extent> extents, List<Extent> labels) {}

  private final LazyValue<Long> recordsEnd = new LazyValue<>(this::findEnd);
  private final LazyValue<Found> found = new LazyValue<>(this::findExtents);
  private final LazyValue<Optional<C13Lines>> c13 = new LazyValue<>(this::readC13);
  private final LazyValue<Optional<C11Lines>> c11 = new LazyValue<>(this::readC11);

  ModuleSymbols(PdbFile pdb, PdbModule module) {
    this.pdb = pdb;
    this.module = module;
    this.stream = pdb.stream(module).orElse(MsfStream.EMPTY);
    checkLength();
  }

  /**
   * Reports parts that do not fill the stream: one that is too short hides records, and those
   * behind it are not where they are looked for. The references to globals are last, and begin with
   * their bytes. Parts that end behind the stream are a gap when they are read.
   */
  private void checkLength() {
    long parts = module.symbolBytes() + module.c11Bytes() + module.c13Bytes();
    long rest = stream.length() - parts;
    if (rest <= 0) {
      return;
    }
    String what = "parts of module " + module.number();
    long references = rest < 4 ? 0 : 4 + pdb.reading(what, rest - 4, () -> stream.u32(parts));
    if (references != rest) {
      pdb.gap(
          what,
          new DamagedInput(
              pdb.name(),
              stream.fileOffset(parts),
              "symbols and lines of the module have %d bytes, its stream %d more, which are no"
                      .formatted(parts, rest)
                  + " references to globals"));
    }
  }

  /** Whose stream it is. */
  public PdbModule module() {
    return module;
  }

  /** All records in turn, those inside functions too. */
  public CodeViewCursor records() {
    return new CodeViewCursor(stream, PdbModule.FIRST_RECORD, recordsEnd.get());
  }

  /**
   * Returns where the records end. A module without symbols has none at all, or the signature
   * alone; symbols that are not there, or not of the generation that is read here, are a gap.
   */
  private long findEnd() {
    long bytes = module.symbolBytes();
    if (bytes == 0) {
      return 0;
    }
    long there = Math.min(bytes, stream.length());
    if (there < bytes) {
      gap(there, "the module has %d bytes of symbols, its stream %d".formatted(bytes, there));
    }
    if (there < PdbModule.FIRST_RECORD) {
      return 0;
    }
    long signature = pdb.reading(what(), -1L, () -> stream.u32(0));
    if (signature >= 0 && signature != SIGNATURE_C13) {
      gap(
          0,
          "its %d bytes of symbols have the signature %Xh, not %Xh"
              .formatted(bytes, signature, SIGNATURE_C13));
    }
    return signature == SIGNATURE_C13 ? there : 0;
  }

  /** Adds a gap at an offset of the stream. */
  void gap(long at, String why) {
    pdb.gap(what(), new DamagedInput(pdb.name(), stream.fileOffset(at), why));
  }

  /** All symbols in turn; what cannot be read ends them, and is a gap of the PDB. */
  public List<Symbol> symbols() {
    List<Symbol> symbols = new ArrayList<>();
    walk(records(), r -> symbols.add(Symbol.of(r)));
    return symbols;
  }

  private String what() {
    return "symbols of module " + module.number();
  }

  private interface Visitor {
    void visit(CodeViewCursor record);
  }

  private void walk(CodeViewCursor cursor, Visitor visitor) {
    pdb.reading(
        what(),
        false,
        () -> {
          while (cursor.next()) {
            visitor.visit(cursor);
          }
          return true;
        });
  }

  private Found findExtents() {
    List<Extent> found = new ArrayList<>();
    List<Extent> labels = new ArrayList<>();
    long end = module.symbolBytes();
    walk(
        records(),
        r -> {
          boolean procedure = SymbolKind.isProcedure(r.kind());
          if (procedure) {
            found.add(new Extent(r.kind(), r.u16(32), r.u32(28), r.u32(12), r.offset()));
          } else if (r.kind() == S_THUNK32) {
            found.add(new Extent(r.kind(), r.u16(16), r.u32(12), r.u16(18), r.offset()));
          } else if (r.kind() == S_SEPCODE) {
            found.add(new Extent(r.kind(), r.u16(24), r.u32(16), r.u32(8), r.offset()));
          } else if (r.kind() == S_TRAMPOLINE) {
            found.add(new Extent(r.kind(), r.u16(12), r.u32(4), r.u16(2), r.offset()));
          } else if (r.kind() == S_LABEL32) {
            labels.add(new Extent(r.kind(), r.u16(4), r.u32(0), 0, r.offset()));
          }
          // Only what lies in no function is looked at; separated code is in none.
          if (procedure && r.u32(4) > r.offset() + r.length() && r.u32(4) < end) {
            r.skipTo(r.u32(4));
          }
        });
    found.sort(BY_ADDRESS);
    labels.removeIf(label -> covering(found, label.section, label.offset).isPresent());
    labels.sort(BY_ADDRESS);
    return new Found(found, labels);
  }

  /**
   * Returns the index of the last element that starts at or before an address, -1 if there is none.
   */
  private static int lastAtOrBefore(List<Extent> list, int section, long offset) {
    return Search.last(
        0,
        list.size(),
        i -> {
          Extent e = list.get(i);
          return e.section < section || e.section == section && e.offset <= offset;
        });
  }

  /** Of several at one place the first one: the module's own order. */
  private static Optional<Extent> covering(List<Extent> list, int section, long offset) {
    Optional<Extent> first = Optional.empty();
    int last = lastAtOrBefore(list, section, offset);
    for (int i = last; i >= 0 && list.get(i).section == section; i--) {
      Extent e = list.get(i);
      if (first.isPresent() && e.offset != first.get().offset) {
        break;
      }
      if (e.contains(section, offset)) {
        first = Optional.of(e);
      } else if (last - i > MOST_NESTED) {
        break;
      }
    }
    return first;
  }

  /**
   * Returns the function, thunk, trampoline or separated code that contains an address; empty if
   * none does.
   *
   * @throws DamagedInput if its record is damaged
   */
  public Optional<Symbol> function(int section, long offset) {
    return covering(found.get().extents, section, offset).map(e -> at(e.at));
  }

  /**
   * Returns the nearest label before an address, of those outside functions: assembly code, and
   * what Visual C++ runs when an exception passes a function for x86.
   *
   * @param from the first offset that is searched
   * @throws DamagedInput if its record is damaged
   */
  public Optional<Symbol.Label> label(int section, long from, long offset) {
    List<Extent> list = found.get().labels;
    int last = lastAtOrBefore(list, section, offset);
    return last < 0 || list.get(last).section != section || list.get(last).offset < from
        ? Optional.empty()
        : Optional.of(at(list.get(last).at))
            .filter(Symbol.Label.class::isInstance)
            .map(Symbol.Label.class::cast);
  }

  /** Returns the start of the next label or function after an address; -1 if there is none. */
  public long nextAfter(int section, long offset) {
    long next = -1;
    for (List<Extent> list : List.of(found.get().labels, found.get().extents)) {
      int index = lastAtOrBefore(list, section, offset) + 1;
      if (index < list.size() && list.get(index).section == section) {
        long other = list.get(index).offset;
        next = next < 0 ? other : Math.min(next, other);
      }
    }
    return next;
  }

  /** Reads the symbol whose record starts at an offset of the stream. */
  private Symbol at(long record) {
    return Symbol.of(CodeViewCursor.at(stream, record));
  }

  /** The functions, by address; managed ones too. */
  public List<Symbol.Procedure> procedures() {
    return procedures(false);
  }

  /** The managed functions, by address. */
  public List<Symbol.Procedure> managed() {
    return procedures(true);
  }

  private List<Symbol.Procedure> procedures(boolean onlyManaged) {
    List<Symbol.Procedure> procedures = new ArrayList<>();
    for (Extent extent : found.get().extents) {
      if (onlyManaged && !SymbolKind.isManagedProcedure(extent.kind)) {
        continue;
      }
      if (pdb.reading(what(), new Symbol.Other(0, 0), () -> at(extent.at))
          instanceof Symbol.Procedure procedure) {
        procedures.add(procedure);
      }
    }
    return procedures;
  }

  /** The inline sites of a procedure. */
  public List<Symbol.InlineSite> inlineSites(Symbol.Procedure procedure) {
    List<Symbol.InlineSite> sites = new ArrayList<>();
    long end = Math.min(procedure.end(), module.symbolBytes());
    walk(
        new CodeViewCursor(stream, procedure.at(), end),
        r -> {
          if ((r.kind() == S_INLINESITE || r.kind() == S_INLINESITE2)
              && Symbol.of(r) instanceof Symbol.InlineSite site) {
            sites.add(site);
          }
        });
    return sites;
  }

  /** The lines since Visual C++ 8; empty if the module has none. */
  public Optional<C13Lines> c13Lines() {
    return c13.get();
  }

  private Optional<C13Lines> readC13() {
    return module.c13Bytes() == 0
        ? Optional.empty()
        : pdb.reading(
            "lines of module " + module.number(),
            stream,
            Optional.empty(),
            s -> Optional.of(C13Lines.read(s.part(module.c13Begin(), module.c13Bytes()))));
  }

  /** The lines before Visual C++ 8; empty if the module has none. */
  public Optional<C11Lines> c11Lines() {
    return c11.get();
  }

  private Optional<C11Lines> readC11() {
    return module.c11Bytes() == 0
        ? Optional.empty()
        : pdb.reading(
            "lines of module " + module.number(),
            stream,
            Optional.empty(),
            s -> Optional.of(C11Lines.read(s.part(module.c11Begin(), module.c11Bytes()))));
  }

  /** Returns the line row that contains an address. */
  public Optional<LineRow> line(int section, long offset) {
    return pdb.reading(
        "lines of module " + module.number(),
        Optional.empty(),
        () ->
            c13.get()
                .flatMap(lines -> lines.row(section, offset))
                .or(() -> c11.get().flatMap(lines -> lines.row(section, offset))));
  }

  /** Returns the first line row of a function that starts at an address. */
  public Optional<LineRow> startLine(int section, long offset) {
    return pdb.reading(
        "lines of module " + module.number(),
        Optional.empty(),
        () ->
            c13.get()
                .flatMap(lines -> lines.startRow(section, offset))
                .or(() -> c11.get().flatMap(lines -> lines.startRow(section, offset))));
  }

  /** All rows of lines. */
  public List<LineRow> lines() {
    return pdb.reading(
        "lines of module " + module.number(),
        List.<LineRow>of(),
        () -> {
          List<LineRow> rows = c13.get().map(C13Lines::rows).orElse(List.of());
          return rows.isEmpty() ? c11.get().map(C11Lines::rows).orElse(List.of()) : rows;
        });
  }

  /**
   * Returns the name of a source file.
   *
   * @param file as in a row
   * @return empty if unknown
   */
  public String file(long file) {
    return pdb.reading(
        "files of module " + module.number(),
        "",
        () -> {
          if (c13.get().filter(C13Lines::hasFiles).isPresent()) {
            return c13.get()
                .flatMap(lines -> lines.file(file))
                .map(source -> pdb.names().text(source.name()))
                .filter(name -> !name.isEmpty())
                .orElseGet(() -> {
                  unnamedFile(file);
                  return "";
                });
          }
          return c11.get().map(lines -> lines.file(file)).orElse("");
        });
  }

  private void unnamedFile(long file) {
    if (file >= 0) {
      pdb.gap(
          "files of module " + module.number(),
          new DamagedInput(
              pdb.name(),
              stream.fileOffset(module.c13Begin()),
              "source file %Xh has no name".formatted(file)));
    }
  }
}
