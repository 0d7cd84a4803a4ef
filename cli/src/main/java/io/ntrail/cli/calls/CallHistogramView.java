package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.FunctionTimes;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Prints how often the calls of some routines took how long: a row for each power of two. */
final class CallHistogramView {
  /** Characters of the longest bar. */
  private static final int BAR = 30;

  /** Class of durations of a routine's calls. */
  private record Row(FunctionTimes times, FunctionTimes.Class part) {}

  private final CallsScope scope;
  private final CallsRequest request;
  private final List<FunctionTimes> routines;

  /** Calls of the routines that were asked about which have no duration, as they did not end. */
  private final long open;

  /** Calls of these routines of which only the entry is recorded. */
  private final long entryOnly;

  CallHistogramView(CallsScope scope, CallsRequest request) {
    this.scope = scope;
    this.request = request;
    List<FunctionTimes> asked =
        scope.flat().functions().stream().filter(times -> scope.isFound(times.function())).toList();
    this.open = asked.stream().mapToLong(times -> times.counts().open()).sum();
    this.entryOnly = asked.stream().mapToLong(times -> times.counts().entryOnly()).sum();
    this.routines =
        asked.stream()
            .filter(times -> times.timed() > 0)
            .sorted(
                Comparator.comparingLong(FunctionTimes::total)
                    .reversed()
                    .thenComparingLong(FunctionTimes::function))
            .toList();
  }

  void print() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .text("function", row -> name(row.times))
            .count("from", row -> row.part.from())
            .count("to", row -> row.part.to())
            .count("calls", row -> row.part.calls());
    new Listing<>("classes", columns, this::rows)
        .print(
            request.format(),
            scope.terminal().out(),
            this::text,
            json -> {
              scope.members(json.text("schema", "ntrail.calls-histogram/1"), scope.counts());
              json.array("functions");
              routines.forEach(times -> json(json, times));
              json.endArray()
                  .number("openNotShown", open)
                  .number("entryOnlyNotShown", entryOnly)
                  .gaps(scope.recording().gaps());
            });
  }

  /** Returns which calls are in no class, as they have no duration. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    CallsScope.openRemark(open).ifPresent(remarks::add);
    if (entryOnly > 0) {
      remarks.add(CallListing.calls(entryOnly) + " without a recorded end, not shown");
    }
    return remarks;
  }

  private String name(FunctionTimes times) {
    return scope.names().text(times.function());
  }

  private void rows(Consumer<Row> each) {
    for (FunctionTimes times : routines) {
      times.classes().forEach(part -> each.accept(new Row(times, part)));
    }
  }

  private void json(Json json, FunctionTimes times) {
    json.object()
        .text("function", name(times))
        .number("calls", times.calls())
        .number("timed", times.timed())
        .number("min", times.min())
        .number("max", times.max())
        .number("p50", times.percentile(50))
        .number("p90", times.percentile(90))
        .number("p99", times.percentile(99))
        .array("classes");
    for (FunctionTimes.Class part : times.classes()) {
      json.object()
          .number("from", part.from())
          .number("to", part.to())
          .number("calls", part.calls())
          .endObject();
    }
    json.endArray().endObject();
  }

  private void text() {
    PrintStream out = scope.terminal().out();
    out.println(
        scope.asked()
            + Numbers.counted(routines.size(), "routine")
            + " with durations, "
            + scope.state(scope.counts()));
    scope
        .totalsRemark()
        .ifPresent(remark -> out.println(remark + "; classes are up to twice as long"));
    long printed = 0;
    for (FunctionTimes times : routines) {
      if (request.limit() > 0 && printed >= request.limit()) {
        break;
      }
      printed += times.classes().size();
      routine(out, times);
    }
    long all = routines.stream().mapToLong(times -> times.classes().size()).sum();
    if (printed < all) {
      out.println(Numbers.counted(all - printed, "more row") + " (-n 0 shows all)");
    }
    remarks().forEach(remark -> out.println("  " + remark));
  }

  private void routine(PrintStream out, FunctionTimes times) {
    out.println(
        "%s: %s, p50 %s, p90 %s, p99 %s, max %s"
            .formatted(
                name(times),
                CallListing.calls(times.timed()),
                scope.amount(times.percentile(50)),
                scope.amount(times.percentile(90)),
                scope.amount(times.percentile(99)),
                scope.amount(times.max())));
    Table table =
        new Table().number("at most").number("calls").number("%").number("up to here %").name("");
    List<FunctionTimes.Class> classes = times.classes();
    long most = classes.stream().mapToLong(FunctionTimes.Class::calls).max().orElse(1);
    long sum = 0;
    for (FunctionTimes.Class part : classes) {
      sum += part.calls();
      table.row(
          scope.amount(part.to()),
          Numbers.count(part.calls()),
          Numbers.percent(part.calls(), times.timed()),
          Numbers.percent(sum, times.timed()),
          bar(part.calls(), most));
    }
    table.print(out, 2, scope.width());
  }

  /** Returns a bar; of some calls it is never empty. */
  private String bar(long calls, long most) {
    long length = calls == 0 ? 0 : Math.max(1, Math.round((double) calls / most * BAR));
    return (scope.ascii() ? "#" : "\u2588").repeat((int) length);
  }
}
