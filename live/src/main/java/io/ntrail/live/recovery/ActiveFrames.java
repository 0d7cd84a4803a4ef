package io.ntrail.live.recovery;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.x64.AreaLayout;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Frames of traced functions that are on their way in a target: of each one its slot knows where
 * the return address lies, and what it truly is.
 */
final class ActiveFrames {
  private static final int SLOTS_BYTES = AreaLayout.STRIDE * (AreaLayout.SLOTS + 1);

  private static final int PAGE = 0x1000;

  /** Farther from the base of a stack no frame is looked for. */
  private static final long MOST_STACK = 1L << 30;

  private final TargetMemory memory;
  private final TracingMemory tracing;

  ActiveFrames(TargetMemory memory, TracingMemory tracing) {
    this.memory = memory;
    this.tracing = tracing;
  }

  /** Bases of the stacks that have areas. */
  List<Long> stacks() {
    List<Long> stacks = new ArrayList<>();
    for (long area : tracing.areas()) {
      long base = memory.read(area + AreaLayout.STACK_BASE, 8).i64(0);
      if (base != 0) {
        stacks.add(base);
      }
    }
    return stacks;
  }

  /** Says of a return address into a slot, and where it lies, whether it may be replaced. */
  @FunctionalInterface
  interface RepairFilter {
    boolean allows(long exit, long place);
  }

  /**
   * Puts the true return addresses back. All threads have to stand, none of them in a slot.
   *
   * @return where they lie
   */
  Set<Long> repair(RepairFilter filter) {
    Set<Long> repaired = new HashSet<>();
    for (long area : tracing.areas()) {
      long base = memory.read(area + AreaLayout.STACK_BASE, 8).i64(0);
      if (base != 0 && !memory.isFree(base - 8)) {
        repair(area, base, filter, repaired);
      }
    }
    return repaired;
  }

  private void repair(long area, long base, RepairFilter filter, Set<Long> repaired) {
    Bytes data = memory.read(area + AreaLayout.data(0), SLOTS_BYTES);
    // What a frame that is long gone left may lie where there is no stack any more.
    Map<Long, byte[]> pages = new HashMap<>();
    // The last slot first: what a tail call returns to is the slot before, at the same place.
    for (int slot = AreaLayout.SLOTS - 1; slot >= 0; slot--) {
      int at = AreaLayout.STRIDE * slot;
      long place = data.i64(at + AreaLayout.KEY) - 8;
      if (place > 0 && place < base && base - place <= MOST_STACK && place % 8 == 0) {
        byte[] page = pages.computeIfAbsent(place & -PAGE, p -> memory.readUpTo(p, PAGE));
        int offset = (int) (place & PAGE - 1);
        long exit = area + AreaLayout.code(slot) + tracing.area().exit();
        if (page.length == PAGE
            && Bytes.copyOf(page, "stack").i64(offset) == exit
            && filter.allows(exit, place)) {
          byte[] caller = new BytesBuilder(8).u64(data.i64(at + AreaLayout.RET)).toArray();
          memory.write(place, caller);
          System.arraycopy(caller, 0, page, offset, caller.length);
          repaired.add(place);
        }
      }
    }
  }
}
