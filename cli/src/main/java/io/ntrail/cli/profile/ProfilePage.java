package io.ntrail.cli.profile;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;
import java.util.List;

/** What is said of a profile in every shape, whatever was added up. */
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

  /** What weights are, whatever the heading of a column says: {@code samples}, {@code ns}. */
  String unitOfWeights();

  /** The first lines: what was asked of what, totals, losses, and how functions have names. */
  List<String> lines();

  /** Prints the first lines. */
  default void heading() {
    lines().forEach(terminal().out()::println);
  }

  /** What all shapes say, as members of an open object. */
  Json members(Json json);
}
