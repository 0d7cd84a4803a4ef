package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints how many events there are of each type. */
final class EventCountsView {
  private final EtwRecording recording;
  private final EventCounts counts;
  private final List<EventCounts.Row> rows;
  private final Terminal terminal;

  /**
   * @param limit rows to print; 0 for all
   */
  EventCountsView(EtwRecording recording, EventCounts counts, long limit, Terminal terminal) {
    this.recording = recording;
    this.counts = counts;
    this.rows =
        limit > 0 && limit < counts.rows().size()
            ? counts.rows().subList(0, (int) limit)
            : counts.rows();
    this.terminal = terminal;
  }

  void print(Format format, String asked, boolean wide) {
    switch (format) {
      case TEXT -> text(asked, wide);
      case JSON -> json();
      case JSONL -> {
        try (Json json = new Json(terminal.out())) {
          rows.forEach(row -> row(json, row));
        }
      }
      case CSV -> csv();
    }
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      json.object()
          .text("schema", "ntrail.event-counts/1")
          .number("records", counts.records())
          .array("events");
      rows.forEach(row -> row(json, row));
      json.endArray()
          .number("rowsLeftOut", counts.rows().size() - rows.size())
          .lost(Losses.events(recording), Losses.buffers(recording))
          .gaps(recording.gaps())
          .endObject();
    }
  }

  private void row(Json json, EventCounts.Row row) {
    json.object()
        .text("providerGuid", EventIds.guid(row.providerGuid()))
        .text("provider", row.provider())
        .text("event", named(row.event()))
        .number("id", row.id())
        .number("opcode", row.opcode())
        .number("version", row.version())
        .number("count", row.count());
    if (counts.stacksKnown()) {
      json.number("withStack", row.withStack());
    } else {
      json.unknown("withStack");
    }
    json.number("bytes", row.bytes());
    if (row.names().size() > 1) {
      json.array("names");
      for (Map.Entry<String, Long> name : row.names().entrySet()) {
        json.object().text("event", name.getKey()).number("count", name.getValue()).endObject();
      }
      json.endArray();
    }
    json.endObject();
  }

  /** An event without a name has none; it is not called "". */
  private static @Nullable String named(@Nullable String event) {
    return event == null || event.isEmpty() ? null : event;
  }

  private void csv() {
    Csv csv = new Csv(terminal.out());
    csv.row(
        "providerGuid",
        "provider",
        "event",
        "id",
        "opcode",
        "version",
        "count",
        "withStack",
        "bytes");
    for (EventCounts.Row row : rows) {
      csv.row(
          Csv.orEmpty(EventIds.guid(row.providerGuid())),
          Csv.orEmpty(row.provider()),
          Csv.orEmpty(named(row.event())),
          Integer.toString(row.id()),
          Integer.toString(row.opcode()),
          Integer.toString(row.version()),
          Long.toString(row.count()),
          counts.stacksKnown() ? Long.toString(row.withStack()) : "",
          Long.toString(row.bytes()));
    }
  }

  private void text(String asked, boolean wide) {
    terminal
        .out()
        .println(
            Headings.files(recording)
                + ": "
                + asked
                + ": "
                + Numbers.counted(counts.records(), "record")
                + " in "
                + Numbers.counted(counts.rows().size(), "type")
                + ", "
                + Losses.state(recording));
    Table table =
        new Table()
            .number("records")
            .number("%")
            .number("records/s")
            .number("bytes each")
            .number("with stack")
            .name("event");
    long shown = 0;
    long shownBytes = 0;
    long stacks = counts.rows().stream().mapToLong(EventCounts.Row::withStack).sum();
    for (EventCounts.Row row : rows) {
      shown += row.count();
      shownBytes += row.bytes();
      line(table, row.count(), row.bytes(), row.withStack(), row.text());
    }
    int leftOut = counts.rows().size() - rows.size();
    if (leftOut > 0) {
      long restStacks = stacks - rows.stream().mapToLong(EventCounts.Row::withStack).sum();
      line(
          table,
          counts.records() - shown,
          counts.bytes() - shownBytes,
          restStacks,
          Numbers.counted(leftOut, "more type") + " (-n 0 shows all)");
    }
    line(table, counts.records(), counts.bytes(), stacks, "total");
    table.print(terminal.out(), 0, wide || !terminal.outIsTerminal() ? 0 : terminal.width());
    EventRemarks.undescribed(counts.sources(), terminal);
  }

  private void line(Table table, long count, long bytes, long stacks, String name) {
    table.row(
        Numbers.count(count),
        Numbers.percent(count, counts.records()),
        counts.nanos() == 0 ? "-" : Numbers.oneDecimal(count * 1e9 / counts.nanos()),
        count == 0 ? "-" : Numbers.count(Math.round((double) bytes / count)),
        counts.stacksKnown() ? Numbers.percent(stacks, count) + " %" : "?",
        name);
  }
}
