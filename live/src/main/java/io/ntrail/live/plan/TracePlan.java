package io.ntrail.live.plan;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.branches.AgentBranches;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.live.plan.ModuleFile.Missing;
import io.ntrail.live.plan.ModuleFile.Problem;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetPaths;
import io.ntrail.programs.patchability.PatchClass;
import io.ntrail.programs.symbols.PdbSearch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Plan for the matching functions in all modules of a target.
 *
 * @param functions by module, in the order in which they were loaded, and by address
 * @param remarks sentences about what is not known of modules (names, changes of their code), and
 *     about the target
 * @param choice the selection, also of modules that are loaded later; empty: nothing of those
 * @param modules those that were there
 */
public record TracePlan(
    List<PlannedFunction> functions,
    List<String> remarks,
    Optional<Selection> choice,
    List<TargetModule> modules) {
  /** Number of modules that a remark names. */
  private static final int NAMED = 3;

  /** Copies the lists. */
  public TracePlan {
    functions = List.copyOf(functions);
    remarks = List.copyOf(remarks);
    modules = List.copyOf(modules);
  }

  /** Creates a plan that selects nothing in modules that are loaded later. */
  public TracePlan(List<PlannedFunction> functions, List<String> remarks) {
    this(functions, remarks, Optional.empty(), List.of());
  }

  /** Selection of functions. */
  public interface Selection extends Planner.Selection {
    /**
     * Returns true if functions of a module can be selected at all, so that others are not read.
     */
    boolean mayWant(TargetModule module);

    /**
     * Returns true if functions of modules may be selected that are not loaded yet.
     *
     * @param present modules that are loaded
     */
    default boolean mayComeLater(List<TargetModule> present) {
      return true;
    }

    /**
     * Returns whether threads may be suspended while functions are patched; otherwise some are
     * skipped.
     */
    default boolean mayStop() {
      return true;
    }

    /** Returns where PDBs are searched, besides next to their images. */
    default PdbSearch symbols() {
      return new PdbSearch(List.of());
    }
  }

  /**
   * Plans for a target; nothing of it is changed.
   *
   * @param remarks about the target
   */
  public static TracePlan of(TargetProcess target, List<String> remarks, Selection choice) {
    boolean mayGo = !target.isStarted();
    // Of a program that was started little code has run: memory is as the files, if it is compared.
    Optional<Function<TargetModule, PeImage>> fresh =
        target.isStarted()
            ? Optional.of(module -> TargetImage.headers(target.memory(), module))
            : Optional.empty();
    AgentBranches branches = new AgentBranches(target.calls());
    TracePlan plan =
        of(target, choice, target.modules(), remarks, images(target), mayGo, fresh, branches);
    branches.release();
    return plan;
  }

  /**
   * Plans for a file that is not loaded, as if it lay where it is linked to, and nobody had changed
   * it.
   *
   * @throws CannotGoOn if it is no image
   */
  public static TracePlan of(Path file, Selection choice) throws IOException {
    String name = String.valueOf(file.getFileName());
    PeImage image = PeImage.ofFile(InputFile.mapWhileUsed(file, name));
    PeHeaders headers = image.headers();
    TargetModule module =
        new TargetModule(headers.imageBase(), headers.sizeOfImage(), file.toString(), name);
    try (ModuleFile its = ModuleFile.open(Optional.of(file), module, image, choice.symbols())) {
      List<PlannedFunction> functions =
          choice.mayWant(module)
              ? Planner.plan(module, image, its.symbols(), Optional.empty(), choice)
              : List.of();
      TracePlan plan =
          new TracePlan(functions, its.unusable(), Optional.of(choice), List.of(module));
      return choice.mayStop() ? plan : plan.withoutStops();
    }
  }

  private static Function<TargetModule, PeImage> images(TargetProcess target) {
    return module -> TargetImage.read(target.memory(), module);
  }

  /**
   * Returns the plan for a module that was loaded after this plan was made.
   *
   * @param headers as they are in memory, if none of its code has run yet
   * @param ahead plans that are used then
   * @param branches finds branches in its file
   */
  public TracePlan later(
      TargetProcess target,
      TargetModule module,
      Optional<PeImage> headers,
      PlansAhead ahead,
      AgentBranches branches) {
    Selection its = choice.orElseThrow();
    return headers
        .flatMap(image -> ready(target, module, image.headers(), its, ahead))
        .map(plan -> its.mayStop() ? plan : plan.withoutStops())
        .orElseGet(() ->
            of(
                target,
                its,
                List.of(module),
                List.of(),
                images(target),
                false,
                headers.map(image -> _ -> image),
                branches));
  }

  private static Optional<TracePlan> ready(
      TargetProcess target,
      TargetModule module,
      PeHeaders headers,
      Selection choice,
      PlansAhead ahead) {
    if (!choice.mayWant(module) || ahead == PlansAhead.NONE) {
      return Optional.empty();
    }
    return TargetPaths.here(target.calls(), module.path())
        .flatMap(path -> ahead.plan(target.memory()::readUpTo, module, path, headers, choice));
  }

  /** Returns the plan for a module that was planned before, as it was then. */
  public TracePlan again(TargetProcess target, PlannedModule module) {
    return of(
        target,
        choice.orElseThrow(),
        List.of(module.module()),
        List.of(),
        _ -> module.image(),
        false,
        Optional.empty(),
        new AgentBranches(target.calls()));
  }

  /** Returns an empty plan with another selection. */
  public TracePlan choosing(Selection other) {
    return new TracePlan(List.of(), List.of(), Optional.of(other), modules);
  }

  /** Returns an empty plan with a remark. */
  public TracePlan remark(String remark) {
    return new TracePlan(List.of(), List.of(remark), choice, List.of());
  }

  /** Returns this plan with one more remark. */
  public TracePlan with(String remark) {
    return new TracePlan(
        functions, Stream.concat(remarks.stream(), Stream.of(remark)).toList(), choice, modules);
  }

  /** Returns this plan with what another one adds, and with what is traced only there. */
  public TracePlan and(TracePlan more) {
    Map<Place, PlannedFunction> all = new LinkedHashMap<>();
    for (PlannedFunction function : functions) {
      all.put(Place.of(function), function);
    }
    for (PlannedFunction function : more.functions) {
      all.merge(
          Place.of(function),
          function,
          (old, now) -> old.isTraced() || !now.isTraced() ? old : now);
    }
    return new TracePlan(
        List.copyOf(all.values()),
        Stream.concat(remarks.stream(), more.remarks.stream()).distinct().toList(),
        choice,
        Stream.concat(modules.stream(), more.modules.stream()).distinct().toList());
  }

  private static TracePlan of(
      TargetProcess target,
      Selection choice,
      List<TargetModule> modules,
      List<String> before,
      Function<TargetModule, PeImage> images,
      boolean mayGo,
      Optional<Function<TargetModule, PeImage>> fresh,
      AgentBranches branches) {
    List<PlannedFunction> functions = new ArrayList<>();
    List<String> remarks = new ArrayList<>(before);
    Map<Problem, List<String>> unknown = new EnumMap<>(Problem.class);
    List<TargetModule> present = new ArrayList<>(modules);
    for (TargetModule module : modules) {
      if (choice.mayWant(module)) {
        try {
          PeImage image = fresh.orElse(images).apply(module);
          ImageSearch search =
              fresh.isPresent() && !choice.wants(module, "")
                  ? branches.in(module.path(), image)
                  : ImageSearch.here();
          Optional<Path> path = TargetPaths.here(target.calls(), module.path());
          try (ModuleFile file = ModuleFile.open(path, module, image, choice.symbols())) {
            remarks.addAll(file.unusable());
            Optional<List<PlannedFunction>> few =
                fresh.isPresent()
                    ? FreshModulePlan.of(target.memory()::readUpTo, module, file, choice, search)
                    : Optional.empty();
            functions.addAll(
                few.orElseGet(() -> {
                  PeImage whole = fresh.isPresent() ? images.apply(module) : image;
                  return Planner.plan(module, whole, file.symbols(), file.code(), choice);
                }));
            file.missing()
                .ifPresent(why -> {
                  unknown.computeIfAbsent(why.problem(), _ -> new ArrayList<>()).add(module.name());
                  if (image.headers().symbolTableOffset() != 0) {
                    remarks.add(withoutNames(module, why));
                  }
                });
          }
        } catch (CannotGoOn | DamagedInput e) {
          if (!mayGo || target.exitCode().isPresent()) {
            throw e;
          }
          // It was unloaded while it was read. If it comes again, or cannot be read at all, that is
          // seen when what came and went since the plan is looked for.
          present.remove(module);
        }
      }
    }
    unknown.forEach((problem, names) -> remarks.add(notCompared(problem, names)));
    TracePlan plan = new TracePlan(functions, remarks, Optional.of(choice), present);
    return choice.mayStop() ? plan : plan.withoutStops();
  }

  private static String withoutNames(TargetModule module, Missing why) {
    return "no symbols for %s: its file is %s (%s)"
        .formatted(module.name(), why.problem().text(), why.detail());
  }

  /** Returns a remark about modules whose code cannot be compared with a file. */
  static String notCompared(Problem problem, List<String> modules) {
    String more = modules.size() > NAMED ? " and %d more".formatted(modules.size() - NAMED) : "";
    return "cannot check %s%s for patches by other tools: the file is %s"
        .formatted(
            String.join(", ", modules.subList(0, Math.min(NAMED, modules.size()))),
            more,
            problem.text());
  }

  /**
   * Returns this plan with some functions skipped.
   *
   * @param functions of this plan, or the same of which only entries are recorded
   * @param kind why
   */
  public TracePlan without(Collection<PlannedFunction> functions, SkipReason.Kind kind) {
    Set<Place> places = new HashSet<>();
    functions.forEach(function -> places.add(Place.of(function)));
    return replaced(function ->
        places.contains(Place.of(function)) ? function.leftAlone(SkipReason.of(kind)) : function);
  }

  private record Place(TargetModule module, long rva) {
    static Place of(PlannedFunction function) {
      return new Place(function.module().module(), function.rva());
    }
  }

  /** Returns this plan with the functions skipped that need suspended threads. */
  public TracePlan withoutStops() {
    return replaced(function ->
        function
            .needsStop()
            .map(stop -> function.leftAlone(SkipReason.of(SkipReason.Kind.NEEDS_STOP, stop.text())))
            .orElse(function));
  }

  /**
   * Returns this plan with only the entries of functions of some modules.
   *
   * @param kind why
   */
  public TracePlan withoutExits(Predicate<PlannedModule> modules, SkipReason.Kind kind) {
    return replaced(function ->
        function.hasExits() && modules.test(function.module())
            ? new PlannedFunction(
                function.module(),
                function.name(),
                function.patch(),
                function.entriesOnly().code(),
                Optional.of(SkipReason.of(kind)),
                function.prototype())
            : function);
  }

  private TracePlan replaced(UnaryOperator<PlannedFunction> by) {
    return new TracePlan(functions.stream().map(by).toList(), remarks, choice, modules);
  }

  /** Returns the number of matching functions. */
  public int matched() {
    return functions.size();
  }

  /** Returns the number of patched functions. */
  public int patched() {
    return (int) functions.stream().filter(PlannedFunction::isTraced).count();
  }

  /** Returns the number of patched functions whose exits are recorded, too. */
  public int withExits() {
    return (int) functions.stream().filter(PlannedFunction::hasExits).count();
  }

  /** Returns the number of patched functions that need suspended threads. */
  public int needStop() {
    return (int) functions.stream().filter(f -> f.needsStop().isPresent()).count();
  }

  /**
   * Counts the functions by patch class, from {@code NAME-A} to {@code NAME-E}; refused ones are D.
   *
   * @param architecture the name of the target's architecture
   */
  public Map<String, Integer> byClass(String architecture) {
    Map<String, Integer> counts = new TreeMap<>();
    for (PatchClass one : PatchClass.values()) {
      counts.put(architecture + "-" + one, 0);
    }
    for (PlannedFunction function : functions) {
      PatchClass one = function.isTraced() ? function.patch().patchClass() : PatchClass.D;
      counts.merge(architecture + "-" + one, 1, Integer::sum);
    }
    return counts;
  }

  /** Counts the skipped functions by reason. */
  public Map<String, Integer> byReason() {
    Map<String, Integer> counts = new TreeMap<>();
    for (PlannedFunction function : functions) {
      if (!function.isTraced()) {
        counts.merge(function.reason().orElseThrow().name(), 1, Integer::sum);
      }
    }
    return counts;
  }
}
