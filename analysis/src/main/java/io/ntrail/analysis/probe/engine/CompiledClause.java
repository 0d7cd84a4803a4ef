package io.ntrail.analysis.probe.engine;

import java.util.List;
import java.util.Optional;

/**
 * Clause that can be run.
 *
 * @param predicate runs the actions only if it is not zero
 * @param isDefault true if it has no actions: its firing is all that is recorded
 * @param text of its probes as written
 */
public record CompiledClause(
    Optional<Value> predicate, List<Step> steps, boolean isDefault, String text) {
  /** One action. */
  @FunctionalInterface
  public interface Step {
    /** Runs it. */
    void run(Run run);
  }

  /** Copies the steps. */
  public CompiledClause {
    steps = List.copyOf(steps);
  }
}
