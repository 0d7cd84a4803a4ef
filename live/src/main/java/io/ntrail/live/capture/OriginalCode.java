package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.TracedCode;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * Memory of a process in which functions have the first instructions that they have untraced.
 *
 * @param functions that are traced, or were, by address
 * @param patched the memory as it is
 */
record OriginalCode(NavigableMap<Long, TracedCode> functions, AddressSpace patched)
    implements AddressSpace {
  /** An instruction is no longer: what a unit has at most is less than twice that. */
  private static final int MOST_UNIT = 32;

  @Override
  public String name() {
    return patched.name();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return patched.regionAt(address);
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Bytes read = patched.readUpTo(address, most);
    Map<Long, TracedCode> near =
        functions.subMap(address - MOST_UNIT, false, address + read.length(), false);
    if (near.isEmpty()) {
      return read;
    }
    byte[] bytes = read.array(0, read.length());
    for (TracedCode function : near.values()) {
      byte[] unit = function.unit();
      for (int i = 0; i < unit.length; i++) {
        long at = function.address() + i - address;
        if (at >= 0 && at < bytes.length) {
          bytes[(int) at] = unit[i];
        }
      }
    }
    return Bytes.copyOf(bytes, read.name());
  }
}
