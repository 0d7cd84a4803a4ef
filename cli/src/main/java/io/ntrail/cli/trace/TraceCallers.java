package io.ntrail.cli.trace;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.live.trace.CallerCounts;
import java.io.PrintStream;

/** Tells how many calls have their callers in the recording ({@code --stacks}). */
final class TraceCallers {
  private TraceCallers() {}

  /**
   * Prints a line, or two.
   *
   * @param every of so many calls, one was to have its callers
   */
  static void print(PrintStream out, CallerCounts counts, int every) {
    String incomplete =
        counts.incomplete() == 0
            ? ""
            : ", " + Numbers.count(counts.incomplete()) + " not up to the outermost";
    String missed = counts.missed() == 0 ? "" : ", " + Numbers.count(counts.missed()) + " missed";
    out.println(
        "callers of "
            + Numbers.counted(counts.recorded(), "call")
            + " recorded"
            + incomplete
            + missed);
    if (counts.missed() > counts.recorded() / 10) {
      out.println("try: fewer of them, --stacks " + (every < 10 ? 100 : 10L * every));
    }
  }

  static void json(Json json, CallerCounts counts) {
    json.object("callers")
        .number("recorded", counts.recorded())
        .number("incomplete", counts.incomplete())
        .number("missed", counts.missed())
        .endObject();
  }
}
