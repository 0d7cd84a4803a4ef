package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.calls.CallProbes;
import io.ntrail.analysis.probe.sources.ProbeNames;
import io.ntrail.analysis.probe.sources.ProbePattern;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.symbols.PdbSearch;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions that a program in the D language names: those alone are traced.
 *
 * @param wanted what it names
 * @param providers of functions in the process
 */
record LiveSelection(
    List<Wanted> wanted, List<String> providers, PdbSearch symbols, boolean mayStop)
    implements TracePlan.Selection {
  private static final List<String> KINDS = List.of("entry", "return", "unwind");
  private static final String SYSCALL = "syscall";

  LiveSelection {
    wanted = List.copyOf(wanted);
    providers = List.copyOf(providers);
  }

  /** Description of functions, with its pattern. */
  record Wanted(ProbeDescription description, ProbePattern pattern) {
    static Wanted of(ProbeDescription description, boolean ignoresCase) {
      return new Wanted(description, ProbePattern.of(description, ignoresCase));
    }

    boolean matches(List<String> providers, TargetModule module, String function) {
      boolean isSystem = CallProbes.isSystemCall(module.name(), function);
      return pattern.matches(names(providers, module, function))
          || isSystem
              && meansSystemCalls()
              && pattern.matches(
                  new ProbeNames(List.of(SYSCALL), List.of(""), List.of(function), KINDS));
    }

    private boolean meansSystemCalls() {
      return !pattern.isAnyProvider() && pattern.meansProvider(SYSCALL);
    }

    boolean mayMean(List<String> providers, TargetModule module) {
      return pattern.withAnyFunction().matches(names(providers, module, ""))
          || meansSystemCalls() && CallProbes.isSystemCall(module.name(), "Nt");
    }

    private static ProbeNames names(List<String> providers, TargetModule module, String function) {
      return new ProbeNames(
          providers, List.of(module.stem(), module.name()), List.of(function), KINDS);
    }

    /**
     * Returns true if it may mean functions of modules that are loaded later: it names one that is
     * not there, or a pattern of modules.
     */
    boolean mayComeLater(List<String> providers, List<TargetModule> present) {
      String module = description.module();
      if (module.isEmpty()) {
        return false;
      }
      boolean isPlain = module.chars().noneMatch(c -> "*?[~\\".indexOf(c) >= 0);
      return !isPlain || present.stream().noneMatch(one -> mayMean(providers, one));
    }
  }

  /** Selects what descriptions of functions mean; others are left out. */
  static LiveSelection of(
      List<ProbeDescription> descriptions, int pid, PdbSearch symbols, boolean mayStop) {
    List<String> providers = List.of("pid" + pid, "fbt");
    List<Wanted> wanted = new ArrayList<>();
    for (ProbeDescription one : descriptions) {
      if (one.id() == 0 && isOfFunctions(one, providers)) {
        wanted.add(Wanted.of(one, false));
      }
    }
    return new LiveSelection(wanted, providers, symbols, mayStop);
  }

  private static boolean isOfFunctions(ProbeDescription one, List<String> providers) {
    ProbeDescription general =
        new ProbeDescription(one.provider(), "", "", one.name(), 0, "", Place.NOWHERE);
    List<String> all = new ArrayList<>(providers);
    all.add(SYSCALL);
    return ProbePattern.of(general, true)
        .matches(new ProbeNames(all, List.of(""), List.of(""), KINDS));
  }

  /** Returns the selection in which case does not matter for descriptions that mean nothing. */
  LiveSelection withoutCase(TracePlan plan) {
    List<Wanted> others = new ArrayList<>();
    for (Wanted one : wanted) {
      boolean isFound =
          plan.functions().stream()
              .anyMatch(
                  function -> one.matches(providers, function.module().module(), function.name()));
      others.add(isFound ? one : Wanted.of(one.description, true));
    }
    return new LiveSelection(others, providers, symbols, mayStop);
  }

  /** Returns the selection of every function that descriptions may mean but for its name. */
  LiveSelection ofAnyName(ProbeDescription description) {
    ProbeDescription any =
        new ProbeDescription(
            description.provider(), description.module(), "", "", 0, "", description.place());
    return new LiveSelection(List.of(Wanted.of(any, true)), providers, symbols, mayStop);
  }

  /** Returns true if functions of a description may come with a module that is loaded later. */
  boolean mayComeLater(ProbeDescription description, List<TargetModule> present) {
    return wanted.stream()
        .anyMatch(
            one -> one.description.equals(description) && one.mayComeLater(providers, present));
  }

  @Override
  public boolean wants(TargetModule module, String name) {
    return wanted.stream().anyMatch(one -> one.matches(providers, module, name));
  }

  @Override
  public boolean excludes(TargetModule module, String name) {
    return false;
  }

  @Override
  public boolean mayWant(TargetModule module) {
    return wanted.stream().anyMatch(one -> one.mayMean(providers, module));
  }

  @Override
  public boolean mayComeLater(List<TargetModule> present) {
    return wanted.stream().anyMatch(one -> one.mayComeLater(providers, present));
  }
}
