package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.Section;
import io.ntrail.programs.image.ParsedImage;

/** The tables of an image: sections, exports, imports. */
final class ImageListings {
  private ImageListings() {}

  static Listing<Section> sections(ParsedImage contents) {
    ListingColumns<Section> columns =
        new ListingColumns<Section>()
            .text("name", contents.image()::sectionName)
            .titled("section")
            .hex("rva", Section::rva)
            .titled()
            .count("virtualSize", Section::virtualSize)
            .titled("in memory")
            .count("rawSize", Section::rawSize)
            .titled("in the file")
            .hex("rawOffset", Section::rawOffset)
            .titled("at")
            .hex("flags", section -> Integer.toUnsignedLong(section.characteristics()))
            .text("access", ImageListings::access)
            .titled();
    return new Listing<>("sections", columns, contents.image().sections()::forEach);
  }

  private static String access(Section section) {
    return (section.is(Section.READ) ? "read" : "")
        + (section.is(Section.WRITE) ? " write" : "")
        + (section.is(Section.EXECUTE) ? " execute" : "")
        + (section.is(Section.SHARED) ? " shared" : "")
        + (section.is(Section.DISCARDABLE) ? " discardable" : "");
  }

  static Listing<Export> exports(ParsedImage contents) {
    ListingColumns<Export> columns =
        new ListingColumns<Export>()
            .count("ordinal", Export::ordinal)
            .titled()
            .hex("rva", Export::rva)
            .titled()
            .text("name", Export::name)
            .titled()
            .text("forward", Export::forward)
            .titled("forwarded to");
    return new Listing<>("exports", columns, sink -> contents.exports().list().forEach(sink));
  }

  /** A function, and the module that it is imported from. */
  record Import(Imports.Module module, Imports.Symbol symbol) {
    private boolean named() {
      return symbol.name() != null;
    }
  }

  static Listing<Import> imports(ParsedImage contents) {
    ListingColumns<Import> columns =
        new ListingColumns<Import>()
            .text("module", row -> row.module.name())
            .titled()
            .text("name", row -> row.symbol.name())
            .titled()
            .knownCount("ordinal", row -> row.named() ? -1 : row.symbol.ordinal())
            .titled()
            .knownCount("hint", row -> row.named() ? row.symbol.ordinal() : -1)
            .titled()
            .hex("slot", row -> row.symbol.slot())
            .titled()
            .flag("delay", row -> row.module.delay())
            .titled("delayed");
    return new Listing<>(
        "imports",
        columns,
        sink -> {
          for (Imports.Module module : contents.imports().modules()) {
            for (Imports.Symbol symbol : module.symbols()) {
              sink.accept(new Import(module, symbol));
            }
          }
        });
  }
}
