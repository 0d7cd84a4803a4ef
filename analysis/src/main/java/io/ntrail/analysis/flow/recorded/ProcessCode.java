package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.naming.Images;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Search;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Code that a process could run at a time: the images of its own and those of the kernel, as far as
 * their files are at hand. May be used by several threads.
 */
final class ProcessCode implements AddressSpace {
  /** Size of the page of thunks that the kernel maps behind a driver. */
  private static final long PAGE = 0x1000;

  private final String name;
  private final List<Images.Load> loads;
  private final CodeSource source;

  private final long[] bases;

  /** Bytes that belong to each load, with the page behind those of the kernel. */
  private final long[] reaches;

  private final long largest;

  /**
   * Puts loads together.
   *
   * @param name of the process, for messages
   * @param loads of several that overlap the one that came last counts
   */
  ProcessCode(String name, List<Images.Load> loads, CodeSource source) {
    this.name = name;
    this.source = source;
    List<Images.Load> sorted = new ArrayList<>(loads);
    sorted.sort(Comparator.comparing(Images.Load::base, Long::compareUnsigned));
    this.loads = List.copyOf(sorted);
    this.bases = sorted.stream().mapToLong(Images.Load::base).toArray();
    this.reaches = new long[bases.length];
    long most = 0;
    for (int i = 0; i < bases.length; i++) {
      Images.Load load = sorted.get(i);
      long room = i + 1 < bases.length ? bases[i + 1] - bases[i] : Long.MAX_VALUE;
      long behind = load.base() < 0 ? (load.size() + PAGE - 1 & -PAGE) + PAGE : load.size();
      reaches[i] = Math.max(load.size(), room < 0 ? behind : Math.min(behind, room));
      most = Math.max(most, reaches[i]);
    }
    this.largest = most;
  }

  /** Returns the same with code from elsewhere. */
  ProcessCode from(CodeSource other) {
    return new ProcessCode(name, loads, other);
  }

  @Override
  public String name() {
    return name;
  }

  /** Returns the loads, by address. */
  List<Images.Load> loads() {
    return loads;
  }

  /** Returns the number of the load that an address belongs to; -1 if it belongs to none. */
  int at(long address) {
    int found = -1;
    int below = Search.floorUnsigned(bases, bases.length, address);
    while (below >= 0 && Long.compareUnsigned(address - bases[below], largest) < 0) {
      boolean isIn = Long.compareUnsigned(address - bases[below], reaches[below]) < 0;
      if (isIn && (found < 0 || loads.get(below).from() > loads.get(found).from())) {
        found = below;
      }
      below--;
    }
    return found;
  }

  /** Returns the memory of the load at an address; empty if nothing is known of it. */
  private Optional<AddressSpace> space(int load) {
    return load < 0
        ? Optional.empty()
        : Optional.ofNullable(source.code(loads.get(load).file(), loads.get(load).base()));
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return space(at(address)).flatMap(space -> space.regionAt(address));
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    int load = at(address);
    long left = load < 0 ? 0 : reaches[load] - (address - bases[load]);
    return space(load)
        .map(space -> space.readUpTo(address, (int) Math.min(most, left)))
        .orElseGet(() -> Bytes.copyOf(new byte[0], name));
  }
}
