package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.elf.ElfImage;
import io.ntrail.formats.elf.ElfSegment;
import io.ntrail.programs.memory.MemoryRegion.Access;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * An ELF file at an address: its segments at their places, nothing relocated. What is in memory but
 * not in the file is not there. May be used by several threads.
 */
public final class ElfSpace implements AddressSpace {
  private final ElfImage image;

  /** Distance from the addresses of the linker. */
  private final long delta;

  /**
   * Maps a file.
   *
   * @param lowest address of its lowest segment
   */
  public ElfSpace(ElfImage image, long lowest) {
    this.image = image;
    this.delta = lowest - image.lowest();
  }

  @Override
  public String name() {
    return image.name();
  }

  private Optional<ElfSegment> segment(long address) {
    long linked = address - delta;
    // The later one counts where segments overlap, as if they were mapped in order.
    return image.segments().reversed().stream()
        .filter(s -> Long.compareUnsigned(linked - s.address(), s.fileSize()) < 0)
        .findFirst();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return segment(address)
        .map(s -> new MemoryRegion(s.address() + delta, s.fileSize(), access(s), name()));
  }

  private static Set<Access> access(ElfSegment segment) {
    Set<Access> access = EnumSet.noneOf(Access.class);
    if ((segment.flags() & ElfSegment.READ) != 0) {
      access.add(Access.READ);
    }
    if ((segment.flags() & ElfSegment.WRITE) != 0) {
      access.add(Access.WRITE);
    }
    if ((segment.flags() & ElfSegment.EXECUTE) != 0) {
      access.add(Access.EXECUTE);
    }
    return access;
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Optional<ElfSegment> found = segment(address);
    if (found.isEmpty()) {
      return Bytes.copyOf(new byte[0], name());
    }
    ElfSegment segment = found.get();
    long into = address - delta - segment.address();
    int length = (int) Math.min(most, segment.fileSize() - into);
    return image.bytes(segment.offset() + into, length);
  }
}
