package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.FieldSum;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.EventTotals;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints event counts by type. */
final class EventCountsView {
  private final EtwRecording recording;
  private final EventCounts counts;
  private final List<EventCounts.Row> rows;
  private final EventFilter.Undecided undecided;
  private final EventTotals totals;
  private final Terminal terminal;

  /** All rows by what people read. */
  private final Map<String, List<EventCounts.Row>> byText;

  /**
   * @param undecided events that the filter could not decide about
   * @param limit rows to print; 0 for all
   */
  EventCountsView(
      EtwRecording recording,
      EventCounts counts,
      EventFilter.Undecided undecided,
      long limit,
      Terminal terminal) {
    this.recording = recording;
    this.undecided = undecided;
    this.counts = counts;
    this.rows =
        limit > 0 && limit < counts.rows().size()
            ? counts.rows().subList(0, (int) limit)
            : counts.rows();
    this.totals = new EventTotals(counts.records(), counts.stackRecords());
    this.terminal = terminal;
    this.byText = counts.rows().stream().collect(Collectors.groupingBy(EventCounts.Row::text));
  }

  void print(Format format, String asked, boolean wide) {
    Listing<EventCounts.Row> listing = new Listing<>("events", columns(), rows::forEach);
    listing.print(
        format,
        terminal.out(),
        () -> text(asked, wide),
        json -> {
          json.text("schema", "ntrail.event-counts/1").number("records", counts.records());
          listing.json(json);
          json.number("rowsLeftOut", counts.rows().size() - rows.size());
          EventRemarks.json(json, counts.sources(), undecided);
          Losses.json(json, recording).gaps(recording.gaps());
        });
  }

  private ListingColumns<EventCounts.Row> columns() {
    ListingColumns<EventCounts.Row> columns = new ListingColumns<EventCounts.Row>();
    columns
        .text("providerGuid", row -> EventIds.guid(row.providerGuid()))
        .text("provider", EventCounts.Row::provider)
        .value("providerSource", (row, cell) -> EventIds.providerSource(row.providerListed(), cell))
        .onlyJson()
        .text("event", row -> named(row.event()))
        .titled()
        .shown(row -> row.text() + distinction(row))
        .count("id", EventCounts.Row::id)
        .count("opcode", EventCounts.Row::opcode)
        .count("version", EventCounts.Row::version)
        .count("count", EventCounts.Row::count)
        .titled(totals.noun() + "s")
        .knownCount("withStack", row -> counts.stacksKnown() ? row.withStack() : -1)
        .titled("with stack")
        .shown(row ->
            counts.stacksKnown() ? Numbers.percent(row.withStack(), row.count()) + " %" : "?")
        .count("bytes", EventCounts.Row::bytes)
        .value("names", EventCountsView::names)
        .onlyJson()
        .figure("%", row -> Numbers.percent(row.count(), counts.records()))
        .figure(
            totals.noun() + "s/s",
            row ->
                counts.nanos() == 0 ? "-" : Numbers.oneDecimal(row.count() * 1e9 / counts.nanos()))
        .figure(
            "bytes each",
            row ->
                row.count() == 0
                    ? "-"
                    : Numbers.count(Math.round((double) row.bytes() / row.count())));
    SumColumns.add(columns, counts.sums(), sums(counts.rows()), EventCounts.Row::sums);
    List<String> shown = new ArrayList<>(List.of("count", "%"));
    counts.sums().forEach(field -> shown.add(SumColumns.key(field)));
    shown.addAll(List.of(totals.noun() + "s/s", "bytes each", "withStack", "event"));
    return columns
        .screen(shown.toArray(String[]::new))
        .optional(totals.noun() + "s/s", "bytes each", "withStack");
  }

  /** Returns what tells a row from others that have its name; empty if no other has. */
  private String distinction(EventCounts.Row row) {
    List<EventCounts.Row> alike = byText.getOrDefault(row.text(), List.of());
    if (alike.size() < 2) {
      return "";
    }
    StringJoiner differences = new StringJoiner(", ", " (", ")");
    differ(differences, "id", row, alike, EventCounts.Row::id);
    differ(differences, "opcode", row, alike, EventCounts.Row::opcode);
    differ(differences, "version", row, alike, EventCounts.Row::version);
    boolean isProvider =
        alike.stream().anyMatch(other -> !other.providerGuid().equals(row.providerGuid()));
    if (isProvider) {
      differences.add("provider " + row.providerGuid());
    }
    return differences.toString();
  }

  private static void differ(
      StringJoiner into,
      String name,
      EventCounts.Row row,
      List<EventCounts.Row> alike,
      ToLongFunction<EventCounts.Row> field) {
    long value = field.applyAsLong(row);
    if (alike.stream().anyMatch(other -> field.applyAsLong(other) != value)) {
      into.add(name + " " + value);
    }
  }

  /** An event without a name has none; it is not called "". */
  private static @Nullable String named(@Nullable String event) {
    return event == null || event.isEmpty() ? null : event;
  }

  private static void names(EventCounts.Row row, CellWriter cell) {
    if (row.names().size() < 2) {
      cell.absent();
      return;
    }
    cell.shaped(
        () -> "",
        json -> {
          json.array();
          row.names()
              .forEach((name, count) ->
                  json.object().text("event", name).number("count", count).endObject());
          json.endArray();
        });
  }

  private void text(String asked, boolean wide) {
    List<FieldSum> total = sums(counts.rows());
    terminal
        .out()
        .println(
            Headings.files(recording)
                + ": "
                + asked
                + ": "
                + totals.text()
                + " in "
                + Numbers.counted(counts.rows().size(), "type")
                + SumColumns.heading(counts.sums(), total)
                + ", "
                + Losses.state(recording));
    ListingColumns<EventCounts.Row> columns = columns();
    Table table = columns.table();
    long shown = 0;
    long shownBytes = 0;
    long stacks = counts.rows().stream().mapToLong(EventCounts.Row::withStack).sum();
    for (EventCounts.Row row : rows) {
      shown += row.count();
      shownBytes += row.bytes();
      columns.row(table, row);
    }
    int leftOut = counts.rows().size() - rows.size();
    if (leftOut > 0) {
      long restStacks = stacks - rows.stream().mapToLong(EventCounts.Row::withStack).sum();
      columns.closing(
          table,
          sum(
              counts.records() - shown,
              counts.bytes() - shownBytes,
              restStacks,
              sums(counts.rows().subList(rows.size(), counts.rows().size()))),
          Numbers.counted(leftOut, "more type") + " (-n 0 shows all)");
    }
    columns.closing(table, sum(counts.records(), counts.bytes(), stacks, total), "total");
    table.print(terminal.out(), 0, wide || !terminal.outIsTerminal() ? 0 : terminal.width());
    EventRemarks.undescribed(counts.sources(), terminal);
  }

  /** Returns the sum of several types as a row. */
  private static EventCounts.Row sum(long count, long bytes, long stacks, List<FieldSum> sums) {
    return new EventCounts.Row(
        Guid.ZERO, null, false, null, 0, 0, 0, count, bytes, stacks, 0, Map.of(), sums);
  }

  private List<FieldSum> sums(List<EventCounts.Row> added) {
    return FieldSum.together(
        counts.sums().size(), added.stream().map(EventCounts.Row::sums).toList());
  }
}
