package io.ntrail.cli.symbols;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.symbols.ImageSymbols;
import java.util.function.Consumer;

/**
 * {@code symbols IMAGE --find} without a PDB: the exports of the image, then the functions of its
 * own symbol table that it does not export.
 */
final class ImageNameRows {
  private final PeImage image;
  private final NamePattern pattern;

  ImageNameRows(PeImage image, NamePattern pattern) {
    this.image = image;
    this.pattern = pattern;
  }

  Listing<SymbolRows.Row> listing() {
    return SymbolRows.listing(this::rows);
  }

  private void rows(Consumer<SymbolRows.Row> sink) {
    ImageFunctions functions = ImageFunctions.withSymbolTable(image);
    LongSet exported = new LongSet();
    for (Export export : Exports.of(image).list()) {
      boolean isForward = export.forward() != null;
      if (!isForward) {
        exported.add(export.rva());
      }
      String name = export.name();
      if (name != null) {
        long size = isForward ? -1 : size(functions, export.rva());
        add(
            isForward ? -1 : export.rva(),
            size,
            isForward ? "forwarded export" : "export",
            name,
            sink);
      }
    }
    for (ImageFunction function : functions.list()) {
      if (function.is(Source.SYMBOL_TABLE) && !exported.contains(function.rva())) {
        for (String name : function.names()) {
          add(function.rva(), function.size(), "symbol table", name, sink);
        }
      }
    }
  }

  private static long size(ImageFunctions functions, long rva) {
    int index = functions.indexUpTo(rva);
    ImageFunction function = index < 0 ? null : functions.list().get(index);
    return function == null || function.rva() != rva ? -1 : function.size();
  }

  private void add(long rva, long size, String kind, String name, Consumer<SymbolRows.Row> sink) {
    String plain = ImageSymbols.plain(name);
    if (pattern.matches(plain) || pattern.matches(name)) {
      sink.accept(
          new SymbolRows.Row(rva, size, kind, plain.equals(name) ? null : name, plain, null, null));
    }
  }
}
