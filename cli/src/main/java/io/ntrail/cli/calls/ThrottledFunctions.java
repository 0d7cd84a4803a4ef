package io.ntrail.cli.calls;

import io.ntrail.analysis.model.ThrottledFunction;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.io.PrintStream;
import java.util.List;

/** Writes the functions that were throttled, in the same words and keys everywhere. */
public final class ThrottledFunctions {
  private static final int SHOWN = 10;

  private ThrottledFunctions() {}

  /**
   * Prints a line for each, the first ones.
   *
   * @param before what each line begins with
   * @param nanos whether times are known in nanoseconds
   */
  public static void print(
      PrintStream out, String before, List<ThrottledFunction> functions, boolean nanos) {
    for (ThrottledFunction one : functions.subList(0, Math.min(SHOWN, functions.size()))) {
      out.println(
          "%s%s was called too often%s: %s counted, not recorded (--throttle)"
              .formatted(
                  before,
                  one.function(),
                  nanos ? " from " + Numbers.seconds(one.from()) + " s on" : "",
                  Numbers.counted(one.calls(), "call")));
    }
    if (functions.size() > SHOWN) {
      out.println(
          before
              + Numbers.counted(functions.size() - SHOWN, "more function")
              + " called too often (--format json lists all)");
    }
  }

  /** Writes them as a member of an open object; it is there even if empty. */
  public static void json(Json json, List<ThrottledFunction> functions, boolean nanos) {
    json.array("throttled");
    for (ThrottledFunction one : functions) {
      json.object().text("function", one.function());
      if (nanos) {
        json.number("fromNanos", one.from());
      } else {
        json.unknown("fromNanos");
      }
      json.number("calls", one.calls()).endObject();
    }
    json.endArray();
  }
}
