package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetMemory.Region;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Memory of a running process, read when it is asked for and kept then: each page answers for the
 * instant at which it was first read. Guard pages are not touched.
 *
 * <p>Used by one thread at a time, as the agent is.
 */
final class LiveMemory implements AddressSpace {
  private static final int PAGE = 0x1000;

  /** Bytes that are read at once, and begin at a multiple of their number. */
  private static final int CHUNK = 0x1_0000;

  /** Pages that are kept at most. */
  private static final int MOST_PAGES = 1 << 14;

  private static final int FREE = 0x1_0000;
  private static final int COMMIT = 0x1000;
  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "live");

  private final String name;
  private final TargetMemory memory;
  private final Map<Long, Bytes> pages = new HashMap<>();
  private final List<TargetModule> modules;

  /**
   * Reads nothing yet.
   *
   * @param modules owners of regions
   */
  LiveMemory(String name, TargetMemory memory, List<TargetModule> modules) {
    this.name = name;
    this.memory = memory;
    this.modules = List.copyOf(modules);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return memory
        .region(address)
        .filter(region -> region.state() == COMMIT && region.size() > 0)
        .map(region ->
            new MemoryRegion(
                region.base(), region.size(), access(region.protection()), owner(region)));
  }

  /** Returns the permissions of a protection of winnt.h; none for guard pages. */
  static Set<Access> access(int protection) {
    return switch (protection) {
      case 0x02 -> EnumSet.of(Access.READ);
      case 0x04, 0x08 -> EnumSet.of(Access.READ, Access.WRITE);
      case 0x10 -> EnumSet.of(Access.EXECUTE);
      case 0x20 -> EnumSet.of(Access.READ, Access.EXECUTE);
      case 0x40, 0x80 -> EnumSet.allOf(Access.class);
      default -> EnumSet.noneOf(Access.class);
    };
  }

  private String owner(Region region) {
    return modules.stream()
        .filter(module -> module.contains(region.base()))
        .map(TargetModule::path)
        .findFirst()
        .orElse("");
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    List<byte[]> pieces = new ArrayList<>();
    int done = 0;
    while (done < most) {
      long at = address + done;
      int within = (int) (at & PAGE - 1);
      Bytes page = page(at - within);
      int length = Math.min(most - done, page.length() - within);
      if (length <= 0) {
        break;
      }
      if (done == 0 && length == most) {
        return page.slice(within, length);
      }
      pieces.add(page.array(within, length));
      done += length;
    }
    return done == 0 ? NOTHING : Bytes.joined(pieces, name);
  }

  /** Returns a page; nothing if it cannot be read. */
  private Bytes page(long at) {
    Bytes known = pages.get(at);
    if (known != null) {
      return known;
    }
    if (pages.size() > MOST_PAGES) {
      pages.clear();
    }
    readChunk(at);
    return pages.computeIfAbsent(at, _ -> NOTHING);
  }

  private void readChunk(long page) {
    Optional<Region> found = memory.region(page).filter(region -> region.state() != FREE);
    if (found.isEmpty() || !found.get().isReadable()) {
      return;
    }
    Region region = found.get();
    long from = Math.max(page & -CHUNK, region.base());
    long to = Math.min((page & -CHUNK) + CHUNK, region.base() + region.size());
    byte[] bytes = memory.readUpTo(from, (int) (to - from));
    put(from, bytes);
    if (page - from >= bytes.length) {
      // The one that is wanted may lie behind one that cannot be read.
      put(page, memory.readUpTo(page, PAGE));
    }
  }

  private void put(long from, byte[] bytes) {
    Bytes all = Bytes.copyOf(bytes, name);
    for (int at = 0; at + PAGE <= bytes.length; at += PAGE) {
      pages.putIfAbsent(from + at, all.slice(at, PAGE));
    }
  }
}
