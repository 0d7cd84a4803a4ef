package io.ntrail.live.patch;

import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.List;

/** Allocates memory for stubs near modules, with low halves of addresses that are unique. */
final class StubMemory {
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  private final TargetMemory memory;
  private final List<long[]> lowRanges = new ArrayList<>();

  StubMemory(TargetMemory memory) {
    this.memory = memory;
  }

  /** Returns the address of new memory within reach of a whole module; 0 if there is none. */
  long allocate(TargetModule module, long size) {
    long begin = module.base();
    long end = begin + module.size();
    long base =
        memory.allocateNear(begin, end, size, TargetMemory.READ_WRITE, at -> isUnique(at, size));
    if (base != 0) {
      long low = base & LOW_HALF;
      lowRanges.add(new long[] {low, low + size});
    }
    return base;
  }

  private boolean isUnique(long base, long size) {
    long low = base & LOW_HALF;
    return low + size <= LOW_HALF + 1
        && lowRanges.stream().noneMatch(range -> low < range[1] && range[0] < low + size);
  }
}
