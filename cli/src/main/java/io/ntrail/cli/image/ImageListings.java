package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.Section;
import io.ntrail.programs.image.ParsedImage;
import org.jspecify.annotations.Nullable;

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

  /**
   * A function, and the module that it is imported from.
   *
   * @param symbol null: of the module no function is known
   */
  record Import(Imports.Module module, Imports.@Nullable Symbol symbol) {
    private @Nullable String name() {
      return symbol == null ? null : symbol.name();
    }

    private long ordinal() {
      return symbol == null || symbol.name() != null ? -1 : symbol.ordinal();
    }

    private long hint() {
      return symbol == null || symbol.name() == null ? -1 : symbol.ordinal();
    }

    private long slot() {
      return symbol == null ? module.addressesRva() : symbol.slot();
    }
  }

  /** The imports of an image; a module of which no function is known has a row, too. */
  static ImagePart importsPart(ParsedImage contents) {
    Listing<Import> listing = imports(contents);
    return new ImagePart(
        listing,
        (out, limit, width) -> {
          listing.table(out, limit, width);
          out.println(Numbers.counted(contents.imports().count(), "import"));
        },
        listing::json);
  }

  private static Listing<Import> imports(ParsedImage contents) {
    ListingColumns<Import> columns =
        new ListingColumns<Import>()
            .text("module", row -> row.module.name())
            .titled()
            .text("name", Import::name)
            .titled()
            .knownCount("ordinal", Import::ordinal)
            .titled()
            .knownCount("hint", Import::hint)
            .titled()
            .hex("slot", Import::slot)
            .titled()
            .flag("delay", row -> row.module.delay())
            .titled("delayed");
    return new Listing<>(
        "imports",
        columns,
        sink -> {
          for (Imports.Module module : contents.imports().modules()) {
            if (module.symbols().isEmpty()) {
              sink.accept(new Import(module, null));
            }
            for (Imports.Symbol symbol : module.symbols()) {
              sink.accept(new Import(module, symbol));
            }
          }
        });
  }
}
