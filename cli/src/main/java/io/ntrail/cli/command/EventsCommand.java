package io.ntrail.cli.command;

import io.ntrail.analysis.recording.EventCounts;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail events FILE...}: the events in time order, or how many there are of each type. */
final class EventsCommand implements Command {
  private static final long DEFAULT_LIMIT = 20;

  EventsCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        Options.command("events", "The events of a recording, in time order or counted.");
    spec.addOption(Options.flag("how many events there are of each type", "--count"));
    spec.addOption(
        Options.value("FROM..TO", "only from one time to another, in seconds", "--time"));
    spec.addOption(
        Options.value(
            "N", "at most N lines; 0 for all (default: 20 on the screen)", "-n", "--limit"));
    Options.output(spec, "text, json, jsonl or csv");
    spec.addPositional(Options.files());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = Options.paths(parsed, "events");
    boolean count = Options.has(parsed, "--count");
    Format format = Options.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    if (count && Options.has(parsed, "--time")) {
      throw new UsageError(
          "--count counts the whole recording", "ntrail events " + paths.getFirst() + " --count");
    }
    TimeRange range = TimeRange.parse(Options.text(parsed, "--time", ".."));
    long limit = Options.number(parsed, "-n", format == Format.TEXT ? DEFAULT_LIMIT : 0);
    try (Recording recording = Recording.open(paths);
        Terminal terminal = Options.output(parsed, system)) {
      if (count) {
        count(recording, parsed, format, limit, terminal);
      } else {
        new EventListing(recording, terminal, Options.has(parsed, "--wide"))
            .print(range, limit, format, Options.cores(parsed), Options.has(parsed, "-q"));
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  private static void count(
      Recording recording, ParseResult parsed, Format format, long limit, Terminal terminal) {
    EventCounts counts;
    try (Progress _ =
        Progress.start(
            terminal,
            Options.has(parsed, "-q"),
            recording.files().getFirst().name(),
            recording::bytesVisited,
            recording.size())) {
      counts = EventCounts.of(recording, Options.cores(parsed));
    }
    long shown = format == Format.TEXT && !Options.has(parsed, "-n") ? 0 : limit;
    List<EventCounts.Row> rows = counts.rows();
    if (shown > 0 && shown < rows.size()) {
      rows = rows.subList(0, (int) shown);
    }
    switch (format) {
      case TEXT -> text(recording, counts, rows, terminal, Options.has(parsed, "--wide"));
      case JSON -> json(recording, counts, rows, terminal);
      case JSONL -> {
        for (EventCounts.Row row : rows) {
          try (Json json = new Json(terminal.out())) {
            row(json, row);
          }
        }
      }
      case CSV -> csv(rows, terminal);
    }
  }

  private static void json(
      Recording recording, EventCounts counts, List<EventCounts.Row> rows, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object()
          .text("schema", "ntrail.event-counts/1")
          .number("records", counts.records())
          .array("events");
      for (EventCounts.Row row : rows) {
        row(json, row);
      }
      json.endArray()
          .number("rowsLeftOut", counts.rows().size() - rows.size())
          .lost(Losses.events(recording), Losses.buffers(recording))
          .gaps(recording.gaps())
          .endObject();
    }
  }

  private static void row(Json json, EventCounts.Row row) {
    json.object()
        .text("providerGuid", EventListing.guid(row.providerGuid()))
        .text("provider", row.provider())
        .text("event", EventListing.named(row.event()))
        .number("id", row.id())
        .number("opcode", row.opcode())
        .number("version", row.version())
        .number("count", row.count())
        .number("withStack", row.withStack())
        .number("bytes", row.bytes());
    if (row.names().size() > 1) {
      json.array("names");
      for (Map.Entry<String, Long> name : row.names().entrySet()) {
        json.object().text("event", name.getKey()).number("count", name.getValue()).endObject();
      }
      json.endArray();
    }
    json.endObject();
  }

  private static void csv(List<EventCounts.Row> rows, Terminal terminal) {
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
          row.providerGuid().toString(),
          Csv.orEmpty(row.provider()),
          Csv.orEmpty(EventListing.named(row.event())),
          Integer.toString(row.id()),
          Integer.toString(row.opcode()),
          Integer.toString(row.version()),
          Long.toString(row.count()),
          Long.toString(row.withStack()),
          Long.toString(row.bytes()));
    }
  }

  private static void text(
      Recording recording,
      EventCounts counts,
      List<EventCounts.Row> rows,
      Terminal terminal,
      boolean wide) {
    terminal
        .out()
        .println(
            EventListing.names(recording)
                + ": whole recording: "
                + Numbers.counted(counts.records(), "record")
                + " in "
                + Numbers.counted(counts.rows().size(), "type")
                + ", "
                + Losses.state(recording));
    Table table =
        new Table()
            .number("records")
            .number("%")
            .number("bytes each")
            .number("with stack")
            .name("event");
    long shown = 0;
    long shownBytes = 0;
    long stacks = counts.rows().stream().mapToLong(EventCounts.Row::withStack).sum();
    for (EventCounts.Row row : rows) {
      shown += row.count();
      shownBytes += row.bytes();
      line(table, row.count(), row.bytes(), row.withStack(), counts, EventNames.event(row));
    }
    int leftOut = counts.rows().size() - rows.size();
    if (leftOut > 0) {
      long restStacks = stacks - rows.stream().mapToLong(EventCounts.Row::withStack).sum();
      line(
          table,
          counts.records() - shown,
          counts.bytes() - shownBytes,
          restStacks,
          counts,
          Numbers.counted(leftOut, "more type") + " (-n 0 shows all)");
    }
    line(table, counts.records(), counts.bytes(), stacks, counts, "total");
    table.print(terminal.out(), 0, wide || !terminal.outIsTerminal() ? 0 : terminal.width());
  }

  private static void line(
      Table table, long count, long bytes, long stacks, EventCounts counts, String name) {
    table.row(
        Numbers.count(count),
        Numbers.percent(count, counts.records()),
        count == 0 ? "-" : Numbers.count(Math.round((double) bytes / count)),
        Numbers.percent(stacks, count) + " %",
        name);
  }
}
