package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** {@code image --relocations}: by section and type for people, every entry for programs. */
final class ImageRelocations {
  private static final int TYPES = 16;

  private final PeImage image;
  private final Relocations relocations;

  private ImageRelocations(PeImage image) {
    this.image = image;
    this.relocations = Relocations.of(image);
  }

  static ImagePart of(PeImage image) {
    ImageRelocations part = new ImageRelocations(image);
    return new ImagePart(
        part.entries(), ImagePart.table(part.bySection(), "group of relocations"), part::json);
  }

  private Listing entries() {
    return new Listing(
        "relocations",
        List.of(Column.number("rva", "rva"), Column.name("type", "type")),
        sink ->
            relocations.forEach((rva, type, _) ->
                sink.accept(List.of(new Cell.Hex(rva), new Cell.Text(name(type))))));
  }

  private record Group(int section, int type) implements Comparable<Group> {
    @Override
    public int compareTo(Group other) {
      int bySection = Integer.compare(section, other.section);
      return bySection != 0 ? bySection : Integer.compare(type, other.type);
    }
  }

  private Listing bySection() {
    return new Listing(
        "relocations",
        List.of(
            Column.number("count", "relocations"),
            Column.name("type", "type"),
            Column.name("section", "section")),
        this::groups);
  }

  private void groups(Consumer<List<Cell>> sink) {
    Map<Group, long[]> groups = new TreeMap<>();
    relocations.forEach((rva, type, _) -> {
      int section = image.section(rva).map(s -> s.number()).orElse(0);
      groups.computeIfAbsent(new Group(section, type), _ -> new long[1])[0]++;
    });
    groups.forEach((group, count) ->
        sink.accept(
            List.of(
                new Cell.Count(count[0]),
                new Cell.Text(name(group.type)),
                new Cell.Text(
                    group.section == 0
                        ? "(no section)"
                        : image.sectionName(image.sections().get(group.section - 1))))));
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
            "rva", relocations.range().isPresent() ? Numbers.hex(relocations.range().rva()) : null)
        .endObject();
  }

  private String name(int type) {
    return Relocations.typeName(image.headers().machine(), type);
  }
}
