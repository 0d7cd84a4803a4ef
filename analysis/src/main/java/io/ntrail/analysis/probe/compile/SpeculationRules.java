package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.syntax.Statement;
import java.util.List;
import java.util.Set;

/** Refuses what may not stand in one clause with speculate() or commit(). */
final class SpeculationRules {
  private static final Set<String> RECORDING =
      Set.of(
          "trace",
          "tracemem",
          "print",
          "printf",
          "printa",
          "stack",
          "ustack",
          "jstack",
          "sym",
          "usym",
          "func",
          "ufunc",
          "mod",
          "umod",
          "uaddr",
          "clear",
          "trunc",
          "normalize",
          "denormalize",
          "setopt");

  private boolean hasSpeculated;
  private boolean hasCommitted;
  private boolean hasRecorded;

  private SpeculationRules() {}

  /** Checks the statements of a clause in their order. */
  static void check(List<Statement> body) {
    new SpeculationRules().statements(body);
  }

  private void statements(List<Statement> all) {
    for (Statement statement : all) {
      switch (statement) {
        case Statement.If choice -> {
          statements(choice.then());
          statements(choice.otherwise());
        }
        case Statement.Evaluate(Expression.Call call) -> call(call.function(), call.place());
        case Statement.Evaluate(
                Expression.Assignment(
                    String _,
                    Expression.Aggregation to,
                    Expression _,
                    Place _)) ->
            aggregation(to.place());
        case Statement.Evaluate _ -> {
          // Records nothing.
        }
      }
    }
  }

  private void aggregation(Place place) {
    refuseIf(hasSpeculated, "D_AGG_SPEC", place, "an aggregation cannot be speculative");
    refuseIf(hasCommitted, "D_AGG_COMM", place, "an aggregation cannot follow commit()");
    hasRecorded = true;
  }

  private void call(String function, Place place) {
    switch (function) {
      case "speculate" -> {
        refuseIf(hasSpeculated, "D_SPEC_SPEC", place, "a clause speculates once");
        refuseIf(hasCommitted, "D_SPEC_COMM", place, "speculate() cannot follow commit()");
        refuseIf(hasRecorded, "D_SPEC_DREC", place, "speculate() comes before what records data");
        hasSpeculated = true;
      }
      case "commit" -> {
        refuseIf(hasCommitted, "D_COMM_COMM", place, "a clause commits once");
        refuseIf(hasRecorded, "D_COMM_DREC", place, "commit() cannot follow what records data");
        hasCommitted = true;
      }
      case "exit" -> {
        refuseIf(hasSpeculated, "D_EXIT_SPEC", place, "exit() cannot be speculative");
        hasRecorded = true;
      }
      default -> {
        if (RECORDING.contains(function)) {
          refuseIf(hasCommitted, "D_DREC_COMM", place, "what records data cannot follow commit()");
          hasRecorded = true;
        }
      }
    }
  }

  private static void refuseIf(boolean isWrong, String tag, Place place, String reason) {
    if (isWrong) {
      throw new CompileError(tag, place, reason);
    }
  }
}
