package io.ntrail.live.trace;

import io.ntrail.live.code.TracedCode;
import io.ntrail.live.code.UnwindProbes;
import io.ntrail.live.code.UnwindProbes.Unwinder;
import io.ntrail.live.patch.CodePatching;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.OwnFunctionPlan;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.SkipReason;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Functions of a target that leave frames without returning to them, where code in front of them
 * has to record that ({@link UnwindProbes}): they are patched with the traced ones, and are not
 * traced themselves.
 */
final class UnwinderProbes {
  /** C runtimes of Microsoft, by the stem of their file. */
  private static final Pattern RUNTIME =
      Pattern.compile("msvcrt|crtdll|ucrtbased?|msvcr\\d+d?|vcruntime\\d+d?");

  private final TargetProcess target;
  private final Tracer tracer;
  private final Map<PlannedFunction, Unwinder> functions = new LinkedHashMap<>();
  private boolean isInstalled;

  /** A function that is patched. */
  private record Place(TargetModule module, String function, Unwinder unwinder) {}

  private static List<Place> places(TargetProcess target) {
    List<Place> places = new ArrayList<>();
    for (TargetModule module : target.modules()) {
      if (module.stem().equalsIgnoreCase("ntdll")) {
        places.add(new Place(module, "RtlUnwind", Unwinder.RTL_UNWIND));
      } else if (isRuntime(module)) {
        places.add(runtime(module));
      }
    }
    return places;
  }

  private static boolean isRuntime(TargetModule module) {
    return RUNTIME.matcher(module.stem().toLowerCase(Locale.ROOT)).matches();
  }

  private static Place runtime(TargetModule module) {
    return new Place(module, "longjmp", Unwinder.LONGJMP);
  }

  private UnwinderProbes(TargetProcess target, Tracer tracer) {
    this.target = target;
    this.tracer = tracer;
  }

  /**
   * Plans the functions; none where they need no code, or where threads may not be suspended, which
   * patching them needs.
   *
   * @param plan of the traced functions
   */
  static UnwinderProbes of(TargetProcess target, Tracer tracer, TracePlan plan) {
    UnwinderProbes its = new UnwinderProbes(target, tracer);
    boolean mayStop =
        target.isStarted() || plan.choice().map(TracePlan.Selection::mayStop).orElse(true);
    if (mayStop && tracer.memory().code().unwindProbes().isPresent()) {
      its.isInstalled = true;
      List<Place> places = places(target);
      List<OwnFunctionPlan> ahead =
          places.stream()
              .map(one -> OwnFunctionPlan.begin(target, one.module.stem(), one.function))
              .toList();
      for (int i = 0; i < places.size(); i++) {
        Place place = places.get(i);
        ahead
            .get(i)
            .of(target.memory(), place.module, place.function)
            .map(planned -> module(plan, place.module).map(planned::in).orElse(planned))
            .ifPresent(planned -> its.functions.put(planned, place.unwinder));
      }
    }
    return its;
  }

  /** Returns a module as it was planned for its traced functions. */
  private static Optional<PlannedModule> module(TracePlan plan, TargetModule module) {
    return plan.functions().stream()
        .map(PlannedFunction::module)
        .filter(its -> its.module().equals(module))
        .findFirst();
  }

  /** Returns a plan that skips the functions. */
  TracePlan leaveAlone(TracePlan plan) {
    Set<Long> addresses = new HashSet<>();
    functions.keySet().forEach(its -> addresses.add(address(its)));
    return plan.without(
        plan.functions().stream().filter(its -> addresses.contains(address(its))).toList(),
        SkipReason.Kind.NEEDED);
  }

  private static long address(PlannedFunction function) {
    return function.module().module().base() + function.rva();
  }

  /**
   * Writes the code in front of the functions, which are patched from then on with the others, and
   * sees to runtimes that come later.
   */
  void write() {
    if (!isInstalled) {
      return;
    }
    if (!functions.isEmpty()) {
      write(functions);
    }
    tracer.patching().own(new Later());
  }

  private List<Patcher.Patched> write(Map<PlannedFunction, Unwinder> some) {
    UnwindProbes probes = tracer.memory().code().unwindProbes().orElseThrow();
    TargetMemory memory = target.memory();
    long size = (long) probes.most() * some.size();
    long base = memory.allocate(size, TargetMemory.READ_WRITE);
    List<Patcher.Patched> written = new ArrayList<>();
    long at = base;
    for (Map.Entry<PlannedFunction, Unwinder> one : some.entrySet()) {
      TracedCode function = one.getKey().code().orElseThrow();
      UnwindProbes.Probe probe = probes.code(one.getValue(), function, at);
      memory.write(at, probe.bytes());
      Patcher.Patched patched = new Patcher.Patched(one.getKey(), at, at + probe.body());
      tracer.patcher().add(patched);
      written.add(patched);
      at += probes.most();
    }
    memory.protect(base, size, TargetMemory.EXECUTE_READ);
    tracer.memory().beside(new TracingMemory.Block(base, base, size));
    return written;
  }

  /** Functions of runtimes that are loaded while the program is traced. */
  private final class Later implements CodePatching.OwnFunctions {
    @Override
    public boolean mayBeIn(TargetModule module) {
      return isRuntime(module);
    }

    @Override
    public List<Patcher.Patched> in(TargetModule module, Optional<PlannedModule> planned) {
      Place place = runtime(module);
      return OwnFunctionPlan.NONE
          .of(target.memory(), module, place.function)
          .map(found -> planned.map(found::in).orElse(found))
          .map(found -> write(Map.of(found, place.unwinder)))
          .orElse(List.of());
    }
  }
}
