package io.ntrail.live.recovery;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.AreaCode.SlotFrame;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Active frames of traced functions in a target: each slot knows the address of its return address,
 * and the original one.
 */
final class ActiveFrames {
  private static final int PAGE = 0x1000;

  /** Limit of the distance between a frame and the base of its stack. */
  private static final long MAX_STACK = 1L << 30;

  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final Architecture architecture;

  ActiveFrames(TargetProcess target, TracingMemory tracing) {
    this.memory = target.memory();
    this.architecture = target.architecture();
    this.tracing = tracing;
  }

  /** Returns the bases of the stacks that have areas. */
  List<Long> stacks() {
    List<Long> stacks = new ArrayList<>();
    for (long area : tracing.areas()) {
      long base = stackBase(area);
      if (base != 0) {
        stacks.add(base);
      }
    }
    return stacks;
  }

  /** Decides whether a return address into a slot may be replaced. */
  @FunctionalInterface
  interface RepairFilter {
    boolean allows(long exit, long place);
  }

  /**
   * Restores the original return addresses. All threads must be suspended, none of them in a slot.
   *
   * @return where they lie
   */
  Set<Long> repair(RepairFilter filter) {
    Set<Long> repaired = new HashSet<>();
    for (long area : tracing.areas()) {
      long base = stackBase(area);
      if (base != 0 && !memory.isFree(base - architecture.pointerSize())) {
        repair(area, base, filter, repaired);
      }
    }
    return repaired;
  }

  private void repair(long area, long base, RepairFilter filter, Set<Long> repaired) {
    AreaCode code = tracing.code().areas();
    Bytes slots = memory.read(area + code.slots(), code.slotsBytes());
    int size = architecture.pointerSize();
    // What a frame that is long gone left may lie where there is no stack any more.
    Map<Long, byte[]> pages = new HashMap<>();
    for (SlotFrame frame : code.frames(area, slots)) {
      long place = frame.place();
      if (place > 0 && place < base && base - place <= MAX_STACK && place % size == 0) {
        byte[] page = pages.computeIfAbsent(place & -PAGE, p -> memory.readUpTo(p, PAGE));
        int offset = (int) (place & PAGE - 1);
        if (page.length == PAGE
            && architecture.pointer(Bytes.copyOf(page, "stack"), offset) == frame.exit()
            && filter.allows(frame.exit(), place)) {
          byte[] caller = architecture.bytes(frame.caller());
          memory.write(place, caller);
          System.arraycopy(caller, 0, page, offset, caller.length);
          repaired.add(place);
        }
      }
    }
  }

  private long stackBase(long area) {
    int size = architecture.pointerSize();
    return architecture.pointer(memory.read(area + architecture.areas().stackBase(), size), 0);
  }
}
