package io.ntrail.live.patch;

import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetModule;
import java.util.ArrayList;
import java.util.List;

/** Allocates memory for stubs near modules, with low halves of addresses that are unique. */
final class StubMemory {
  private final TargetMemory memory;
  private final List<long[]> lowRanges = new ArrayList<>();

  StubMemory(TargetMemory memory) {
    this.memory = memory;
  }

  /** Returns the address of new memory within reach of a whole module; 0 if there is none. */
  long allocate(TargetModule module, long size) {
    List<Long> refused = new ArrayList<>();
    long begin = module.base();
    long end = begin + module.size();
    long base = 0;
    while (base == 0) {
      long found = memory.allocateNear(begin, end, size, TargetMemory.READ_WRITE);
      if (found == 0) {
        break;
      }
      if (isUnique(found, size)) {
        base = found;
      } else {
        refused.add(found);
      }
    }
    refused.forEach(memory::free);
    return base;
  }

  private boolean isUnique(long base, long size) {
    long low = base & 0xFFFF_FFFFL;
    if (low + size > 0x1_0000_0000L) {
      return false;
    }
    for (long[] range : lowRanges) {
      if (low < range[1] && range[0] < low + size) {
        return false;
      }
    }
    lowRanges.add(new long[] {low, low + size});
    return true;
  }
}
