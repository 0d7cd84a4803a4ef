package io.ntrail.cli.trace;

import io.ntrail.cli.text.Numbers;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import java.util.ArrayList;
import java.util.List;

/** Remarks on what a trace lacks: patterns without functions, calls without records. */
final class TraceRemarks {
  private TraceRemarks() {}

  /** Returns a remark for each pattern that matches nothing now, and nothing later. */
  static List<String> hopeless(TraceRequest request, TracePlan plan) {
    return request.hopeless(plan.modules()).stream()
        .map(pattern -> "no function of the loaded modules matches " + pattern)
        .toList();
  }

  /** Returns a remark for each pattern that has matched no function. */
  static List<String> unmatched(TraceRequest request) {
    return request.functions().unmatched().stream()
        .map(pattern -> "no function matched " + pattern)
        .toList();
  }

  /** Returns how many calls have no record, or none of their end, and why. */
  static List<String> unrecorded(RecorderStatistics now) {
    List<String> remarks = new ArrayList<>();
    if (now.deepEntries() > 0) {
      remarks.add(entriesOf(now.deepEntries()) + ": deeper than 256 traced calls on one stack");
    }
    if (now.entriesWithoutArea() > 0) {
      remarks.add(
          entriesOf(now.entriesWithoutArea())
              + ": threads began faster than memory for their stacks could be added, or were more"
              + " than can be traced (--threads N makes memory for N stacks before the start; a"
              + " 32-bit program has room for 126)");
    }
    if (now.noTable() > 0) {
      remarks.add(
          "%s not counted: more threads than tables for them"
              .formatted(Numbers.counted(now.noTable(), "call")));
    }
    return remarks;
  }

  private static String entriesOf(long calls) {
    return "only entries of " + Numbers.counted(calls, "call") + " were recorded";
  }
}
