package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.fixups.Relocations;
import io.ntrail.programs.memory.MemoryRegion.Access;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * An image of a file at an address, as the loader maps it there: sections at their places, zeros
 * after what is stored, base relocations applied. Imports are as in the file. May be used by
 * several threads.
 */
public final class ImageSpace implements AddressSpace {
  private static final long PAGE = 0x1000;

  private final PeImage image;
  private final long base;
  private final long delta;
  private final Relocations relocations;
  private final long end;

  /**
   * Maps an image.
   *
   * @param image read from a file: one from memory is relocated already
   * @param base address of its headers
   */
  public ImageSpace(PeImage image, long base) {
    this.image = image;
    this.base = base;
    this.delta = base - image.headers().imageBase();
    this.relocations = Relocations.of(image);
    this.end = image.view().extents().stream().mapToLong(ImageView.Extent::end).max().orElse(0);
  }

  @Override
  public String name() {
    return image.name();
  }

  /** Returns the image. */
  public PeImage image() {
    return image;
  }

  /** Returns the address of the headers. */
  public long base() {
    return base;
  }

  /** Returns the number of bytes from the base to the last one that is mapped. */
  public long size() {
    return end;
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    long rva = address - base;
    long there = available(rva);
    if (there == 0) {
      return Optional.empty();
    }
    Optional<Section> section = image.section(rva);
    if (section.isEmpty()) {
      long headers = Math.min(end, image.headers().sizeOfHeaders() + PAGE - 1 & -PAGE);
      long begin = rva < headers ? 0 : rva & -PAGE;
      long length = rva < headers ? headers : Math.min(PAGE, rva - begin + there);
      return Optional.of(new MemoryRegion(base + begin, length, EnumSet.of(Access.READ), name()));
    }
    long begin = section.get().rva();
    long length = Math.min(section.get().end(), rva + there) - begin;
    return Optional.of(new MemoryRegion(base + begin, length, access(section.get()), name()));
  }

  private static Set<Access> access(Section section) {
    EnumSet<Access> access = EnumSet.noneOf(Access.class);
    if (section.is(Section.READ)) {
      access.add(Access.READ);
    }
    if (section.is(Section.WRITE)) {
      access.add(Access.WRITE);
    }
    if (section.is(Section.EXECUTE)) {
      access.add(Access.EXECUTE);
    }
    return access;
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    long rva = address - base;
    int length = (int) Math.min(most, available(rva));
    if (length == 0) {
      return Bytes.copyOf(new byte[0], name());
    }
    return delta == 0 || !relocations.reach(rva, length)
        ? image.view().bytes(rva, length)
        : relocations.relocated(rva, length, delta).bytes();
  }

  @Override
  public int missingFrom(long address, int most) {
    long rva = address - base;
    if (rva < 0 && rva + most > 0) {
      // It begins below the headers.
      return (int) -rva;
    }
    return (int) Math.min(most, rva < 0 ? most : image.view().missing(rva));
  }

  private long available(long rva) {
    return rva < 0 ? 0 : image.view().available(rva);
  }
}
