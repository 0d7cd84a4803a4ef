package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.live.code.Geometry;
import io.ntrail.live.target.TargetMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Frames of traced functions that are on their way in a target: of each one its slot knows where
 * the return address lies, and what it truly is.
 */
final class LiveFrames {
  private static final int SLOTS_BYTES = Geometry.STRIDE * (Geometry.SLOTS + 1);

  private static final int PAGE = 0x1000;

  /** Farther from the base of a stack no frame is looked for. */
  private static final long MOST_STACK = 1L << 30;

  private final TargetMemory memory;
  private final TracingMemory tracing;

  LiveFrames(TargetMemory memory, TracingMemory tracing) {
    this.memory = memory;
    this.tracing = tracing;
  }

  /** Bases of the stacks that have areas. */
  List<Long> stacks() {
    List<Long> stacks = new ArrayList<>();
    for (long area : tracing.areas()) {
      long base = memory.read(area + Geometry.STACK_BASE, 8).i64(0);
      if (base != 0) {
        stacks.add(base);
      }
    }
    return stacks;
  }

  /**
   * Puts the true return addresses back. All threads have to stand, none of them in a slot.
   *
   * @return how many frames there were
   */
  int repair() {
    int repaired = 0;
    for (long area : tracing.areas()) {
      long base = memory.read(area + Geometry.STACK_BASE, 8).i64(0);
      if (base != 0 && !memory.isFree(base - 8)) {
        repaired += repair(area, base);
      }
    }
    return repaired;
  }

  private int repair(long area, long base) {
    Bytes data = memory.read(area + Geometry.data(0), SLOTS_BYTES);
    // What a frame that is long gone left may lie where there is no stack any more.
    Map<Long, byte[]> pages = new HashMap<>();
    int repaired = 0;
    // The last slot first: what a tail call returns to is the slot before, at the same place.
    for (int slot = Geometry.SLOTS - 1; slot >= 0; slot--) {
      int at = Geometry.STRIDE * slot;
      long place = data.i64(at + Geometry.KEY) - 8;
      if (place > 0 && place < base && base - place <= MOST_STACK && place % 8 == 0) {
        byte[] page = pages.computeIfAbsent(place & -PAGE, p -> memory.readUpTo(p, PAGE));
        int offset = (int) (place & PAGE - 1);
        long exit = area + Geometry.code(slot) + tracing.area().exit();
        if (page.length == PAGE && Bytes.copyOf(page, "stack").i64(offset) == exit) {
          byte[] caller = new BytesOut(8).u64(data.i64(at + Geometry.RET)).toArray();
          memory.write(place, caller);
          System.arraycopy(caller, 0, page, offset, caller.length);
          repaired++;
        }
      }
    }
    return repaired;
  }
}
