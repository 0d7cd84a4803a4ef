package io.ntrail.live.patch;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.LongLongMap;
import io.ntrail.live.code.StoreCode.Store;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext.Registers;
import io.ntrail.live.windows.PreparedWrites;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes stubs near modules, and the jumps to them into functions. */
public final class Patcher {
  /** Number of tries to write when others change the same pages meanwhile. */
  private static final int TRIES = 10;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final List<TracingMemory.Block> blocks = new ArrayList<>();
  private final StubMemory near;
  private final List<Patched> patched = new ArrayList<>();
  private final Set<Patched> own = new HashSet<>();
  private final List<PlannedFunction> outOfReach = new ArrayList<>();
  private final Set<PlannedModule> gone = new HashSet<>();
  private final CrossModifyingWriter stores;
  private boolean guarded;

  /** Functions that jump to their stubs. */
  private Set<Patched> armed = Set.of();

  /** Functions that were disarmed while threads ran, with their long jumps still in place. */
  private final Set<Patched> left = new LinkedHashSet<>();

  /**
   * Function with its stub and its body thunk.
   *
   * @param row its place in tables of calls, if there are any
   */
  public record Patched(PlannedFunction function, long stub, long body, int row) {
    /** A function whose calls are not added up. */
    public Patched(PlannedFunction function, long stub, long body) {
      this(function, stub, body, 0);
    }

    /**
     * Compares the bodies: equal functions have the same one, and others another. The method that
     * the JVM makes for a record takes some milliseconds at its first call.
     */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Patched its && body == its.body;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(body);
    }

    /** Returns the low half of the body's address, which stands for the function in records. */
    public int recordAddress() {
      return (int) body;
    }
  }

  public Patcher(TargetProcess target, TracingMemory tracing) {
    this.target = target;
    this.memory = target.memory();
    this.tracing = tracing;
    this.near = new StubMemory(memory);
    this.stores = new CrossModifyingWriter(target, tracing);
  }

  /** Returns the blocks of stubs. */
  public List<TracingMemory.Block> blocks() {
    return List.copyOf(blocks);
  }

  /** Returns all functions that have a stub. */
  public List<Patched> patched() {
    return List.copyOf(patched);
  }

  /** Adds a function of our own with a stub, to be patched with the others. */
  public void add(Patched more) {
    patched.add(more);
    own.add(more);
  }

  /** Returns whether a function is one of our own, which is not traced. */
  public boolean isOwn(Patched function) {
    return own.contains(function);
  }

  /** Returns how many of the selected functions are armed. */
  public int armedCount() {
    return (int) armed.stream().filter(one -> !own.contains(one)).count();
  }

  /** Returns the planned functions that cannot be patched: no free memory is within reach. */
  List<PlannedFunction> outOfReach() {
    return List.copyOf(outOfReach);
  }

  /**
   * Writes the stubs of functions of one module. The functions themselves stay as they are.
   *
   * @param tables hears of the function table of what was written, if there is one
   * @return what was added
   */
  public List<Patched> prepare(
      PlannedModule module, List<PlannedFunction> functions, Consumer<TracingMemory.Table> tables) {
    long size = tracing.code().stubBytes(functions.size());
    long base = near.allocate(module.module(), size);
    if (base == 0 || !tracing.lookup().add(base, size)) {
      outOfReach.addAll(functions);
      return List.of();
    }
    blocks.add(new TracingMemory.Block(base, base, size));
    StubWriter block = tracing.code().stubs(base);
    List<PlannedFunction> added = new ArrayList<>();
    List<Long> stubs = new ArrayList<>();
    List<Integer> rows = tracing.rows(functions.size());
    for (PlannedFunction function : functions) {
      TracedCode code = function.code().orElseThrow();
      int next = added.size();
      if (block.reaches(code) && next < rows.size()) {
        stubs.add(block.add(code, rows.get(next)));
        added.add(function);
      } else {
        outOfReach.add(function);
      }
    }
    byte[] bytes = block.bytes();
    memory.write(base, bytes);
    memory.protect(base, size, TargetMemory.EXECUTE_READ);
    if (block.entries() > 0) {
      tables.accept(
          new TracingMemory.Table(
              base + block.tableAt(), block.entries(), base, base + block.tableAt()));
    }
    List<Patched> result = new ArrayList<>();
    List<Long> bodies = block.bodies();
    for (int i = 0; i < added.size(); i++) {
      result.add(new Patched(added.get(i), stubs.get(i), bodies.get(i), rows.get(i)));
    }
    patched.addAll(result);
    return result;
  }

  /** Returns the armed functions. */
  public Set<Patched> armed() {
    return Collections.unmodifiableSet(armed);
  }

  /** Prepared change of code, to be written while all threads are suspended. */
  public final class Change implements AutoCloseable {
    private final Function<PatchPages, Set<Patched>> changes;
    private final LongUnaryOperator moved;
    private final Runnable after;
    private PatchPages pages;
    private Set<Patched> result;

    private Change(
        Function<PatchPages, Set<Patched>> changes, LongUnaryOperator moved, Runnable after) {
      this.changes = changes;
      this.moved = moved;
      this.after = after;
      this.pages = new PatchPages(memory);
      this.result = changes.apply(pages);
      pages.open();
    }

    /** Writes the change of code that threads may execute. */
    public void write(List<Stopped> threads) {
      write(threads, () -> false);
    }

    /**
     * Writes the change. All threads must be suspended; those inside overwritten instructions
     * continue at the equivalent address.
     *
     * @param isUnused true if no thread can have begun to execute what is overwritten
     * @throws CannotGoOn if a function is no longer what it was when it was planned
     */
    void write(List<Stopped> threads, BooleanSupplier isUnused) {
      if (!isUnused.getAsBoolean()) {
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
      after.run();
    }

    /** Restores the protection of the pages. */
    @Override
    public void close() {
      pages.close();
    }
  }

  /** Returns all functions that have a stub, except those of unloaded modules. */
  public List<Patched> present() {
    return patched.stream().filter(p -> !gone.contains(p.function().module())).toList();
  }

  /**
   * Prepares arming all functions.
   *
   * @throws CannotGoOn if a function is no longer what it was when it was planned
   */
  Change arming() {
    List<Patched> all = present();
    return arming(all, guard(all), false);
  }

  /** Returns true if the guard that exits of these functions need is in place. */
  boolean isGuarded(List<Patched> functions) {
    return guard(functions).isEmpty();
  }

  /** Prepares arming further functions; those whose code has changed are skipped. */
  Change adding(List<Patched> more) {
    more.forEach(function -> gone.remove(function.function().module()));
    return arming(more, guard(more), true);
  }

  /** Prepares patching the guard that exits of these functions need; empty if it is in place. */
  Optional<Change> guarding(List<Patched> functions) {
    return guard(functions).map(guard -> arming(List.of(), Optional.of(guard), true));
  }

  /** Forgets an unloaded module: its memory is not touched any more. Stubs and slots stay. */
  public void forget(PlannedModule module) {
    gone.add(module);
    armed = armed.stream().filter(p -> !p.function().module().equals(module)).collect(inOrder());
    left.removeIf(p -> p.function().module().equals(module));
  }

  private static Collector<Patched, ?, Set<Patched>> inOrder() {
    return Collectors.toCollection(LinkedHashSet::new);
  }

  private Optional<Patched> guard(List<Patched> traced) {
    // Without functions yet, a library may come whose exits need it, and its thread waits then.
    boolean isNeeded =
        own.containsAll(traced) || traced.stream().anyMatch(p -> p.function().hasExits());
    return guarded || !isNeeded ? Optional.empty() : tracing.lookup().guard();
  }

  private Change arming(List<Patched> traced, Optional<Patched> guard, boolean onlyUnchanged) {
    // The guard first, and it stays: what was traced may be on its way for long.
    List<Patched> functions = new ArrayList<>(guard.stream().toList());
    functions.addAll(traced);
    Set<Patched> before = armed;
    NavigableMap<Long, Patched> byAddress = new TreeMap<>();
    functions.forEach(f -> byAddress.put(f.function().code().orElseThrow().address(), f));
    return new Change(
        pages -> {
          Stream<Patched> written = jumps(functions, pages, onlyUnchanged).stream();
          return Stream.concat(before.stream(), written.filter(p -> !isGuard(p)))
              .collect(inOrder());
        },
        at -> inCopy(byAddress, at),
        () -> {
          guarded |= guard.isPresent();
          left.removeAll(armed);
        });
  }

  /** Returns whether functions can be armed and disarmed while threads execute them. */
  static boolean mayRun(List<Patched> functions) {
    return functions.stream().allMatch(p -> p.function().needsStop().isEmpty());
  }

  /** Arms functions while threads execute them; those whose code has changed are skipped. */
  void armRunning(List<Patched> functions) {
    functions.forEach(function -> gone.remove(function.function().module()));
    boolean done = false;
    for (int tries = 0; !done && tries < TRIES; tries++) {
      PatchPages pages = new PatchPages(memory);
      List<Patched> fit = jumps(functions, pages, true);
      pages.openAsRead();
      try (PreparedWrites far = memory.prepare(farJumps(fit))) {
        done = far.isStill();
        if (done) {
          far.write();
          left.addAll(fit);
          exchange(fit, true);
        }
      } finally {
        pages.close();
      }
    }
  }

  private List<PreparedWrites.Write> farJumps(List<Patched> functions) {
    return functions.stream()
        .filter(function -> !left.contains(function))
        .map(function ->
            new PreparedWrites.Write(
                PatchJumps.at(function),
                PatchJumps.room(function.function()),
                PatchJumps.far(function)))
        .toList();
  }

  /**
   * Disarms functions while threads execute them. The long jumps stay: a thread may be about to
   * execute one.
   */
  void disarmRunning(List<Patched> functions) {
    PatchPages pages = new PatchPages(memory);
    functions.forEach(f -> pages.touch(f.function().code().orElseThrow().address(), 2));
    pages.read();
    pages.openAsRead();
    try {
      exchange(functions, false);
    } finally {
      pages.close();
    }
  }

  private void exchange(List<Patched> functions, boolean arm) {
    List<Store> wanted = new ArrayList<>();
    for (Patched function : functions) {
      TracedCode code = function.function().code().orElseThrow();
      int original = word(code.unit());
      int jump = word(PatchJumps.near(function));
      wanted.add(new Store(code.address(), arm ? original : jump, arm ? jump : original));
    }
    Set<Long> made = stores.write(wanted);
    Set<Patched> after = new LinkedHashSet<>(armed);
    for (Patched function : functions) {
      if (arm && made.contains(function.function().code().orElseThrow().address())) {
        after.add(function);
        left.remove(function);
      } else if (!arm && after.remove(function)) {
        // Whoever patched it after us keeps it, and its long jump with it.
        left.add(function);
      }
    }
    armed = after;
  }

  private static int word(byte[] bytes) {
    return bytes[0] & 0xFF | (bytes[1] & 0xFF) << 8;
  }

  /** Maps an address within the first instructions to the same place in their copy. */
  private static long inCopy(NavigableMap<Long, Patched> byAddress, long at) {
    var below = byAddress.lowerEntry(at);
    if (below != null) {
      TracedCode code = below.getValue().function().code().orElseThrow();
      long inside = at - code.address();
      if (inside < code.unit().length) {
        return below.getValue().body() + inside;
      }
    }
    return at;
  }

  private boolean isGuard(Patched function) {
    return tracing.lookup().guard().equals(Optional.of(function));
  }

  private List<Patched> jumps(List<Patched> functions, PatchPages pages, boolean onlyUnchanged) {
    return PatchJumps.put(functions, pages.pages(), left, one -> !onlyUnchanged || isGuard(one));
  }

  /** Prepares restoring all functions and the padding used for long jumps. */
  public Change disarming() {
    Set<Patched> all = new LinkedHashSet<>(armed);
    all.addAll(left);
    return removing(List.copyOf(all));
  }

  /**
   * Prepares restoring some functions. A thread between the short jump and the long one restarts
   * the function.
   */
  Change removing(List<Patched> functions) {
    LongLongMap anew = new LongLongMap();
    for (Patched function : functions) {
      anew.put(PatchJumps.at(function), function.function().code().orElseThrow().address());
    }
    Set<Patched> rest = new LinkedHashSet<>(armed);
    functions.forEach(rest::remove);
    return new Change(
        pages -> {
          originals(functions, pages);
          return rest;
        },
        at -> anew.containsKey(at) ? anew.get(at) : at,
        () -> functions.forEach(left::remove));
  }

  /** Prepares removing the guard, if it is in place. */
  public Change unguarding() {
    List<Patched> guard = guarded ? tracing.lookup().guard().stream().toList() : List.of();
    return new Change(
        pages -> {
          originals(guard, pages);
          return armed;
        },
        LongUnaryOperator.identity(),
        () -> guarded = false);
  }

  private void originals(List<Patched> functions, PatchPages pages) {
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      pages.touch(planned.code().orElseThrow().address(), planned.patch().overwritten());
      pages.touch(PatchJumps.at(function), PatchJumps.BYTES);
    }
    pages.read();
    for (Patched function : functions) {
      PlannedFunction planned = function.function();
      TracedCode code = planned.code().orElseThrow();
      int size = planned.patch().overwritten();
      // Whoever patched it after us keeps it.
      boolean ours = Arrays.equals(pages.get(code.address(), size), PatchJumps.near(function));
      if (ours) {
        pages.put(code.address(), Arrays.copyOf(code.unit(), size));
      }
      if ((ours || left.contains(function))
          && !planned.patch().isInPlace()
          && Arrays.equals(
              pages.get(PatchJumps.at(function), PatchJumps.BYTES), PatchJumps.far(function))) {
        pages.put(PatchJumps.at(function), PatchJumps.room(planned));
      }
    }
  }

  private void moveThreads(LongUnaryOperator moved, List<Stopped> threads) {
    target
        .threads()
        .contexts(threads, Registers.CONTROL)
        .forEach((thread, context) -> {
          long at = context.instructionPointer();
          long to = moved.applyAsLong(at);
          if (to != at) {
            target.threads().context(thread.handle(), context.instructionPointer(to));
          }
        });
  }
}
