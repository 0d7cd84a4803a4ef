package io.ntrail.live.trace;

import io.ntrail.analysis.patchability.PatchClass;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.Planner;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is done with the functions that were asked for, in all modules of a target.
 *
 * @param functions by module, in the order in which they were loaded, and by address
 * @param remarks sentences about modules of which fewer names are known than there are, and about
 *     the target
 */
public record TracePlan(List<PlannedFunction> functions, List<String> remarks) {
  /** Copies the lists. */
  public TracePlan {
    functions = List.copyOf(functions);
    remarks = List.copyOf(remarks);
  }

  /** What is asked for. */
  public interface Choice extends Planner.Choice {
    /** Whether functions of a module can be asked for at all, so that others are not looked at. */
    boolean mayWant(TargetModule module);
  }

  /** Plans for a target; nothing of it is changed. */
  public static TracePlan of(TraceTarget target, Choice choice) {
    List<PlannedFunction> functions = new ArrayList<>();
    List<String> remarks = new ArrayList<>(target.process().remarks());
    for (TargetModule module : target.process().modules()) {
      if (choice.mayWant(module)) {
        PeImage image = TargetImage.read(target.process().memory(), module);
        functions.addAll(
            Planner.plan(module, image, symbols(target, module, image, remarks), choice));
      }
    }
    return new TracePlan(functions, remarks);
  }

  /** Names from the symbol table of a module's file, which is not mapped. */
  private static Map<Long, String> symbols(
      TraceTarget target, TargetModule module, PeImage image, List<String> remarks) {
    Map<Long, String> names = new HashMap<>();
    if (image.headers().symbolTableOffset() == 0) {
      return names;
    }
    Optional<Path> path = target.file(module.path());
    if (path.isEmpty()) {
      remarks.add("names of %s are missing: its file is not known here".formatted(module.name()));
      return names;
    }
    try (InputFile file = InputFile.map(path.get(), module.name())) {
      PeImage stored = PeImage.ofFile(file);
      if (stored.headers().timestamp() != image.headers().timestamp()
          || stored.headers().sizeOfImage() != image.headers().sizeOfImage()) {
        remarks.add(
            "names of %s are missing: %s is another build".formatted(module.name(), path.get()));
        return names;
      }
      for (CoffSymbols.Symbol symbol : CoffSymbols.of(stored).functions()) {
        names.putIfAbsent(symbol.rva(), symbol.name());
      }
    } catch (IOException | CannotGoOn | DamagedInput e) {
      remarks.add("names of %s are missing: %s".formatted(module.name(), e.getMessage()));
    }
    return names;
  }

  /** How many functions were asked for. */
  public int matched() {
    return functions.size();
  }

  /** How many are patched. */
  public int patched() {
    return (int) functions.stream().filter(PlannedFunction::isTraced).count();
  }

  /** How many of these have their exits recorded, too. */
  public int withExits() {
    return (int) functions.stream().filter(PlannedFunction::hasExits).count();
  }

  /** How many there are of each class: {@code x64-A} to {@code x64-E}; what is refused is D. */
  public Map<String, Integer> byClass() {
    Map<String, Integer> counts = new TreeMap<>();
    for (PatchClass one : PatchClass.values()) {
      counts.put("x64-" + one, 0);
    }
    for (PlannedFunction function : functions) {
      PatchClass one = function.isTraced() ? function.patch().patchClass() : PatchClass.D;
      counts.merge("x64-" + one, 1, Integer::sum);
    }
    return counts;
  }

  /** How many functions are left alone for each reason. */
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
