package io.ntrail.formats.pe.build;

import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeSectionContent.Link;
import io.ntrail.formats.pe.build.PeSectionContent.Place;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Layout of the sections of an image under construction, in memory and in the file. */
final class PeLayout {
  /** Place of a section. */
  record At(long rva, int offset, int stored, long length) {}

  private record Relocation(long rva, int type, int low) {}

  private final int sectionAlignment;
  private final int fileAlignment;
  private final long base;
  private final boolean wide;
  private final IdentityHashMap<PeSectionContent, At> sections = new IdentityHashMap<>();
  private int headers;
  private long nextRva;
  private int nextOffset;
  private Range certificates = Range.NONE;

  PeLayout(int sectionAlignment, int fileAlignment, long base, boolean wide) {
    this.sectionAlignment = sectionAlignment;
    this.fileAlignment = fileAlignment;
    this.base = base;
    this.wide = wide;
  }

  private static long up(long value, int unit) {
    return (value + unit - 1) / unit * unit;
  }

  /** Sets the size of the headers; must be called first. */
  void headers(int size) {
    headers = (int) up(size, fileAlignment);
    nextRva = up(headers, sectionAlignment);
    nextOffset = headers;
  }

  int headerSize() {
    return headers;
  }

  /** Places a section after the others. */
  void add(PeBuilder.Piece piece) {
    PeSectionContent part = piece.part();
    long length = part.size() + part.reserved();
    // In a file that is mapped as it is, what is reserved must be stored.
    long stored = up(sectionAlignment < 0x1000 ? length : part.size(), fileAlignment);
    if (nextOffset + stored > Integer.MAX_VALUE - 16 || nextRva + length > 0x7FFF_0000L) {
      throw new IllegalStateException("an image is larger than 2 GiB");
    }
    sections.put(part, new At(nextRva, stored == 0 ? 0 : nextOffset, (int) stored, length));
    nextRva = up(nextRva + Math.max(1, length), sectionAlignment);
    nextOffset += (int) stored;
  }

  At at(PeSectionContent part) {
    At at = sections.get(part);
    if (at == null) {
      throw new IllegalStateException("not a section of this image");
    }
    return at;
  }

  long imageSize() {
    return nextRva;
  }

  Range certificates() {
    return certificates;
  }

  long rva(Place place) {
    return at(place.part()).rva + place.at();
  }

  long known(Map<String, Long> labels, String name) {
    Long rva = labels.get(name);
    if (rva == null) {
      throw new IllegalStateException("no place is named " + name);
    }
    return rva;
  }

  boolean hasRelocations(List<PeBuilder.Piece> pieces) {
    return pieces.stream()
        .map(PeBuilder.Piece::part)
        .anyMatch(part ->
            !part.relocations().isEmpty()
                || part.links().stream().anyMatch(link -> type(link) >= 0));
  }

  private int type(Link link) {
    return switch (link.use()) {
      case ADDRESS -> wide ? Relocations.DIR64 : Relocations.HIGHLOW;
      case ADDRESS32 -> Relocations.HIGHLOW;
      case RVA, RELATIVE, DISTANCE, OFFSET -> -1;
    };
  }

  /** Writes the table of all base relocations. */
  void relocations(List<PeBuilder.Piece> pieces, PeSectionContent table) {
    List<Relocation> all = new ArrayList<>();
    for (PeBuilder.Piece piece : pieces) {
      long rva = at(piece.part()).rva;
      for (Link link : piece.part().links()) {
        if (type(link) >= 0) {
          all.add(new Relocation(rva + link.at(), type(link), 0));
        }
      }
      piece
          .part()
          .relocations()
          .forEach(fixed -> all.add(new Relocation(rva + fixed.at(), fixed.type(), fixed.low())));
    }
    all.sort(Comparator.comparingLong(Relocation::rva));
    int begin = 0;
    @Nullable Relocation before = null;
    for (Relocation relocation : all) {
      long page = relocation.rva & -0x1000L;
      if (before == null || (before.rva & -0x1000L) != page) {
        close(table, begin);
        begin = table.size();
        table.u32(page).u32(0);
      }
      table.u16((int) (relocation.rva & 0xFFF) | relocation.type << 12);
      if (relocation.type == Relocations.HIGHADJ) {
        table.u16(relocation.low);
      }
      before = relocation;
    }
    close(table, begin);
  }

  private static void close(PeSectionContent table, int begin) {
    if (table.size() > begin) {
      table.align(4);
      table.setU32(begin + 4, table.size() - begin);
    }
  }

  /** The bytes of the file, all but the headers. */
  byte[] file(
      List<PeBuilder.Piece> pieces,
      Map<String, Long> labels,
      byte[] overlay,
      List<byte[]> certificateContents) {
    PeSectionContent tail = new PeSectionContent(PeBuilder.program(MachineType.I386));
    tail.bytes(overlay);
    if (!certificateContents.isEmpty()) {
      tail.fill((int) (up(nextOffset + tail.size(), 8) - nextOffset - tail.size()), 0);
      int begin = tail.size();
      for (byte[] content : certificateContents) {
        tail.u32(8 + content.length).u16(0x200).u16(2).bytes(content);
        tail.fill((int) (up(content.length, 8) - content.length), 0);
      }
      certificates = new Range(nextOffset + begin, tail.size() - begin);
    }
    byte[] file = new byte[nextOffset + tail.size()];
    System.arraycopy(tail.content(), 0, file, nextOffset, tail.size());
    for (PeBuilder.Piece piece : pieces) {
      At at = at(piece.part());
      byte[] content = piece.part().content();
      for (Link link : piece.part().links()) {
        fill(content, at, link, labels);
      }
      System.arraycopy(content, 0, file, at.offset, content.length);
    }
    return file;
  }

  private void fill(byte[] content, At section, Link link, Map<String, Long> labels) {
    long target = known(labels, link.name()) + link.add();
    long value =
        switch (link.use()) {
          case RVA -> target;
          case ADDRESS, ADDRESS32 -> base + target;
          case RELATIVE -> target - (section.rva + link.at() + 4);
          case DISTANCE -> target - known(labels, link.other());
          case OFFSET -> offset(target);
        };
    int width = link.use() == PeSectionContent.Use.ADDRESS && wide ? 8 : 4;
    for (int i = 0; i < width; i++) {
      content[link.at() + i] = (byte) (value >>> 8 * i);
    }
  }

  private long offset(long rva) {
    return sections.values().stream()
        .filter(at -> rva >= at.rva && rva < at.rva + at.stored)
        .mapToLong(at -> at.offset + rva - at.rva)
        .findFirst()
        .orElse(0);
  }
}
