package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.calls.SlowestCalls;
import io.ntrail.analysis.calls.SlowestCalls.Share;
import io.ntrail.analysis.calls.SlowestCalls.Slow;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.TextSanitizer;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

/** The calls that took longest, and where their time went. */
final class CallSlowestView {
  private final CallsScope scope;
  private final CallsRequest request;
  private final List<Slow> calls;

  CallSlowestView(CallsScope scope, CallsRequest request) {
    this.scope = scope;
    this.request = request;
    SlowestCalls slowest = new SlowestCalls((int) request.slowest());
    try (Progress _ = scope.progress().start();
        CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        if (scope.isFound(call) && request.shows(call.depth())) {
          slowest.add(call);
        }
      }
    }
    this.calls = slowest.list();
  }

  void print() {
    ListingColumns<CallWalk> columns =
        new CallRows(scope.recording(), scope.names(), request.stacks()).columns();
    Listing<CallWalk> listing = new Listing<>("calls", columns, this::each);
    listing.print(
        request.format(),
        scope.terminal().out(),
        this::text,
        json -> {
          scope.members(json.text("schema", "ntrail.calls/1"), scope.counts());
          listing.json(json);
          json.gaps(scope.recording().gaps());
        });
  }

  private void each(Consumer<CallWalk> consumer) {
    for (Slow slow : calls) {
      try (CallWalk call = scope.recording().walk(slow.thread())) {
        call.seek(slow.number());
        if (call.next()) {
          consumer.accept(call);
        }
      }
    }
  }

  private String held(CallWalk call) {
    long held = CallRows.held(scope.recording(), call);
    return held == 0 ? "" : "; ntrail held the process for " + scope.amount(held) + " of it";
  }

  private void text() {
    PrintStream out = scope.terminal().out();
    CallerFrames frames = new CallerFrames(scope.recording().source(), scope.names());
    out.println(
        scope.asked()
            + "the slowest "
            + Numbers.count(calls.size())
            + " calls, "
            + scope.state(scope.counts()));
    each(call -> {
      long duration = call.duration();
      long children = call.children();
      long leftOut = call.leftOut();
      // Before the call's children are looked at.
      String held = held(call);
      List<String> callers = request.stacks() ? frames.lines(call) : List.of();
      out.println(
          "  "
              + scope.amount(duration)
              + "  at "
              + scope.time(call.entry())
              + (scope.nanos() ? " s" : "")
              + "  "
              + CallTreeScreen.threadText(call.threadInfo())
              + "  "
              + TextSanitizer.one(scope.names().text(call.function()))
              + CallListing.arguments(call, request, scope.names()));
      Share share = SlowestCalls.largestShare(call);
      out.println(
          "      "
              + Numbers.counted(children, "child call")
              + (leftOut > 0
                  ? "; " + Numbers.count(leftOut) + " of them left out of this part of a recording"
                  : "")
              + (share.total() == 0 || leftOut > 0
                  ? ""
                  : "; "
                      + Numbers.percent(share.total(), duration)
                      + " % of its time in "
                      + TextSanitizer.one(scope.names().text(share.function()))
                      + " ("
                      + CallListing.calls(share.calls())
                      + ")")
              + held);
      callers.forEach(line -> out.println("      " + TextSanitizer.one(line)));
    });
    scope.openRemark().ifPresent(remark -> out.println("  " + remark));
  }
}
