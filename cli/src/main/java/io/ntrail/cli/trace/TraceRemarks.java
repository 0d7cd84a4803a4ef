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

  /** Returns how many calls were made without a record, and why. */
  static List<String> unrecorded(RecorderStatistics now) {
    List<String> remarks = new ArrayList<>();
    if (now.deepEntries() > 0) {
      remarks.add(
          "only entries of "
              + Numbers.counted(now.deepEntries(), "call")
              + " were recorded: deeper than 256 traced calls on one stack");
    }
    if (now.noArea() > 0) {
      remarks.add(
          notRecorded(now.noArea())
              + ": threads began faster than memory for their stacks could be added, or were more"
              + " than can be traced (--threads N makes memory for N stacks before the start; a"
              + " 32-bit program has room for 126)");
    }
    return remarks;
  }

  private static String notRecorded(long calls) {
    return Numbers.counted(calls, "call") + (calls == 1 ? " was" : " were") + " not recorded";
  }
}
