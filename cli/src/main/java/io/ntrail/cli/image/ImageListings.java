package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.Section;
import io.ntrail.programs.image.ParsedImage;
import java.util.List;

/** The tables of an image: sections, exports, imports. */
final class ImageListings {
  private ImageListings() {}

  static Listing sections(ParsedImage contents) {
    return new Listing(
        "sections",
        List.of(
            Column.name("name", "section"),
            Column.number("rva", "rva"),
            Column.number("virtualSize", "in memory"),
            Column.number("rawSize", "in the file"),
            Column.number("rawOffset", "at"),
            Column.hidden("flags"),
            Column.name("access", "access")),
        sink -> {
          for (Section section : contents.image().sections()) {
            sink.accept(
                List.of(
                    new Cell.Text(contents.image().sectionName(section)),
                    new Cell.Hex(section.rva()),
                    new Cell.Count(section.virtualSize()),
                    new Cell.Count(section.rawSize()),
                    new Cell.Hex(section.rawOffset()),
                    new Cell.Hex(Integer.toUnsignedLong(section.characteristics())),
                    new Cell.Text(access(section))));
          }
        });
  }

  private static String access(Section section) {
    return (section.is(Section.READ) ? "read" : "")
        + (section.is(Section.WRITE) ? " write" : "")
        + (section.is(Section.EXECUTE) ? " execute" : "")
        + (section.is(Section.SHARED) ? " shared" : "")
        + (section.is(Section.DISCARDABLE) ? " discardable" : "");
  }

  static Listing exports(ParsedImage contents) {
    return new Listing(
        "exports",
        List.of(
            Column.number("ordinal", "ordinal"),
            Column.number("rva", "rva"),
            Column.name("name", "name"),
            Column.name("forward", "forwarded to")),
        sink -> {
          for (Export export : contents.exports().list()) {
            sink.accept(
                List.of(
                    new Cell.Count(export.ordinal()),
                    new Cell.Hex(export.rva()),
                    new Cell.Text(export.name()),
                    new Cell.Text(export.forward())));
          }
        });
  }

  static Listing imports(ParsedImage contents) {
    return new Listing(
        "imports",
        List.of(
            Column.name("module", "module"),
            Column.name("name", "name"),
            Column.number("ordinal", "ordinal"),
            Column.number("hint", "hint"),
            Column.number("slot", "slot"),
            Column.name("delay", "delayed")),
        sink -> {
          for (Imports.Module module : contents.imports().modules()) {
            for (Imports.Symbol symbol : module.symbols()) {
              boolean named = symbol.name() != null;
              sink.accept(
                  List.of(
                      new Cell.Text(module.name()),
                      new Cell.Text(symbol.name()),
                      named ? Cell.UNKNOWN : new Cell.Count(symbol.ordinal()),
                      named ? new Cell.Count(symbol.ordinal()) : Cell.UNKNOWN,
                      new Cell.Hex(symbol.slot()),
                      new Cell.Flag(module.delay())));
            }
          }
        });
  }
}
