package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;

/** Writes numbers of calls by their ends, in the same words and keys everywhere. */
public final class CallBalance {
  private CallBalance() {}

  /** {@code 16 entries = 12 exits + 2 unwinds + 1 abandoned + 1 open + 0 entry only}. */
  static String text(CallCounts counts) {
    return (counts.entries() == 1 ? "1 entry" : Numbers.count(counts.entries()) + " entries")
        + " = "
        + Numbers.counted(counts.exits(), "exit")
        + " + "
        + Numbers.counted(counts.unwinds(), "unwind")
        + " + "
        + Numbers.count(counts.abandoned())
        + " abandoned + "
        + Numbers.count(counts.open())
        + " open + "
        + Numbers.count(counts.entryOnly())
        + " entry only"
        + (counts.lostEntries() == 0
            ? ""
            : "; " + Numbers.counted(counts.lostEntries(), "end") + " whose entry is lost")
        + (counts.beyond() == 0
            ? ""
            : "; " + Numbers.counted(counts.beyond(), "call") + " skipped");
  }

  /** Writes the numbers as members of an open object. */
  public static Json members(Json json, CallCounts counts) {
    return json.number("entries", counts.entries())
        .number("exits", counts.exits())
        .number("unwinds", counts.unwinds())
        .number("abandoned", counts.abandoned())
        .number("open", counts.open())
        .number("entryOnly", counts.entryOnly())
        .number("lostEntries", counts.lostEntries())
        .number("skipped", counts.beyond());
  }
}
