package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.Resources;
import io.ntrail.formats.pe.Resources.Data;
import io.ntrail.formats.pe.Resources.Entry;
import java.io.PrintStream;
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
    ListingColumns<Leaf> columns =
        new ListingColumns<Leaf>()
            .text("type", Leaf::type)
            .titled()
            .text("name", leaf -> leaf.name.isEmpty() ? null : leaf.name)
            .titled()
            .text("language", leaf -> leaf.language.isEmpty() ? null : leaf.language)
            .titled()
            .hex("rva", leaf -> leaf.data.rva())
            .titled()
            .count("size", leaf -> leaf.data.size())
            .titled("bytes")
            .count("codePage", leaf -> leaf.data.codePage())
            .titled("code page");
    Listing<Leaf> listing = new Listing<>("resources", columns, part::rows);
    return new ImagePart(
        listing, (out, limit, width) -> part.print(out, listing, limit, width), listing::json);
  }

  /** A resource: where it is in the tree, and where its bytes are. */
  private record Leaf(String type, String name, String language, Data data) {}

  private void rows(Consumer<Leaf> sink) {
    for (Entry type : resources.entries()) {
      leaves(Resources.typeName(type), "", "", type, sink);
    }
  }

  /**
   * Adds the leaves of an entry: usually three levels, the last one the language, the middle one
   * the name.
   */
  private static void leaves(
      String type, String name, String language, Entry entry, Consumer<Leaf> sink) {
    @Nullable Data data = entry.data();
    if (data != null) {
      sink.accept(new Leaf(type, name, language, data));
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

  private void print(PrintStream out, Listing<?> listing, long limit, int width) {
    long rows = listing.table(out, limit, width);
    out.println(
        Numbers.counted(rows, "resource")
            + " of "
            + Numbers.counted(resources.entries().size(), "type"));
  }
}
