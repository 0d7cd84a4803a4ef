package io.ntrail.cli.trace;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.symbols.PdbSearch;
import java.util.List;
import java.util.stream.Stream;

/**
 * Selected functions, after the first selection was changed: the last pattern that means a function
 * decides.
 *
 * @param first the selection at the start
 * @param rules the changes since then, in order
 */
record FunctionSelection(TraceRequest first, List<Rule> rules) implements TracePlan.Selection {
  FunctionSelection {
    rules = List.copyOf(rules);
  }

  /**
   * Change of the selection.
   *
   * @param add whether the functions are wanted from now on, or not any more
   */
  record Rule(boolean add, NamePattern pattern) {}

  /** Returns these rules and one more. */
  FunctionSelection and(Rule rule) {
    return new FunctionSelection(first, Stream.concat(rules.stream(), Stream.of(rule)).toList());
  }

  @Override
  public boolean wants(TargetModule module, String name) {
    boolean wanted = first.wants(module, name) && !first.excludes(module, name);
    for (Rule rule : rules) {
      if (wanted != rule.add && TraceRequest.matches(rule.pattern, module, name)) {
        wanted = rule.add;
      }
    }
    return wanted;
  }

  @Override
  public boolean excludes(TargetModule module, String name) {
    return false;
  }

  @Override
  public boolean mayWant(TargetModule module) {
    return first.mayWant(module)
        || rules.stream()
            .anyMatch(rule -> rule.add && TraceRequest.mayMean(rule.pattern.toString(), module));
  }

  @Override
  public boolean mayComeLater(List<TargetModule> present) {
    return first.mayComeLater(present) || rules.stream().anyMatch(Rule::add);
  }

  @Override
  public PdbSearch symbols() {
    return first.symbols();
  }

  @Override
  public boolean mayStop() {
    return first.mayStop();
  }
}
