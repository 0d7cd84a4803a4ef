package io.ntrail.live.trace;

import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.LookupGuard;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.Planner;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a target's system finds the module of an address. Wine's way is not safe for addresses of no
 * module (see {@link LookupGuard}), and slots are such: there a guard stands in front of it.
 */
final class ModuleLookup {
  private static final String FUNCTION = "LdrFindEntryForAddress";

  private final TargetMemory memory;
  private final Optional<Patcher.Patched> guard;
  private final long ranges;
  private final boolean safe;
  private final List<LookupGuard.Range> ours = new ArrayList<>();
  private int told;

  private ModuleLookup(
      TargetMemory memory, Optional<Patcher.Patched> guard, long ranges, boolean safe) {
    this.memory = memory;
    this.guard = guard;
    this.ranges = ranges;
    this.safe = safe;
  }

  /** Looks what the target's system is, and writes a guard if one is needed. */
  static ModuleLookup of(TargetProcess target) {
    TargetMemory memory = target.memory();
    if (target.calls().find("ntdll!wine_get_version") == 0) {
      return new ModuleLookup(memory, Optional.empty(), 0, true);
    }
    Optional<PlannedFunction> function =
        target.modules().stream()
            .filter(module -> module.stem().equalsIgnoreCase("ntdll"))
            .findFirst()
            .flatMap(module -> plan(memory, module));
    if (function.isEmpty()) {
      return new ModuleLookup(memory, Optional.empty(), 0, false);
    }
    TargetModule module = function.get().module().module();
    int size = LookupGuard.RANGES + 0x1000;
    long base =
        memory.allocateNear(
            module.base(), module.base() + module.size(), size, TargetMemory.READ_WRITE);
    if (base == 0) {
      return new ModuleLookup(memory, Optional.empty(), 0, false);
    }
    long stub = base + LookupGuard.RANGES;
    byte[] code = LookupGuard.code(base);
    long body = stub + code.length;
    byte[] rest = LookupGuard.body(function.get().code().orElseThrow(), body);
    memory.write(stub, new BytesOut(code.length + rest.length).bytes(code).bytes(rest).toArray());
    memory.protect(stub, 0x1000, TargetMemory.EXECUTE_READ);
    return new ModuleLookup(
        memory, Optional.of(new Patcher.Patched(function.get(), stub, body)), base, true);
  }

  /** Only what can be moved without unwind data of its own: nothing that touches the stack. */
  private static Optional<PlannedFunction> plan(TargetMemory memory, TargetModule module) {
    PeImage image = TargetImage.read(memory, module);
    return Planner.planOwn(module, image, FUNCTION)
        .filter(planned -> planned.code().orElseThrow().relative().isEmpty())
        .filter(planned -> planned.code().orElseThrow().prologue().length == 0);
  }

  /** Whether frames of slots can be looked up without harm. */
  boolean isSafe() {
    return safe;
  }

  /** What is to be patched together with the traced functions. */
  Optional<Patcher.Patched> guard() {
    return guard;
  }

  /**
   * Remembers for {@link #tell} that memory belongs to tracing.
   *
   * @return false if no more can be told
   */
  boolean add(long begin, long size) {
    if (guard.isEmpty()) {
      return true;
    }
    if (ours.size() >= LookupGuard.MOST_RANGES) {
      return false;
    }
    ours.add(new LookupGuard.Range(begin, size));
    return true;
  }

  /** Tells the guard what it does not know yet. All threads have to stand. */
  void tell() {
    if (told < ours.size()) {
      memory.write(ranges, LookupGuard.ranges(ours));
      told = ours.size();
    }
  }
}
