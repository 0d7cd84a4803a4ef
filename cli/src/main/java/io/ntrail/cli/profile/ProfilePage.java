package io.ntrail.cli.profile;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;
import java.util.List;

/** Headings and members of a profile, whatever its metric and shape. */
public interface ProfilePage {
  Terminal terminal();

  /** Columns of the terminal; 0 to cut nothing. */
  int width();

  boolean ascii();

  /** The sum of all weights. */
  long total();

  /** A weight as people read it. */
  String weight(long weight);

  /** The unit as the heading of a column says it. */
  String unit();

  /**
   * Returns the unit of weights, whatever the heading of a column says: {@code samples}, {@code
   * ns}.
   */
  String unitOfWeights();

  /** The first lines: what was asked of what, totals, losses, and how functions have names. */
  List<String> lines();

  /** Prints the first lines. */
  default void heading() {
    lines().forEach(terminal().out()::println);
  }

  /** Writes what all shapes have, as members of an open object. */
  Json members(Json json);
}
