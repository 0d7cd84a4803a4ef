package io.ntrail.live.trace;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.target.TargetModule;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** Defines in a recording the modules and functions that the records of one process refer to. */
final class TraceDefinitions {
  private final Recorder recorder;
  private final TraceFile file;
  private final long process;
  private final Map<PlannedModule, Long> numbers = new HashMap<>();
  private final Map<PlannedModule, Long> came = new HashMap<>();
  private final Set<TargetModule> seen = new HashSet<>();
  private final NavigableMap<Long, TracedCode> code = new TreeMap<>();
  private final Map<Integer, Long> addresses = new HashMap<>();

  /**
   * Defines nothing yet.
   *
   * @param process its number in the file
   */
  TraceDefinitions(Recorder recorder, TraceFile file, long process) {
    this.recorder = recorder;
    this.file = file;
    this.process = process;
  }

  /** Defines the process, which runs. */
  void process(TraceTarget target, long began) {
    int pid = target.process().pid();
    recorder.define(to ->
        to.process(
            TracedProcess.running(process, pid, began, target.program(), target.commandLine())
                .of(target.process().architecture().machine())));
  }

  /** Defines the process, which has ended. */
  void ended(TraceTarget target, long began, long end, int exitCode) {
    int pid = target.process().pid();
    long code = exitCode & 0xFFFF_FFFFL;
    recorder.define(to ->
        to.process(
            new TracedProcess(
                process,
                pid,
                began,
                end,
                code,
                target.program(),
                target.commandLine(),
                target.process().architecture().machine())));
  }

  /** Defines functions that can be called from now on. */
  void functions(List<Patcher.Patched> traced) {
    for (Patcher.Patched one : traced) {
      PlannedFunction function = one.function();
      function
          .code()
          .ifPresent(its -> {
            code.put(its.address(), its);
            addresses.put(one.recordAddress(), its.address());
          });
      recorder.function(
          one.recordAddress(),
          one.row(),
          new TracedFunction(
              file.nextFunction(),
              module(function.module()),
              function.rva(),
              function.name(),
              List.of(),
              function.prototype()));
    }
  }

  /** Defines a module in which a caller lies, unless it is defined already. */
  void seen(TargetModule module, PeImage image) {
    if (seen.add(module)
        && numbers.keySet().stream().noneMatch(known -> known.module().equals(module))) {
      define(module, image, file.nextModule(), 0, 0);
    }
  }

  /** Defines a module that was loaded while the program was traced. */
  void comes(PlannedModule module, long ticks) {
    came.putIfAbsent(module, ticks);
    define(module, 0);
  }

  /** Defines that a module was unloaded. */
  void goes(PlannedModule module, long ticks) {
    define(module, ticks);
  }

  /**
   * Defines how many functions were planned, and the overhead of a call.
   *
   * @param ticksPerSecond 0: the overhead is not defined
   */
  void counts(TracePlan plan, long ticksPerSecond, TracingOverhead cost) {
    Map<RecorderCounter, Long> counters = new EnumMap<>(RecorderCounter.class);
    counters.put(RecorderCounter.FUNCTIONS_MATCHED, (long) plan.matched());
    counters.put(RecorderCounter.FUNCTIONS_TRACED, (long) plan.patched());
    counters.put(RecorderCounter.FUNCTIONS_REFUSED, (long) plan.matched() - plan.patched());
    if (ticksPerSecond > 0) {
      counters.put(
          RecorderCounter.PAIR_PICOSECONDS, Math.round(1000 * cost.pairNanos(ticksPerSecond)));
      counters.put(
          RecorderCounter.CLOCK_PAIR_PICOSECONDS,
          Math.round(1000 * cost.clockNanos(ticksPerSecond)));
    }
    file.count(process, counters);
  }

  /**
   * Defines that calls of all traced functions of a plan are missing, as their process ran before.
   *
   * @param now ticks
   * @param nanos how long it ran
   * @param ticksPerSecond 0 if unknown
   */
  void untraced(TracePlan plan, long now, long nanos, long ticksPerSecond) {
    long from = now - Math.round(nanos * (ticksPerSecond / 1e9));
    plan.functions().stream()
        .filter(PlannedFunction::isTraced)
        .map(function -> function.module().module().path())
        .distinct()
        .forEach(path -> file.untraced(process, path, from, now, "its process was traced late"));
  }

  private void define(PlannedModule module, long unloaded) {
    long number = numbers.computeIfAbsent(module, _ -> file.nextModule());
    define(module, number, came.getOrDefault(module, 0L), unloaded);
  }

  /** Returns the code of all functions so far, by address; it grows. */
  NavigableMap<Long, TracedCode> code() {
    return code;
  }

  /**
   * Returns the address of a function; 0 if it is unknown.
   *
   * @param recorded what stands for it in records
   */
  long address(int recorded) {
    return addresses.getOrDefault(recorded, 0L);
  }

  private long module(PlannedModule module) {
    return numbers.computeIfAbsent(
        module,
        m -> {
          long number = file.nextModule();
          define(m, number, 0, 0);
          return number;
        });
  }

  private void define(PlannedModule module, long number, long loaded, long unloaded) {
    define(module.module(), module.image(), number, loaded, unloaded);
  }

  private void define(TargetModule module, PeImage image, long number, long loaded, long unloaded) {
    PeHeaders headers = image.headers();
    var pdb = CodeViewReference.of(image);
    recorder.define(to ->
        to.module(
            new TracedModule(
                number,
                process,
                module.base(),
                new ImageId(headers.timestamp(), headers.sizeOfImage()),
                loaded,
                unloaded,
                module.path(),
                pdb.id(),
                pdb.name())));
  }
}
