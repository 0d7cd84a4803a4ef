package io.ntrail.cli.image;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.NamedFunction;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.symbols.ImageSymbols;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolFrame;
import io.ntrail.programs.symbols.SymbolizedAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Symbols of an image: its PDB, if one of this build is found, else the symbol table of its file,
 * if it has one.
 */
final class ImageNames implements AutoCloseable {
  private final ParsedImage contents;
  private final @Nullable OpenPdb pdb;
  private final @Nullable ImageSymbols symbols;
  private final String missing;
  private final List<Gap> lost;
  private final List<String> remarks;
  private @Nullable ImageFunctions functions;

  private ImageNames(ParsedImage contents, @Nullable OpenPdb pdb, PdbSearch.Result found) {
    this.remarks = found.remarks();
    this.contents = contents;
    this.pdb = pdb;
    this.symbols = pdb == null ? null : ImageSymbols.of(pdb.pdb());
    this.missing = found.why();
    this.lost =
        found.damaged().stream()
            .map(tried -> new Gap(tried.place(), 0, -1, "names of functions", tried.why()))
            .toList();
  }

  static ImageNames of(Path file, ParsedImage contents, PdbSearch search) {
    PdbSearch.Result found = search.find(file, contents.image());
    return new ImageNames(contents, found.pdb().orElse(null), found);
  }

  /** Returns whether there is a PDB. */
  boolean hasPdb() {
    return pdb != null;
  }

  /** Returns the reason why there is no PDB; empty if none was named. */
  String missing() {
    return pdb == null ? missing : "";
  }

  /** Stores that should have kept a copy of the PDB and do not, each in a sentence. */
  List<String> remarks() {
    return remarks;
  }

  /** All functions of the image that anybody knows. */
  ImageFunctions functions() {
    if (functions == null) {
      functions =
          ImageFunctions.of(
              contents.image(),
              contents.exports(),
              contents.loadConfig(),
              FunctionTable.of(contents.image()),
              named());
    }
    return functions;
  }

  private List<NamedFunction> named() {
    if (pdb != null) {
      return ImageSymbols.functions(pdb.pdb());
    }
    return ImageFunctions.ofSymbolTable(contents.image());
  }

  /** Returns the name of the function or data at an address; empty if unknown. */
  String begins(long rva) {
    return at(rva)
        .filter(symbol -> symbol.offset() == 0)
        .map(symbol -> symbol.function().function())
        .orElse("");
  }

  /** {@code stock.h:41}, of the innermost function; empty if no line is known. */
  String line(long rva) {
    Optional<SymbolFrame> frame = at(rva).map(symbol -> symbol.frames().getFirst());
    return frame
        .filter(f -> f.line() > 0 && !f.file().isEmpty())
        .map(f -> WindowsPath.lastPart(f.file()) + ":" + f.line())
        .orElse("");
  }

  private Optional<SymbolizedAddress> at(long rva) {
    return symbols == null ? Optional.empty() : symbols.at(rva);
  }

  /** Returns what could not be read of the PDB; of none but damaged ones all of these. */
  List<Gap> gaps() {
    return pdb == null ? lost : pdb.gaps();
  }

  @Override
  public void close() {
    if (pdb != null) {
      pdb.close();
    }
  }
}
