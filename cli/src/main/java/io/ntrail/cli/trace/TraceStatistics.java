package io.ntrail.cli.trace;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.ntr.EventTally;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.TracedProcessTree;
import java.io.PrintStream;

/** Prints the counters of a finished trace, in two columns. */
final class TraceStatistics {
  private TraceStatistics() {}

  static void print(
      PrintStream out,
      TracedProcessTree family,
      TracePlan plan,
      RecorderStatistics now,
      CallCounts calls) {
    int patched = plan.patched();
    EventTally captured = now.captured();
    EventTally dropped = now.dropped();
    String[][] left = {
      {"functions traced", Numbers.count(patched)},
      {
        "  entries only",
        Numbers.count(
            family.first().selfTest().passed() ? plan.patched() - plan.withExits() : patched)
      },
      {
        "threads seen / ended",
        Numbers.count(now.threadsSeen()) + " / " + Numbers.count(now.threadsEnded())
      },
      {"chunks of 64 KiB", Numbers.count(now.buffers())},
      {"  peak in use", Numbers.count(now.fullAtMost())},
      {"  written", Numbers.count(now.buffersWritten())},
      {"thread blocks free", Numbers.count(now.areasFree())},
      {"  calls without block", Numbers.count(now.noTable() + now.entriesWithoutArea())},
      {"slow-path passes", Numbers.count(now.slowPasses())},
      {"failed writes", Numbers.count(now.failedWrites())},
      {"call depth exceeded", Numbers.count(now.deepEntries())},
      {"calls only added up", Numbers.count(now.addedCalls())}
    };
    String[][] right = {
      {"events captured", Numbers.count(captured.events())},
      {"calls entered", Numbers.count(calls.entries())},
      {"  exits", Numbers.count(calls.exits())},
      {"  exception unwinds", Numbers.count(calls.unwinds())},
      {"  abandoned", Numbers.count(calls.abandoned())},
      {"  open at the end", Numbers.count(calls.open())},
      {"  entry only", Numbers.count(calls.entryOnly())},
      {"ends without their entry", Numbers.count(calls.lostEntries())},
      {"events dropped", Numbers.count(now.allDropped())},
      {
        "  entry / exit / unwind",
        Numbers.count(dropped.entries())
            + " / "
            + Numbers.count(dropped.exits())
            + " / "
            + Numbers.count(dropped.unwinds())
      },
      {"  no free chunk", Numbers.count(now.lost())},
      {"re-entrant, not recorded", Numbers.count(family.reentrant())}
    };
    out.println();
    for (int i = 0; i < left.length; i++) {
      out.println(
          "  %-24s %10s      %-26s %12s"
              .formatted(left[i][0], left[i][1], right[i][0], right[i][1]));
    }
  }
}
