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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/** Writes stubs beside modules, and the jumps to them into functions while all threads stand. */
final class Patcher {
  private static final int JUMP = 5;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final List<TracingMemory.Block> blocks = new ArrayList<>();
  private final List<long[]> lowRanges = new ArrayList<>();
  private final List<Patched> patched = new ArrayList<>();
  private final List<PlannedFunction> outOfReach = new ArrayList<>();
  private final Set<PlannedModule> gone = new HashSet<>();
  private List<Patched> armed = List.of();
  private boolean guarded;

  /** A function with its body thunk. */
  record Patched(PlannedFunction function, long stub, long body) {}

  Patcher(TargetProcess target, TracingMemory tracing) {
    this.target = target;
    this.memory = target.memory();
    this.tracing = tracing;
  }

  /** Pages of stubs. */
  List<TracingMemory.Block> blocks() {
    return List.copyOf(blocks);
  }

  /** Everything that has a stub. */
  List<Patched> patched() {
    return List.copyOf(patched);
  }

  /** Something that is patched with what was prepared, and has a stub of its own. */
  void add(Patched more) {
    patched.add(more);
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
    blocks.add(new TracingMemory.Block(base, base, size));
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
    private final LongUnaryOperator moved;
    private final Runnable after;
    private PatchPages pages;
    private List<Patched> result;

    private Change(
        Function<PatchPages, List<Patched>> changes, LongUnaryOperator moved, Runnable after) {
      this.changes = changes;
      this.moved = moved;
      this.after = after;
      this.pages = new PatchPages(memory);
      this.result = changes.apply(pages);
      pages.open();
    }

    /**
     * Writes. All threads have to stand; those that stand inside of what is overwritten go on where
     * the same follows.
     *
     * @throws CannotGoOn if a function is no longer what it was when it was planned
     */
    void write(List<Stopped> threads) {
      moveThreads(moved, threads);
      while (!pages.write()) {
        // Somebody else changed something near, and that is kept.
        close();
        pages = new PatchPages(memory);
        result = changes.apply(pages);
        pages.open();
      }
      armed = result;
      after.run();
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
    return arming(
        patched.stream().filter(p -> !gone.contains(p.function().module())).toList(), false);
  }

  /**
   * The same for functions of a module that was loaded since then; what changed in the meantime is
   * left alone.
   */
  Change adding(List<Patched> more) {
    more.forEach(function -> gone.remove(function.function().module()));
    return arming(more, true);
  }

  /** A module is no longer there: its memory is not touched any more. Stubs and slots stay. */
  void forget(PlannedModule module) {
    gone.add(module);
    armed = armed.stream().filter(p -> !p.function().module().equals(module)).toList();
  }

  private Change arming(List<Patched> traced, boolean onlyUnchanged) {
    // The guard first, and it stays: what was traced may be on its way for long.
    List<Patched> functions = new ArrayList<>();
    boolean guard = !guarded && traced.stream().anyMatch(p -> p.function().hasExits());
    if (guard) {
      tracing.lookup().guard().ifPresent(functions::add);
    }
    functions.addAll(traced);
    List<Patched> before = armed;
    NavigableMap<Long, Patched> byAddress = new TreeMap<>();
    functions.forEach(f -> byAddress.put(f.function().code().orElseThrow().address(), f));
    return new Change(
        pages -> {
          Stream<Patched> written = jumps(functions, pages, onlyUnchanged).stream();
          return Stream.concat(before.stream(), written.filter(p -> !isGuard(p))).toList();
        },
        rip -> inCopy(byAddress, rip),
        () -> guarded |= guard);
  }

  /** From inside of first instructions to the same place in their copy. */
  private static long inCopy(NavigableMap<Long, Patched> byAddress, long rip) {
    var below = byAddress.lowerEntry(rip);
    if (below != null) {
      TracedCode code = below.getValue().function().code().orElseThrow();
      long inside = rip - code.address();
      if (inside < code.unit().length) {
        return below.getValue().body() + inside;
      }
    }
    return rip;
  }

  private boolean isGuard(Patched function) {
    return tracing.lookup().guard().equals(Optional.of(function));
  }

  private List<Patched> jumps(List<Patched> functions, PatchPages pages, boolean onlyUnchanged) {
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
      if (!Arrays.equals(pages.get(code.address(), code.unit().length), code.unit())
          || !Arrays.equals(pages.get(jump(function), JUMP), room(planned))) {
        if (onlyUnchanged && !isGuard(function)) {
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
   * All functions as they were, and the room for long jumps. A thread that stands between the short
   * jump and the long one begins the function anew.
   */
  Change disarming() {
    List<Patched> functions = armed;
    Map<Long, Long> anew = new HashMap<>();
    for (Patched function : functions) {
      anew.put(jump(function), function.function().code().orElseThrow().address());
    }
    return new Change(
        pages -> {
          originals(functions, pages);
          return List.of();
        },
        rip -> anew.getOrDefault(rip, rip),
        () -> {});
  }

  /** The guard taken back, if it is there. */
  Change unguarding() {
    List<Patched> guard = guarded ? tracing.lookup().guard().stream().toList() : List.of();
    return new Change(
        pages -> {
          originals(guard, pages);
          return armed;
        },
        LongUnaryOperator.identity(),
        () -> guarded = false);
  }

  private static void originals(List<Patched> functions, PatchPages pages) {
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      pages.touch(planned.code().orElseThrow().address(), planned.patch().overwritten());
      pages.touch(jump(function), JUMP);
    }
    pages.read();
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      TracedCode code = planned.code().orElseThrow();
      int size = planned.patch().overwritten();
      // Whoever patched it after us keeps it.
      if (Arrays.equals(pages.get(code.address(), size), atFunction(function))) {
        pages.put(code.address(), Arrays.copyOf(code.unit(), size));
        if (!planned.patch().isInPlace()
            && Arrays.equals(pages.get(jump(function), JUMP), longJump(function))) {
          pages.put(jump(function), room(planned));
        }
      }
    }
  }

  private static byte[] room(PlannedFunction planned) {
    return planned.module().image().view().bytes(planned.patch().jumpAt(), JUMP).array(0, JUMP);
  }

  private void moveThreads(LongUnaryOperator moved, List<Stopped> threads) {
    for (Stopped thread : threads) {
      Optional<ThreadContext> context =
          target.threads().find(thread.handle(), ThreadContext.CONTROL);
      long rip = context.map(ThreadContext::rip).orElse(0L);
      long to = moved.applyAsLong(rip);
      if (to != rip) {
        target.threads().context(thread.handle(), context.orElseThrow().rip(to));
      }
    }
  }
}
