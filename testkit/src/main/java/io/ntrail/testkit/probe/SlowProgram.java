package io.ntrail.testkit.probe;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Random program.
 *
 * @param declarations of all variables, a line each
 * @param aggregations in the order in which the text has them first
 */
public record SlowProgram(
    List<String> declarations, List<Clause> clauses, List<SlowAggregation> aggregations) {
  /** Event that clauses at {@code BEGIN} and {@code END} look at. */
  public static final SlowEvent NO_EVENT = new SlowEvent(0, 0, 0, 0, "");

  /** Bytes of strings, with their end. */
  public static final int STRING_SIZE = 32;

  /**
   * Clause.
   *
   * @param probe {@code BEGIN}, {@code END} or {@code event}
   */
  public record Clause(
      String probe, Optional<SlowExpression> predicate, List<SlowStatement> statements) {
    String text() {
      return probe
          + predicate.map(one -> " /" + one.text() + "/").orElse("")
          + statements.stream()
              .map(one -> "\n  " + one.text())
              .collect(Collectors.joining("", " {", "\n}\n"));
    }
  }

  /** Returns the text of the program; it is quiet, and has no end of its own. */
  public String text() {
    return "#pragma D option quiet\n#pragma D option strsize=%d\n".formatted(STRING_SIZE)
        + declarations.stream().map(one -> one + "\n").collect(Collectors.joining())
        + clauses.stream().map(Clause::text).collect(Collectors.joining());
  }

  /** Returns what it prints over some events. */
  public String output(List<SlowEvent> events) {
    return new SlowMachine(this).output(events);
  }
}
