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

  /** Decimals of the weights: 125 with one is 12.5. */
  default int decimals() {
    return 0;
  }

  /** A weight as people read it. */
  String weight(long weight);

  /** The unit for the heading of a column. */
  String unit();

  /** Returns the unit of weights, regardless of the column heading: {@code samples}, {@code ns}. */
  String unitOfWeights();

  /** Returns the first lines: the query and its files, totals, losses, and the source of names. */
  List<String> lines();

  /** Prints the first lines. */
  default void heading() {
    lines().forEach(terminal().out()::println);
  }

  /** Writes what all shapes have, as members of an open object. */
  Json members(Json json);
}
