package io.ntrail.analysis.probe.syntax;

import java.util.List;

/** Statement of a clause. */
public sealed interface Statement {
  /** Expression whose value nobody wants. */
  record Evaluate(Expression expression) implements Statement {}

  /** Statements that are run if a condition holds, and others if not. */
  record If(Expression condition, List<Statement> then, List<Statement> otherwise)
      implements Statement {}
}
