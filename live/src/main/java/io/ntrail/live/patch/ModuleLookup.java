package io.ntrail.live.patch;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.GuardCode;
import io.ntrail.live.code.GuardCode.Range;
import io.ntrail.live.plan.OwnFunctionPlan;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.WindowsVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Protects the system's search for the module of an address. Wine's is not safe for addresses that
 * belong to no module (see {@link GuardCode}), such as those of slots: a guard is put in front of
 * it.
 */
public final class ModuleLookup {
  private static final String MODULE = "ntdll";
  private static final String FUNCTION = "LdrFindEntryForAddress";
  private static final int CODE_BYTES = 0x1000;

  private final TargetMemory memory;
  private final Optional<GuardCode> code;
  private final Optional<Patcher.Patched> guard;
  private final long ranges;
  private final boolean safe;
  private final List<Range> ours = new ArrayList<>();

  private ModuleLookup(
      TargetProcess target, Optional<Patcher.Patched> guard, long ranges, boolean safe) {
    this.memory = target.memory();
    this.code = target.architecture().lookupGuard();
    this.guard = guard;
    this.ranges = ranges;
    this.safe = safe;
    if (guard.isEmpty() && ranges != 0) {
      // Those of other sessions, whose memory may still be there.
      GuardCode left = code.orElseThrow();
      ours.addAll(left.ranges(memory.read(ranges, left.tableBytes())));
    }
  }

  /** Begins to plan the guard, if the target's system is one that needs it. */
  public static OwnFunctionPlan planAhead(TargetProcess target) {
    return isNeeded(target)
        ? OwnFunctionPlan.begin(target, MODULE, FUNCTION)
        : OwnFunctionPlan.NONE;
  }

  private static boolean isNeeded(TargetProcess target) {
    return target.architecture().lookupGuard().isPresent() && WindowsVersion.isWine(target.calls());
  }

  /** Finds out what the target's system is, and writes a guard if one is needed. */
  static ModuleLookup of(TargetProcess target, OwnFunctionPlan ahead) {
    TargetMemory memory = target.memory();
    if (!isNeeded(target)) {
      return new ModuleLookup(target, Optional.empty(), 0, true);
    }
    Optional<PlannedFunction> function =
        target.modules().stream()
            .filter(module -> module.stem().equalsIgnoreCase(MODULE))
            .findFirst()
            .flatMap(module -> plan(memory, module, ahead));
    if (function.isEmpty()) {
      long left = left(target);
      return new ModuleLookup(target, Optional.empty(), left, left != 0);
    }
    TargetModule module = function.get().module().module();
    GuardCode guard = target.architecture().lookupGuard().orElseThrow();
    long base =
        memory.allocateNear(
            module.base(),
            module.base() + module.size(),
            guard.tableBytes() + CODE_BYTES,
            TargetMemory.READ_WRITE,
            _ -> true);
    if (base == 0) {
      return new ModuleLookup(target, Optional.empty(), 0, false);
    }
    long stub = base + guard.tableBytes();
    byte[] front = guard.code(base);
    long body = stub + front.length;
    byte[] rest = target.architecture().body(function.get().code().orElseThrow(), body);
    memory.write(
        stub, new BytesBuilder(front.length + rest.length).bytes(front).bytes(rest).toArray());
    memory.protect(stub, CODE_BYTES, TargetMemory.EXECUTE_READ);
    return new ModuleLookup(
        target, Optional.of(new Patcher.Patched(function.get(), stub, body)), base, true);
  }

  /**
   * Returns the address of the ranges of a guard that another session left in force; 0 if there is
   * none.
   */
  private static long left(TargetProcess target) {
    long function = target.calls().find(MODULE + "!" + FUNCTION);
    if (function == 0) {
      return 0;
    }
    long jump = PatchJumps.destination(target.memory(), function);
    GuardCode code = target.architecture().lookupGuard().orElseThrow();
    return jump == 0 ? 0 : code.tableOf(target.memory().readUpTo(jump, code.codeSize()));
  }

  /** Removes memory of other sessions from a guard that was left. All threads must be suspended. */
  public static void forgetLeft(TargetProcess target, List<TracingMemory.Block> blocks) {
    if (isNeeded(target)) {
      long ranges = left(target);
      if (ranges != 0) {
        ModuleLookup found = new ModuleLookup(target, Optional.empty(), ranges, true);
        found.forget(blocks);
      }
    }
  }

  /** Plans the guard, if the function's first instructions can be moved without unwind data. */
  private static Optional<PlannedFunction> plan(
      TargetMemory memory, TargetModule module, OwnFunctionPlan ahead) {
    return ahead
        .of(memory, module, FUNCTION)
        .filter(planned -> planned.code().orElseThrow().relative().isEmpty())
        .filter(planned -> planned.code().orElseThrow().prologue().length == 0);
  }

  /** Returns whether frames of slots can be looked up without harm. */
  public boolean isSafe() {
    return safe;
  }

  /** Returns the guard's own memory. */
  public Optional<TracingMemory.Block> block() {
    return guard.map(
        _ -> new TracingMemory.Block(ranges, ranges, code.orElseThrow().tableBytes() + CODE_BYTES));
  }

  /** Returns the function to patch together with the traced ones. */
  Optional<Patcher.Patched> guard() {
    return guard;
  }

  /**
   * Adds memory that belongs to tracing; threads may look up addresses meanwhile.
   *
   * @return false if the table is full
   */
  public boolean add(long begin, long size) {
    if (ranges == 0) {
      return true;
    }
    GuardCode its = code.orElseThrow();
    if (ours.size() >= its.maxRanges()) {
      return false;
    }
    Range range = new Range(begin, size);
    memory.write(
        its.added(ours.size(), range).stream()
            .map(piece -> new TargetMemory.Write(ranges + piece.at(), piece.bytes()))
            .toList());
    ours.add(range);
    return true;
  }

  /** Removes memory that is freed: it may be a module's next. All threads must be suspended. */
  public void forget(List<TracingMemory.Block> blocks) {
    if (ranges != 0
        && ours.removeIf(
            range -> blocks.stream().anyMatch(block -> block.begin() == range.begin()))) {
      memory.write(ranges, code.orElseThrow().table(ours));
    }
  }
}
