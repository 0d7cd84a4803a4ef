package io.ntrail.live.trace;

import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.NearBlock;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** Writes stubs beside modules, and the jumps to them into functions while all threads stand. */
final class Patcher {
  private static final int PAGE = 0x1000;
  private static final int JUMP = 5;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final List<long[]> lowRanges = new ArrayList<>();
  private final List<Patched> patched = new ArrayList<>();
  private final List<PlannedFunction> outOfReach = new ArrayList<>();

  /** A function with its body thunk. */
  record Patched(PlannedFunction function, long stub, long body) {}

  Patcher(TargetProcess target, TracingMemory tracing) {
    this.target = target;
    this.memory = target.memory();
    this.tracing = tracing;
  }

  /** Everything that has a stub. */
  List<Patched> patched() {
    return List.copyOf(patched);
  }

  /** What cannot be patched although it was planned: no memory is near enough. */
  List<PlannedFunction> outOfReach() {
    return List.copyOf(outOfReach);
  }

  /**
   * Writes the stubs of functions of one module. The functions themselves stay as they are.
   *
   * @return what was added
   */
  List<Patched> prepare(PlannedModule module, List<PlannedFunction> functions) {
    long size = NearBlock.size(functions.size());
    long base = near(module, size);
    if (base == 0) {
      outOfReach.addAll(functions);
      return List.of();
    }
    NearBlock block = new NearBlock(base, tracing.words(), tracing.runtime());
    List<PlannedFunction> added = new ArrayList<>();
    List<Long> stubs = new ArrayList<>();
    for (PlannedFunction function : functions) {
      TracedCode code = function.code().orElseThrow();
      if (block.reaches(code)) {
        stubs.add(block.add(code));
        added.add(function);
      } else {
        outOfReach.add(function);
      }
    }
    byte[] bytes = block.bytes();
    memory.write(base, bytes);
    memory.protect(base, size, TargetMemory.EXECUTE_READ);
    tracing.table(base + block.tableAt(), block.entries(), base, base + block.tableAt());
    List<Patched> result = new ArrayList<>();
    for (int i = 0; i < added.size(); i++) {
      result.add(new Patched(added.get(i), stubs.get(i), block.bodies().get(i)));
    }
    patched.addAll(result);
    return result;
  }

  /** Memory near a module whose addresses differ from all others in their low halves. */
  private long near(PlannedModule module, long size) {
    List<Long> refused = new ArrayList<>();
    long begin = module.module().base();
    long end = begin + module.module().size();
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

  /**
   * Writes the jumps. All threads have to stand; those that stand inside of what is overwritten go
   * on in the copy.
   *
   * @throws CannotGoOn if a function is no longer what it was when it was planned
   */
  void patch(List<Patched> functions, List<Stopped> threads) {
    TreeMap<Long, byte[]> pages = new TreeMap<>();
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      TracedCode code = planned.code().orElseThrow();
      long base = planned.module().module().base();
      long jump = base + planned.patch().jumpAt();
      if (!Arrays.equals(read(pages, code.address(), code.unit().length), code.unit())) {
        throw new CannotGoOn(planned.title() + " was changed while it was being planned", "");
      }
      long distance = function.stub() - (jump + JUMP);
      write(pages, jump, new BytesOut(8).u8(0xE9).u32((int) distance).toArray());
      long back = jump - (code.address() + 2);
      write(pages, code.address(), new byte[] {(byte) 0xEB, (byte) back});
    }
    moveThreads(functions, threads);
    flush(pages);
  }

  private void moveThreads(List<Patched> functions, List<Stopped> threads) {
    TreeMap<Long, Patched> byAddress = new TreeMap<>();
    functions.forEach(f -> byAddress.put(f.function().code().orElseThrow().address(), f));
    for (Stopped thread : threads) {
      ThreadContext context = target.threads().context(thread.handle(), ThreadContext.CONTROL);
      var below = byAddress.lowerEntry(context.rip());
      if (below != null) {
        TracedCode code = below.getValue().function().code().orElseThrow();
        long inside = context.rip() - code.address();
        if (inside < code.unit().length) {
          target
              .threads()
              .context(thread.handle(), context.rip(below.getValue().body() + inside));
        }
      }
    }
  }

  private byte[] page(TreeMap<Long, byte[]> pages, long address) {
    return pages.computeIfAbsent(
        address & -PAGE, at -> memory.read(at, PAGE).array(0, PAGE));
  }

  private byte[] read(TreeMap<Long, byte[]> pages, long address, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = page(pages, address + i)[(int) (address + i & PAGE - 1)];
    }
    return bytes;
  }

  private void write(TreeMap<Long, byte[]> pages, long address, byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      page(pages, address + i)[(int) (address + i & PAGE - 1)] = bytes[i];
    }
  }

  /** Writes pages that lie side by side in one go. */
  private void flush(TreeMap<Long, byte[]> pages) {
    List<Long> addresses = new ArrayList<>(pages.keySet());
    for (int from = 0; from < addresses.size(); ) {
      int to = from + 1;
      while (to < addresses.size() && addresses.get(to) == addresses.get(to - 1) + PAGE) {
        to++;
      }
      BytesOut run = new BytesOut((to - from) * PAGE);
      for (int i = from; i < to; i++) {
        run.bytes(pages.get(addresses.get(i)));
      }
      long at = addresses.get(from);
      int old = memory.protect(at, run.size(), TargetMemory.EXECUTE_READ_WRITE);
      memory.write(at, run.array(), 0, run.size());
      memory.protect(at, run.size(), old);
      memory.flush(at, run.size());
      from = to;
    }
  }
}
