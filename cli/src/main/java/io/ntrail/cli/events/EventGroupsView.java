package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventGroups;
import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.List;

/** Prints how many events there are by process, thread, type, CPU, provider or a field. */
final class EventGroupsView {
  private final EtwRecording recording;
  private final EventGroups groups;
  private final SchemaSourceCounts sources;
  private final String by;
  private final List<EventGroups.Row> rows;
  private final Terminal terminal;

  /**
   * @param limit rows to print; 0 for all
   */
  EventGroupsView(
      EtwRecording recording,
      EventGroups groups,
      SchemaSourceCounts sources,
      String by,
      long limit,
      Terminal terminal) {
    this.recording = recording;
    this.sources = sources;
    this.groups = groups;
    this.by = by;
    this.rows =
        limit > 0 && limit < groups.rows().size()
            ? groups.rows().subList(0, (int) limit)
            : groups.rows();
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

  private boolean hasIds() {
    return by.equalsIgnoreCase("process") || by.equalsIgnoreCase("thread");
  }

  private String idName() {
    return by.equalsIgnoreCase("process") ? "pid" : "tid";
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      json.object()
          .text("schema", "ntrail.event-groups/1")
          .text("by", by)
          .number("records", groups.records())
          .array("groups");
      rows.forEach(row -> row(json, row));
      json.endArray()
          .number("rowsLeftOut", groups.rows().size() - rows.size())
          .number("notKeptApart", groups.others())
          .lost(Losses.events(recording), Losses.buffers(recording))
          .gaps(recording.gaps())
          .endObject();
    }
  }

  private void row(Json json, EventGroups.Row row) {
    json.object();
    if (hasIds()) {
      json.text("process", row.key());
      if (row.id() < 0) {
        json.unknown(idName());
      } else {
        json.number(idName(), row.id());
      }
    } else {
      json.text("key", row.key());
    }
    json.number("count", row.count()).number("bytes", row.bytes()).endObject();
  }

  private void csv() {
    Csv csv = new Csv(terminal.out());
    if (hasIds()) {
      csv.row("process", idName(), "count", "bytes");
    } else {
      csv.row("key", "count", "bytes");
    }
    for (EventGroups.Row row : rows) {
      String count = Long.toString(row.count());
      String bytes = Long.toString(row.bytes());
      if (hasIds()) {
        csv.row(Csv.orEmpty(row.key()), row.id() < 0 ? "" : Long.toString(row.id()), count, bytes);
      } else {
        csv.row(Csv.orEmpty(row.key()), count, bytes);
      }
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
                + Numbers.counted(groups.records(), "record")
                + ", "
                + Losses.state(recording));
    Table table = new Table().number("records").number("%").number("bytes each").name(by);
    long shown = 0;
    long shownBytes = 0;
    for (EventGroups.Row row : rows) {
      shown += row.count();
      shownBytes += row.bytes();
      line(table, row.count(), row.bytes(), name(row));
    }
    long bytes = groups.bytes();
    long left = groups.records() - shown;
    if (left > 0) {
      line(
          table,
          left,
          bytes - shownBytes,
          Numbers.count(groups.rows().size() - rows.size())
              + " more"
              + (groups.others() > 0
                  ? ", and those beyond the first " + Numbers.count(EventGroups.MOST)
                  : "")
              + " (-n 0 shows all)");
    }
    line(table, groups.records(), bytes, "total");
    table.print(terminal.out(), 0, wide || !terminal.outIsTerminal() ? 0 : terminal.width());
    EventRemarks.undescribed(sources, terminal);
  }

  private String name(EventGroups.Row row) {
    String key = row.key();
    if (!hasIds()) {
      return key == null ? "(none)" : key.isEmpty() ? "(empty)" : key;
    }
    if (row.id() < 0) {
      return "(unknown)";
    }
    if (by.equalsIgnoreCase("thread")) {
      return row.id() + (key == null ? "" : " of " + key);
    }
    return (key == null ? "process" : key) + " (" + row.id() + ")";
  }

  private void line(Table table, long count, long bytes, String name) {
    table.row(
        Numbers.count(count),
        Numbers.percent(count, groups.records()),
        count == 0 ? "-" : Numbers.count(Math.round((double) bytes / count)),
        name);
  }
}
