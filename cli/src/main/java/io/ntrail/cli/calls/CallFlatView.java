package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallFunction;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallSource.CallingProcess;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.FlatCallProfile;
import io.ntrail.analysis.calls.FunctionTimes;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A row a routine: its calls and what they took. */
final class CallFlatView {
  private final CallsScope scope;
  private final CallsRequest request;
  private final FlatCallProfile flat;
  private final List<FunctionTimes> rows;
  private final Set<String> untracedModules;

  /** Process of the chosen threads; null if there are several, or if it is unknown. */
  private final @Nullable CallingProcess only;

  /** Processes are told apart on the screen. */
  private final boolean isOfSeveral;

  /** Calls were not recorded, or cannot be read: nothing says of which routines. */
  private final boolean anyMissing;

  /** Calls of any routine may be missing, for this or as records were lost. */
  private final boolean anywhere;

  CallFlatView(CallsScope scope, CallsRequest request) {
    this.scope = scope;
    this.request = request;
    CallSource source = scope.recording().source();
    this.flat = scope.flat();
    long placed = IntStream.range(0, source.threads().size()).mapToLong(source::lost).sum();
    this.anyMissing =
        source.unrecorded() > 0 || source.isSizeReached() || !scope.recording().gaps().isEmpty();
    this.anywhere =
        anyMissing
            || source.lost().orElse(0) > placed + source.lostElsewhere()
            || isAllUntraced(source);
    this.untracedModules =
        source.untraced().stream()
            .map(time -> time.module().toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    ToLongFunction<FunctionTimes> sortedBy =
        switch (request.sort()) {
          case TOTAL -> FunctionTimes::total;
          case SELF -> FunctionTimes::self;
          case CALLS -> FunctionTimes::calls;
          case MAX -> FunctionTimes::max;
        };
    this.rows =
        flat.functions().stream()
            .filter(times -> scope.isFound(times.function()))
            .sorted((a, b) -> order(sortedBy, a, b))
            .toList();
    this.only = onlyProcess(scope);
    this.isOfSeveral = rows.stream().map(this::process).distinct().limit(2).count() > 1;
  }

  private static @Nullable CallingProcess onlyProcess(CallsScope scope) {
    List<CallThread> threads = scope.recording().source().threads();
    List<CallingProcess> all =
        scope.threads().stream()
            .map(threads::get)
            .map(thread -> new CallingProcess(thread.pid(), thread.process()))
            .distinct()
            .limit(2)
            .toList();
    return all.size() == 1 && all.getFirst().pid() != CallThread.NO_PROCESS ? all.getFirst() : null;
  }

  /** Returns the process of a routine; empty if unknown. */
  private Optional<CallingProcess> process(FunctionTimes times) {
    return scope.recording().source().process(times.function()).or(() -> Optional.ofNullable(only));
  }

  private @Nullable String processName(FunctionTimes times) {
    return process(times).map(CallingProcess::name).orElse(null);
  }

  private void pid(FunctionTimes times, CellWriter cell) {
    process(times).ifPresentOrElse(its -> cell.unsigned(its.pid()), cell::unknown);
  }

  /** Returns {@code shopd.exe (4312)}. */
  private String processText(FunctionTimes times) {
    return process(times)
        .map(its ->
            (its.name() == null ? "process" : its.name())
                + " ("
                + Long.toUnsignedString(its.pid())
                + ")")
        .orElse("-");
  }

  private void rva(FunctionTimes times, CellWriter cell) {
    CallFunction function = scope.recording().source().function(times.function());
    if (function.module() == null) {
      cell.unknown();
    } else {
      cell.hex(function.rva());
    }
  }

  /**
   * Returns true if all that a process did is unknown for some time, as where the flow of a
   * Processor Trace was lost: the name is that of the process and of no module then.
   */
  private static boolean isAllUntraced(CallSource source) {
    Set<String> processes = new HashSet<>();
    for (CallThread thread : source.threads()) {
      if (thread.process() != null) {
        processes.add(thread.process().toLowerCase(Locale.ROOT));
      }
    }
    source.modules().forEach(module -> processes.remove(module.name().toLowerCase(Locale.ROOT)));
    return source.untraced().stream()
        .anyMatch(time -> processes.contains(time.module().toLowerCase(Locale.ROOT)));
  }

  /** Largest first. Written out: comparators of the library are made anew at every start. */
  private static int order(
      ToLongFunction<FunctionTimes> sortedBy, FunctionTimes a, FunctionTimes b) {
    int order = Long.compare(sortedBy.applyAsLong(b), sortedBy.applyAsLong(a));
    order = order != 0 ? order : Long.compare(b.calls(), a.calls());
    return order != 0 ? order : Long.compare(a.function(), b.function());
  }

  /** Returns whether calls of a routine may be missing from its figures. */
  private boolean isIncomplete(FunctionTimes times) {
    return anywhere
        || times.isTouched()
        || !untracedModules.isEmpty()
            && untracedModules.contains(
                scope.names().of(times.function()).module().toLowerCase(Locale.ROOT));
  }

  void print() {
    Listing<FunctionTimes> listing =
        new Listing<>("functions", columns(), sink -> shown().forEach(sink));
    listing.print(
        request.format(),
        scope.terminal().out(),
        this::text,
        json -> {
          scope.members(json.text("schema", "ntrail.calls-flat/1"), counts());
          listing.json(json);
          json.number("rowsLeftOut", rows.size() - shown().size()).gaps(scope.recording().gaps());
        });
  }

  private ListingColumns<FunctionTimes> columns() {
    boolean nanos = scope.nanos();
    return new ListingColumns<FunctionTimes>()
        .text("function", times -> scope.names().text(times.function()))
        .titled("routine")
        .text("process", this::processName)
        .titled()
        .shown(this::processText)
        .value("pid", this::pid)
        .value("rva", this::rva)
        .count("calls", FunctionTimes::calls)
        .titled()
        .shown(times -> mark(isIncomplete(times)) + Numbers.count(times.calls()))
        .flag("incomplete", this::isIncomplete)
        .count("entries", times -> times.counts().entries())
        .count("exits", times -> times.counts().exits())
        .count("unwinds", times -> times.counts().unwinds())
        .titled("unwound")
        .count("abandoned", times -> times.counts().abandoned())
        .titled()
        .count("open", times -> times.counts().open())
        .titled()
        .count("entryOnly", times -> times.counts().entryOnly())
        .titled("entry only")
        .count("lostEntries", times -> times.counts().lostEntries())
        .titled("entry lost")
        .count("timed", FunctionTimes::timed)
        .knownCount("total", times -> known(times, times.total()))
        .titled(nanos ? "total ms" : "total ticks")
        .shown(times -> text(times, this::sum, times.total()))
        .knownCount("self", times -> known(times, times.self()))
        .titled(nanos ? "self ms" : "self ticks")
        .shown(times -> text(times, this::sum, times.self()))
        .knownCount("min", times -> known(times, times.min()))
        .knownCount("max", times -> known(times, times.max()))
        .titled(nanos ? "max us" : "max ticks")
        .shown(times -> text(times, scope::duration, times.max()))
        .figure(
            nanos ? "mean us" : "mean ticks",
            times -> text(times, scope::duration, times.total() / Math.max(1, times.timed())))
        .knownCount("p50", times -> known(times, times.percentile(50)))
        .titled(nanos ? "p50 us" : "p50 ticks")
        .shown(times -> text(times, scope::duration, times.percentile(50)))
        .knownCount("p90", times -> known(times, times.percentile(90)))
        .titled(nanos ? "p90 us" : "p90 ticks")
        .shown(times -> text(times, scope::duration, times.percentile(90)))
        .knownCount("p99", times -> known(times, times.percentile(99)))
        .titled(nanos ? "p99 us" : "p99 ticks")
        .shown(times -> text(times, scope::duration, times.percentile(99)))
        .screen(
            Stream.of(
                    Stream.of("calls", "total", "self", nanos ? "mean us" : "mean ticks"),
                    Stream.of("p50", "p90", "p99", "max", "unwinds"),
                    rareEnds().map(RareEnd::key),
                    isOfSeveral ? Stream.of("process", "function") : Stream.of("function"))
                .flatMap(keys -> keys)
                .toArray(String[]::new))
        .optional(
            "abandoned",
            nanos ? "mean us" : "mean ticks",
            "p50",
            "p90",
            "unwinds",
            "lostEntries",
            "entryOnly",
            "open",
            "p99",
            "self")
        .csv(
            "function",
            "calls",
            "unwinds",
            "total",
            "self",
            "max",
            "timed",
            "entries",
            "exits",
            "abandoned",
            "open",
            "entryOnly",
            "lostEntries",
            "p50",
            "p90",
            "p99",
            "incomplete",
            "min",
            "process",
            "pid",
            "rva");
  }

  private static String mark(boolean isIncomplete) {
    return isIncomplete ? "~" : "";
  }

  /** A way in which few calls end: a column on the screen if any did. */
  private record RareEnd(String key, ToLongFunction<CallCounts> number) {}

  private Stream<RareEnd> rareEnds() {
    CallCounts all = flat.counts();
    return Stream.of(
            new RareEnd("abandoned", CallCounts::abandoned),
            new RareEnd("open", CallCounts::open),
            new RareEnd("entryOnly", CallCounts::entryOnly),
            new RareEnd("lostEntries", CallCounts::lostEntries))
        .filter(end -> end.number.applyAsLong(all) > 0);
  }

  /** Returns a time; -1 if only entries are recorded. */
  private static long known(FunctionTimes times, long time) {
    return times.timed() > 0 ? time : -1;
  }

  private List<FunctionTimes> shown() {
    long limit = request.limit();
    return limit == 0 || limit >= rows.size() ? rows : rows.subList(0, (int) limit);
  }

  /**
   * Returns the counts of the threads if the whole time and all routines are meant, else of the
   * calls in it.
   */
  private CallCounts counts() {
    if (scope.choice().find() != null) {
      return sum(rows);
    }
    return scope.range().whole() ? scope.counts() : flat.counts();
  }

  private static CallCounts sum(List<FunctionTimes> of) {
    return of.stream().map(FunctionTimes::counts).reduce(CallCounts.NONE, CallCounts::plus);
  }

  private void text() {
    PrintStream out = scope.terminal().out();
    CallCounts counts = counts();
    out.println(
        scope.asked()
            + CallListing.calls(counts.calls())
            + " of "
            + Numbers.counted(rows.size(), "routine")
            + ", "
            + Numbers.count(counts.open())
            + " open at the end, "
            + scope.state(counts));
    out.println("  " + CallBalance.text(counts));
    scope
        .totalsRemark()
        .ifPresent(remark -> out.println(remark + "; percentiles are up to twice as large"));
    if (rows.isEmpty()) {
      return;
    }
    ListingColumns<FunctionTimes> columns = columns();
    Table table = columns.table();
    shown().forEach(times -> columns.row(table, times));
    closing(table);
    table.print(out, 2, scope.width());
    if (rows.stream().anyMatch(this::isIncomplete)) {
      out.println(
          "~ calls may be missing: records were lost where the routine was called, or its module was"
              + " not traced for some time"
              + (anyMissing ? ", or not all calls were recorded or can be read" : ""));
    }
  }

  /** A time; of calls of which only the entry is recorded it is not known. */
  private static String text(FunctionTimes times, LongFunction<String> form, long time) {
    return times.timed() > 0 ? form.apply(time) : "-";
  }

  /**
   * Adds the rows that are not shown and the sums; times of different routines contain each other.
   */
  private void closing(Table table) {
    List<FunctionTimes> left = rows.subList(shown().size(), rows.size());
    if (!left.isEmpty()) {
      row(table, left, Numbers.counted(left.size(), "more routine") + " (-n 0 shows all)");
    }
    row(table, rows, "total");
  }

  private void row(Table table, List<FunctionTimes> of, String what) {
    CallCounts sum = sum(of);
    List<String> cells = new ArrayList<>();
    cells.add(
        mark(of.stream().anyMatch(this::isIncomplete)) + Numbers.count(sum.calls() - sum.open()));
    cells.add("");
    cells.add(sum(of.stream().mapToLong(FunctionTimes::self).sum()));
    cells.addAll(List.of("", "", "", "", ""));
    cells.add(Numbers.count(sum.unwinds()));
    rareEnds().forEach(end -> cells.add(Numbers.count(end.number.applyAsLong(sum))));
    if (isOfSeveral) {
      cells.add("");
    }
    cells.add(what);
    table.row(cells);
  }

  private String sum(long duration) {
    return scope.nanos() ? milliseconds(duration) : Numbers.count(duration);
  }

  private static String milliseconds(long nanos) {
    long hundredths = Math.round(nanos / 10_000.0);
    return Numbers.count(hundredths / 100) + "." + Numbers.padded(hundredths % 100, 2);
  }
}
