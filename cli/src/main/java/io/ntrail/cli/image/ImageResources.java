package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.Resources;
import io.ntrail.formats.pe.Resources.Data;
import io.ntrail.formats.pe.Resources.Entry;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code image --resources}: the tree of types, names and languages. */
final class ImageResources {
  private final Resources resources;

  private ImageResources(Resources resources) {
    this.resources = resources;
  }

  static ImagePart of(Resources resources) {
    ImageResources part = new ImageResources(resources);
    Listing listing =
        new Listing(
            "resources",
            List.of(
                Column.name("type", "type"),
                Column.name("name", "name"),
                Column.name("language", "language"),
                Column.number("rva", "rva"),
                Column.number("size", "bytes"),
                Column.number("codePage", "code page")),
            part::rows);
    return new ImagePart(
        listing, (out, limit, width) -> part.print(out, listing, limit, width), listing::json);
  }

  private void rows(Consumer<List<Cell>> sink) {
    for (Entry type : resources.entries()) {
      leaves(Resources.typeName(type), "", "", type, sink);
    }
  }

  /** Three levels as a rule: the last one is the language, what lies between them the name. */
  private static void leaves(
      String type, String name, String language, Entry entry, Consumer<List<Cell>> sink) {
    @Nullable Data data = entry.data();
    if (data != null) {
      sink.accept(
          List.of(
              new Cell.Text(type),
              new Cell.Text(name.isEmpty() ? null : name),
              new Cell.Text(language.isEmpty() ? null : language),
              new Cell.Hex(data.rva()),
              new Cell.Count(data.size()),
              new Cell.Count(data.codePage())));
      return;
    }
    for (Entry below : entry.entries()) {
      if (below.data() == null) {
        leaves(type, name.isEmpty() ? below.text() : name + "/" + below.text(), "", below, sink);
      } else {
        leaves(type, name, language(below), below, sink);
      }
    }
  }

  private static String language(Entry entry) {
    return entry.name() != null ? entry.name() : Long.toString(entry.id());
  }

  private void print(PrintStream out, Listing listing, long limit, int width) {
    long rows = listing.table(out, limit, width);
    out.println(
        Numbers.counted(rows, "resource")
            + " of "
            + Numbers.counted(resources.entries().size(), "type"));
  }
}
