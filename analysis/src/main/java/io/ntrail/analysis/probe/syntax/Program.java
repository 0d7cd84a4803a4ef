package io.ntrail.analysis.probe.syntax;

import java.util.List;
import java.util.Optional;

/**
 * Program as it is written.
 *
 * @param items in order
 */
public record Program(List<Item> items) {
  /** Part of a program. */
  public sealed interface Item {}

  /**
   * Actions at probes.
   *
   * @param predicate runs them only if it is not zero
   * @param body empty: there are no braces
   * @param text of the probes and the rest, as written
   */
  public record Clause(
      List<ProbeDescription> probes,
      Optional<Expression> predicate,
      Optional<List<Statement>> body,
      String text,
      Place place)
      implements Item {}

  /** Declaration of variables. */
  public record Variables(Expression.Scope scope, List<TypeName.Declarator> declarators)
      implements Item {}

  /** Declaration of names of types. */
  public record Typedef(List<TypeName.Declarator> declarators) implements Item {}

  /** Declaration of a type alone. */
  public record TypeDeclaration(TypeName type) implements Item {}

  /** Name of an expression. */
  public record Inline(TypeName.Declarator declarator, Expression value) implements Item {}

  /** Option: {@code #pragma D option name=value}. */
  public record Option(String name, Optional<String> value, Place place) implements Item {}
}
