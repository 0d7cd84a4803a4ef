package io.ntrail.live.plan;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetPaths;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Plan for an exported function that tracing itself patches, made from the module's file in a
 * thread of its own. It counts where memory is as the file wherever the plan depends on it.
 */
public final class OwnFunctionPlan {
  /** Has no plan: the module is read from memory. */
  public static final OwnFunctionPlan NONE =
      new OwnFunctionPlan(null, "", CompletableFuture.completedFuture(Optional.empty()));

  private final @Nullable TargetModule module;
  private final String function;
  private final CompletableFuture<Optional<Planned>> planned;

  private record Planned(FreshModulePlan plan, PlannedFunction function) {}

  private OwnFunctionPlan(
      @Nullable TargetModule module,
      String function,
      CompletableFuture<Optional<Planned>> planned) {
    this.module = module;
    this.function = function;
    this.planned = planned;
  }

  /** Begins to plan a function of one of the modules of a target, if its file is here. */
  public static OwnFunctionPlan begin(TargetProcess target, String stem, String function) {
    Optional<TargetModule> module =
        target.modules().stream().filter(its -> its.stem().equalsIgnoreCase(stem)).findFirst();
    Optional<Path> file = module.flatMap(its -> TargetPaths.here(target.calls(), its.path()));
    if (file.isEmpty()) {
      return NONE;
    }
    TargetModule its = module.get();
    PeHeaders headers;
    try {
      headers = TargetImage.headers(target.memory(), its).headers();
    } catch (CannotGoOn | DamagedInput e) {
      // Whoever needs the module is told.
      return NONE;
    }
    return new OwnFunctionPlan(
        its,
        function,
        CompletableFuture.supplyAsync(() -> plan(its, headers, file.get(), function)));
  }

  private static Optional<Planned> plan(
      TargetModule module, PeHeaders headers, Path file, String function) {
    try {
      PeImage image = PeImage.ofFile(InputFile.mapWhileUsed(file, module.name()));
      if (!image.headers().isSameBuild(headers)) {
        return Optional.empty();
      }
      Planner planner =
          Planner.of(new PlannedModule(module, image), PlanSymbols.NONE, Optional.empty());
      FreshModulePlan plan = FreshModulePlan.own(image, planner, function);
      return planner
          .planOwn(function, planner.exported(function))
          .map(own -> new Planned(plan, own));
    } catch (IOException | CannotGoOn | DamagedInput e) {
      // The module is read from memory then, and whoever needs it is told.
      return Optional.empty();
    }
  }

  /**
   * Returns the plan for a function of a module of a target, when it is made.
   *
   * @return from memory if this has none for it; empty if the function cannot be patched
   */
  public Optional<PlannedFunction> of(TargetMemory memory, TargetModule its, String name) {
    Optional<PlannedFunction> ahead =
        module != null
                && its.base() == module.base()
                && its.path().equals(module.path())
                && name.equals(function)
            ? planned
                .join()
                .filter(made -> made.plan.isIn(memory::readUpTo, its.base()))
                .map(Planned::function)
            : Optional.empty();
    return ahead.or(() -> Planner.planOwn(its, TargetImage.read(memory, its), name));
  }
}
