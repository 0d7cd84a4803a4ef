package io.ntrail.cli.common;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Omission;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;

/** Tells what a recording that was cut out of another one leaves out, in the same words. */
public final class Omissions {
  private static final int MOST_IN_LINE = 100;

  private Omissions() {}

  /**
   * Prints a line, or nothing if nothing is left out.
   *
   * @param before what the line begins with
   */
  public static void print(PrintStream out, String before, List<Omission> omissions) {
    if (!omissions.isEmpty()) {
      out.println(before + text(omissions));
    }
  }

  /** {@code a part of another recording, without 1,200 records outside 12 s .. 14 s}. */
  private static String text(List<Omission> omissions) {
    return "a part of another recording, " + without(omissions);
  }

  private static String without(List<Omission> omissions) {
    return "without " + omissions.stream().map(Omissions::text).collect(Collectors.joining(", "));
  }

  /**
   * Returns {@code (without 1,200 records outside 12 s .. 14 s)}, for a line in which figures are
   * of what is left; nothing if that is too long for it.
   */
  static String inBrackets(List<Omission> omissions) {
    String without = without(omissions);
    return without.length() > MOST_IN_LINE ? "" : " (" + without + ")";
  }

  private static String text(Omission one) {
    String what =
        one.records() == 1 ? one.what().replaceFirst("^(record|sample)s", "$1") : one.what();
    return Numbers.unsigned(one.records()) + " " + what;
  }

  /** Writes them as a member {@code omissions}; there is none if nothing is left out. */
  public static void json(Json json, List<Omission> omissions) {
    if (omissions.isEmpty()) {
      return;
    }
    json.array("omissions");
    for (Omission one : omissions) {
      json.object().text("what", one.what()).unsigned("records", one.records()).endObject();
    }
    json.endArray();
  }
}
