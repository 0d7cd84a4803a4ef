package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code image --relocations}: by section and type for people, every entry for programs; then the
 * dynamic ones.
 */
final class ImageRelocations {
  private static final int TYPES = 16;

  private final PeImage image;
  private final Relocations relocations;
  private final DynamicRelocationRows dynamic;

  private ImageRelocations(PeImage image) {
    this.image = image;
    this.relocations = Relocations.of(image);
    this.dynamic = new DynamicRelocationRows(image);
  }

  static ImagePart of(PeImage image) {
    ImageRelocations part = new ImageRelocations(image);
    return new ImagePart(
        part.entries(),
        (out, limit, width) -> {
          ImagePart.table(part.bySection(), "relocation group").print(out, limit, width);
          part.dynamic.print(out, width);
        },
        part::json);
  }

  /** One relocation. */
  private record Entry(long rva, int type) {}

  private Listing<Entry> entries() {
    ListingColumns<Entry> columns =
        new ListingColumns<Entry>()
            .hex("rva", Entry::rva)
            .titled()
            .text("type", entry -> name(entry.type))
            .titled();
    return new Listing<>(
        "relocations",
        columns,
        sink -> relocations.forEach((rva, type, _) -> sink.accept(new Entry(rva, type))));
  }

  /** Section (0: none) and type that relocations have in common. */
  private record Group(int section, int type) implements Comparable<Group> {
    @Override
    public int compareTo(Group other) {
      int bySection = Integer.compare(section, other.section);
      return bySection != 0 ? bySection : Integer.compare(type, other.type);
    }
  }

  private Listing<Map.Entry<Group, long[]>> bySection() {
    ListingColumns<Map.Entry<Group, long[]>> columns =
        new ListingColumns<Map.Entry<Group, long[]>>()
            .count("count", group -> group.getValue()[0])
            .titled("relocations")
            .text("type", group -> name(group.getKey().type))
            .titled()
            .text("section", group -> section(group.getKey().section))
            .titled();
    return new Listing<>("relocations", columns, sink -> groups().entrySet().forEach(sink));
  }

  private Map<Group, long[]> groups() {
    Map<Group, long[]> groups = new TreeMap<>();
    relocations.forEach((rva, type, _) -> {
      int section = image.section(rva).map(s -> s.number()).orElse(0);
      groups.computeIfAbsent(new Group(section, type), _ -> new long[1])[0]++;
    });
    return groups;
  }

  private String section(int number) {
    return number == 0 ? "(no section)" : image.sectionName(image.sections().get(number - 1));
  }

  private void json(Json json) {
    json.object("relocations").number("count", relocations.count()).object("byType");
    for (int type = 1; type < TYPES; type++) {
      if (relocations.count(type) > 0) {
        json.number(name(type), relocations.count(type));
      }
    }
    json.endObject()
        .number("padding", relocations.count(Relocations.ABSOLUTE))
        .number("blocks", relocations.blocks())
        .text(
            "rva", relocations.range().isPresent() ? Numbers.hex(relocations.range().rva()) : null);
    dynamic.json(json);
    json.endObject();
  }

  private String name(int type) {
    return Relocations.typeName(image.headers().machine(), type);
  }
}
