package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.calls.FlatCallProfile;
import io.ntrail.analysis.calls.FunctionTimes;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongFunction;

/** A row a routine: its calls and what they took. */
final class CallFlatView {
  private final CallsScope scope;
  private final CallsRequest request;
  private final FlatCallProfile flat = new FlatCallProfile();
  private final List<FunctionTimes> rows;

  CallFlatView(CallsScope scope, CallsRequest request) {
    this.scope = scope;
    this.request = request;
    try (CallStream stream = scope.stream()) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        flat.add(call);
      }
    }
    Comparator<FunctionTimes> order =
        switch (request.sort()) {
          case TOTAL -> Comparator.comparingLong(FunctionTimes::total);
          case SELF -> Comparator.comparingLong(FunctionTimes::self);
          case CALLS -> Comparator.comparingLong(FunctionTimes::calls);
          case MAX -> Comparator.comparingLong(FunctionTimes::max);
        };
    this.rows =
        flat.functions().stream()
            .filter(times -> scope.isFound(times.function()))
            .sorted(order.reversed().thenComparingLong(FunctionTimes::function))
            .toList();
  }

  void print() {
    switch (request.format()) {
      case TEXT -> text();
      case JSON -> json();
      case JSONL -> {
        try (Json json = new Json(scope.terminal().out())) {
          shown().forEach(times -> object(json, times));
        }
      }
      case CSV -> csv();
    }
  }

  private List<FunctionTimes> shown() {
    long limit = request.limit();
    return limit == 0 || limit >= rows.size() ? rows : rows.subList(0, (int) limit);
  }

  /** Those of records if the whole time is meant, else those of the calls in it. */
  private CallCounts counts() {
    return scope.range().whole() ? scope.counts() : flat.counts();
  }

  private void json() {
    try (Json json = new Json(scope.terminal().out())) {
      scope.begin(json, "ntrail.calls-flat/1", counts()).array("functions");
      shown().forEach(times -> object(json, times));
      json.endArray()
          .number("rowsLeftOut", rows.size() - shown().size())
          .gaps(scope.recording().source().gaps())
          .endObject();
    }
  }

  private void object(Json json, FunctionTimes times) {
    json.object()
        .text("function", scope.names().text(times.function()))
        .number("calls", times.calls())
        .number("timed", times.timed())
        .number("unwinds", times.unwinds());
    time(json, "total", times, times.total());
    time(json, "self", times, times.self());
    time(json, "max", times, times.max());
    json.endObject();
  }

  private static void time(Json json, String key, FunctionTimes times, long time) {
    if (times.timed() > 0) {
      json.number(key, time);
    } else {
      json.unknown(key);
    }
  }

  private void csv() {
    Csv csv = new Csv(scope.terminal().out());
    csv.row("function", "calls", "unwinds", "total", "self", "max", "timed");
    for (FunctionTimes times : shown()) {
      csv.row(
          scope.names().text(times.function()),
          Long.toString(times.calls()),
          Long.toString(times.unwinds()),
          csv(times, times.total()),
          csv(times, times.self()),
          csv(times, times.max()),
          Long.toString(times.timed()));
    }
  }

  private static String csv(FunctionTimes times, long time) {
    return times.timed() > 0 ? Long.toString(time) : "";
  }

  private void text() {
    PrintStream out = scope.terminal().out();
    CallCounts counts = counts();
    out.println(
        scope.asked()
            + CallListing.calls(flat.counts().entries())
            + " of "
            + Numbers.counted(flat.functions().size(), "routine")
            + ", "
            + Numbers.count(counts.open())
            + " still open, "
            + scope.state(counts));
    if (rows.isEmpty()) {
      return;
    }
    boolean nanos = scope.nanos();
    Table table =
        new Table()
            .number("calls")
            .number(nanos ? "total ms" : "total ticks")
            .number(nanos ? "self ms" : "self ticks")
            .number(nanos ? "mean us" : "mean ticks")
            .number(nanos ? "p99 us" : "p99 ticks")
            .number(nanos ? "max us" : "max ticks")
            .number("unwound")
            .name("routine");
    for (FunctionTimes times : shown()) {
      table.row(
          Numbers.count(times.calls()),
          text(times, this::sum, times.total()),
          text(times, this::sum, times.self()),
          text(times, scope::duration, times.total() / Math.max(1, times.timed())),
          text(times, scope::duration, times.ninetyNinth()),
          text(times, scope::duration, times.max()),
          Numbers.count(times.unwinds()),
          scope.names().text(times.function()) + untimed(times));
    }
    closing(table);
    table.print(out, 2, scope.width());
  }

  private static String untimed(FunctionTimes times) {
    long untimed = times.calls() - times.timed();
    return untimed == 0 ? "" : "  (" + Numbers.count(untimed) + " entry only)";
  }

  /** A time; of calls of which only the entry is recorded it is not known. */
  private static String text(FunctionTimes times, LongFunction<String> form, long time) {
    return times.timed() > 0 ? form.apply(time) : "-";
  }

  /** What is left out, and the sums: times of different routines hold each other. */
  private void closing(Table table) {
    List<FunctionTimes> left = rows.subList(shown().size(), rows.size());
    if (!left.isEmpty()) {
      row(table, left, Numbers.counted(left.size(), "more routine") + " (-n 0 shows all)");
    }
    row(table, rows, "total");
  }

  private void row(Table table, List<FunctionTimes> of, String what) {
    table.row(
        Numbers.count(of.stream().mapToLong(FunctionTimes::calls).sum()),
        "",
        sum(of.stream().mapToLong(FunctionTimes::self).sum()),
        "",
        "",
        "",
        Numbers.count(of.stream().mapToLong(FunctionTimes::unwinds).sum()),
        what);
  }

  private String sum(long duration) {
    return scope.nanos() ? milliseconds(duration) : Numbers.count(duration);
  }

  private static String milliseconds(long nanos) {
    long hundredths = Math.round(nanos / 10_000.0);
    return Numbers.count(hundredths / 100) + "." + Numbers.padded(hundredths % 100, 2);
  }
}
