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
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Writes stubs beside modules, and the jumps to them into functions while all threads stand. */
final class Patcher {
  private static final int JUMP = 5;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final List<long[]> lowRanges = new ArrayList<>();
  private final List<Patched> patched = new ArrayList<>();
  private final List<PlannedFunction> outOfReach = new ArrayList<>();
  private final Set<PlannedModule> gone = new HashSet<>();
  private List<Patched> armed = List.of();

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
   * @param tables hears of the function table of what was written
   * @return what was added
   */
  List<Patched> prepare(
      PlannedModule module, List<PlannedFunction> functions, Consumer<TracingMemory.Table> tables) {
    long size = NearBlock.size(functions.size());
    long base = near(module, size);
    if (base == 0 || !tracing.lookup().add(base, size)) {
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
    tables.accept(
        new TracingMemory.Table(
            base + block.tableAt(), block.entries(), base, base + block.tableAt()));
    List<Patched> result = new ArrayList<>();
    List<Long> bodies = block.bodies();
    for (int i = 0; i < added.size(); i++) {
      result.add(new Patched(added.get(i), stubs.get(i), bodies.get(i)));
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

  /** What is written into a target while its threads stand, and was made ready before. */
  final class Change implements AutoCloseable {
    private final Function<PatchPages, List<Patched>> changes;
    private final NavigableMap<Long, Patched> moved;
    private PatchPages pages;
    private List<Patched> result;

    private Change(Function<PatchPages, List<Patched>> changes, NavigableMap<Long, Patched> moved) {
      this.changes = changes;
      this.moved = moved;
      this.pages = new PatchPages(memory);
      this.result = changes.apply(pages);
      pages.open();
    }

    /**
     * Writes. All threads have to stand; those that stand inside of what is overwritten go on in
     * the copy.
     *
     * @throws CannotGoOn if a function is no longer what it was when it was planned
     */
    void write(List<Stopped> threads) {
      if (!moved.isEmpty()) {
        moveThreads(moved, threads);
      }
      while (!pages.write()) {
        // Somebody else changed something near, and that is kept.
        close();
        pages = new PatchPages(memory);
        result = changes.apply(pages);
        pages.open();
      }
      armed = result;
    }

    /** Protects pages as they were. */
    @Override
    public void close() {
      pages.close();
    }
  }

  /**
   * The jumps to stubs.
   *
   * @throws CannotGoOn if a function is no longer what it was when it was planned
   */
  Change arming() {
    // The guard first, and it stays: what was traced may be on its way for long.
    List<Patched> functions = new ArrayList<>();
    if (patched.stream().anyMatch(p -> p.function().hasExits())) {
      tracing.lookup().guard().ifPresent(functions::add);
    }
    patched.stream().filter(p -> !gone.contains(p.function().module())).forEach(functions::add);
    return arming(functions, false);
  }

  /**
   * The same for functions of a module that was loaded since then; what changed in the meantime is
   * left alone.
   */
  Change adding(List<Patched> more) {
    more.forEach(function -> gone.remove(function.function().module()));
    List<Patched> functions = new ArrayList<>();
    if (more.stream().anyMatch(p -> p.function().hasExits())) {
      tracing.lookup().guard().filter(guard -> !armed.contains(guard)).ifPresent(functions::add);
    }
    functions.addAll(more);
    return arming(functions, true);
  }

  private Change arming(List<Patched> functions, boolean more) {
    NavigableMap<Long, Patched> byAddress = new TreeMap<>();
    functions.forEach(f -> byAddress.put(f.function().code().orElseThrow().address(), f));
    List<Patched> before = List.copyOf(armed);
    return new Change(
        pages -> {
          List<Patched> written = jumps(functions, pages, more);
          return Stream.concat(before.stream(), written.stream()).toList();
        },
        byAddress);
  }

  /** What jumps to its stub. */
  List<Patched> armed() {
    return armed;
  }

  /** A module is no longer there: its memory is not touched any more. Stubs and slots stay. */
  void forget(PlannedModule module) {
    gone.add(module);
    armed = armed.stream().filter(p -> !p.function().module().equals(module)).toList();
  }

  private static List<Patched> jumps(
      List<Patched> functions, PatchPages pages, boolean onlyUnchanged) {
    List<Patched> written = new ArrayList<>();
    for (Patched function : functions) {
      TracedCode code = function.function().code().orElseThrow();
      pages.touch(code.address(), code.unit().length);
      pages.touch(jump(function), JUMP);
    }
    pages.read();
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      TracedCode code = planned.code().orElseThrow();
      byte[] room =
          planned.module().image().view().bytes(planned.patch().jumpAt(), JUMP).array(0, JUMP);
      if (!Arrays.equals(pages.get(code.address(), code.unit().length), code.unit())
          || !Arrays.equals(pages.get(jump(function), JUMP), room)) {
        if (onlyUnchanged) {
          continue;
        }
        throw new CannotGoOn(planned.title() + " was changed while it was being planned", "");
      }
      pages.put(jump(function), longJump(function));
      pages.put(code.address(), atFunction(function));
      written.add(function);
    }
    return written;
  }

  private static byte[] longJump(Patched function) {
    long distance = function.stub() - (jump(function) + JUMP);
    return new BytesOut(JUMP).u8(0xE9).u32((int) distance).toArray();
  }

  /** What takes the place of a function's first bytes. */
  private static byte[] atFunction(Patched function) {
    if (function.function().patch().isInPlace()) {
      return longJump(function);
    }
    long back = jump(function) - (function.function().code().orElseThrow().address() + 2);
    return new byte[] {(byte) 0xEB, (byte) back};
  }

  private static long jump(Patched function) {
    PlannedFunction planned = function.function();
    return planned.module().module().base() + planned.patch().jumpAt();
  }

  /**
   * The first bytes of all functions as they were. The long jumps in front of functions stay where
   * they are: a thread may stand between the two.
   */
  Change disarming() {
    Optional<Patched> guard = tracing.lookup().guard();
    List<Patched> functions =
        armed.stream().filter(function -> !guard.equals(Optional.of(function))).toList();
    return new Change(pages -> originals(functions, pages), new TreeMap<>());
  }

  private static List<Patched> originals(List<Patched> functions, PatchPages pages) {
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      pages.touch(planned.code().orElseThrow().address(), planned.patch().overwritten());
    }
    pages.read();
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      TracedCode code = planned.code().orElseThrow();
      int size = planned.patch().overwritten();
      // Whoever patched it after us keeps it.
      if (Arrays.equals(pages.get(code.address(), size), atFunction(function))) {
        pages.put(code.address(), Arrays.copyOf(code.unit(), size));
      }
    }
    return List.of();
  }

  private void moveThreads(NavigableMap<Long, Patched> byAddress, List<Stopped> threads) {
    for (Stopped thread : threads) {
      ThreadContext context = target.threads().context(thread.handle(), ThreadContext.CONTROL);
      var below = byAddress.lowerEntry(context.rip());
      if (below != null) {
        TracedCode code = below.getValue().function().code().orElseThrow();
        long inside = context.rip() - code.address();
        if (inside < code.unit().length) {
          target.threads().context(thread.handle(), context.rip(below.getValue().body() + inside));
        }
      }
    }
  }
}
