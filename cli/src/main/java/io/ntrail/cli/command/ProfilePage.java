package io.ntrail.cli.command;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;

/** What is said of a profile in every shape, whatever was added up. */
interface ProfilePage {
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

  /** The first lines. */
  void heading();

  /** The members that all shapes have, behind the one that names the schema. */
  Json beginJson(Json json, String schema);
}
