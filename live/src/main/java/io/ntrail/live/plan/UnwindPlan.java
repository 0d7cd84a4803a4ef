package io.ntrail.live.plan;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.UnwindProbes.Unwinder;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.TargetPaths;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.symbols.PdbSearch;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Part of a module in unwinding, where exceptions do not follow function tables: the function in
 * front of which tracing records which frames are left, and the unwinder that has to be told of
 * slots.
 *
 * @param probe of ntdll {@code RtlUnwind}, of C runtimes {@code longjmp}; empty if the module has
 *     neither, or if it cannot be patched
 * @param isMissing whether it has one that cannot be patched: frames that it leaves are only
 *     noticed when another function of their stack is entered or left
 * @param unwinder for C++ of GNU compilers
 */
public record UnwindPlan(Optional<Probe> probe, boolean isMissing, GnuUnwinder unwinder) {
  /** The module has no part in it. */
  public static final UnwindPlan NONE = new UnwindPlan(Optional.empty(), false, GnuUnwinder.NONE);

  /** C runtimes whose jump buffers are Microsoft's. */
  private static final Pattern RUNTIMES =
      Pattern.compile("msvcrt|ucrtbase|msvcr\\d+d?|vcruntime.*");

  /**
   * Function that leaves frames.
   *
   * @param unwinder which one it is
   * @param function how it is patched; its unit has all bytes that its jump overwrites
   */
  public record Probe(Unwinder unwinder, PlannedFunction function) {}

  /** Plans a module of a target; for other architectures than IA-32 there is nothing to do. */
  public static UnwindPlan of(TargetProcess target, TargetModule module, PdbSearch symbols) {
    if (TargetImage.headers(target.memory(), module).headers().machine() != MachineType.I386) {
      return NONE;
    }
    PeImage image = TargetImage.read(target.memory(), module);
    try (ModuleFile file =
        ModuleFile.open(TargetPaths.here(target.calls(), module.path()), module, image, symbols)) {
      return of(module, image, file.symbols());
    }
  }

  /** Plans a module. */
  static UnwindPlan of(TargetModule module, PeImage image, ModuleSymbols symbols) {
    if (image.headers().machine() != MachineType.I386) {
      return NONE;
    }
    Planner planner =
        Planner.of(new PlannedModule(module, image), ModuleSymbols.NONE, Optional.empty());
    Optional<Unwinder> unwinder =
        unwinder(module).filter(its -> !planner.exported(name(its)).isEmpty());
    Optional<Probe> probe =
        unwinder.flatMap(its ->
            planner
                .planOwn(name(its), planner.exported(name(its)))
                .map(function -> new Probe(its, function)));
    return new UnwindPlan(
        probe, unwinder.isPresent() && probe.isEmpty(), GnuUnwinder.of(image, symbols.names()));
  }

  private static Optional<Unwinder> unwinder(TargetModule module) {
    String stem = module.stem().toLowerCase(Locale.ROOT);
    return stem.equals("ntdll")
        ? Optional.of(Unwinder.RTL_UNWIND)
        : Optional.of(Unwinder.LONGJMP).filter(_ -> RUNTIMES.matcher(stem).matches());
  }

  private static String name(Unwinder unwinder) {
    return switch (unwinder) {
      case RTL_UNWIND -> "RtlUnwind";
      case LONGJMP -> "longjmp";
    };
  }
}
