package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Code and constants of an image's file as they are in memory after the loader relocated them. What
 * a program can write is not among them: it is in memory as the program left it. May be used by
 * several threads.
 */
final class RelocatedFile {
  private static final int PAGE = 0x1000;

  /** Pages that are kept: unwinding reads some of them again and again. */
  private static final int KEPT = 256;

  private final PeImage image;
  private final long base;
  private final Relocations relocations;
  private final Map<Long, Bytes> pages =
      new LinkedHashMap<>(KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Bytes> eldest) {
          return size() > KEPT;
        }
      };

  RelocatedFile(PeImage image, long base) {
    this.image = image;
    this.base = base;
    this.relocations = Relocations.of(image);
  }

  /**
   * Returns an image of which parts are known from memory; the others are as in its file when it
   * was just loaded. Pieces of the file stay in one piece.
   *
   * @param saved parts of the memory by RVA
   */
  static List<Extent> extents(PeImage image, long base, List<Extent> saved) {
    Relocations relocations = Relocations.of(image);
    List<Extent> extents = new ArrayList<>();
    for (Extent extent : image.view().extents()) {
      int length = (int) extent.storedLength();
      if (length == 0) {
        continue;
      }
      Bytes bytes = extent.stored().slice(0, length);
      try {
        long delta = base - image.headers().imageBase();
        bytes = relocations.relocated(extent.rva(), length, delta).bytes();
      } catch (DamagedInput e) {
        // Unrelocated bytes are better than none.
      }
      byte[] merged = bytes.array(0, length);
      saved.forEach(part -> copy(part, extent.rva(), merged));
      extents.add(new Extent(extent.rva(), length, Bytes.copyOf(merged, image.name())));
    }
    extents.addAll(saved);
    // What the loader fills with zeros.
    extents.addAll(image.view().extents());
    return extents;
  }

  private static void copy(Extent from, long rva, byte[] to) {
    long begin = Math.max(rva, from.rva());
    long end = Math.min(rva + to.length, from.rva() + from.storedLength());
    if (begin < end) {
      from.stored()
          .copyTo((int) (begin - from.rva()), to, (int) (begin - rva), (int) (end - begin));
    }
  }

  /** Returns the bytes from an address up to the first one that the file does not tell. */
  synchronized Bytes readUpTo(long address, int most) {
    List<byte[]> pieces = new ArrayList<>();
    long rva = address - base;
    int length = 0;
    while (length < most) {
      long at = rva + length;
      Bytes page = page(at / PAGE * PAGE);
      int into = (int) (at % PAGE);
      int count = Math.min(most - length, page.length() - into);
      if (count <= 0) {
        break;
      }
      pieces.add(page.array(into, count));
      length += count;
    }
    return Bytes.joined(pieces, image.name());
  }

  private Bytes page(long rva) {
    Bytes known = pages.get(rva);
    if (known == null) {
      known = read(rva);
      pages.put(rva, known);
    }
    return known;
  }

  private Bytes read(long rva) {
    int length = (int) Math.min(PAGE, image.view().available(rva));
    boolean isConstant = image.section(rva).map(s -> !s.is(Section.WRITE)).orElse(true);
    if (length == 0 || !isConstant) {
      return Bytes.copyOf(new byte[0], image.name());
    }
    try {
      return relocations.relocated(rva, length, base - image.headers().imageBase()).bytes();
    } catch (DamagedInput e) {
      return Bytes.copyOf(new byte[0], image.name());
    }
  }
}
