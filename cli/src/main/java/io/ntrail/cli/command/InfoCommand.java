package io.ntrail.cli.command;

import io.ntrail.analysis.events.EventCounts;
import io.ntrail.analysis.events.EventNaming;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.analysis.recording.RecordingSummary;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordKind;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail info FILE...}: what is in a recording, and what was lost. */
final class InfoCommand implements Command {
  private static final int KINDS_A_LINE = 4;

  InfoCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = Options.command("info", "What is in a recording, and what was lost.");
    Options.output(spec, "text, json, jsonl or csv (the last two: a line a file)");
    spec.addPositional(Options.files());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = Options.paths(parsed, "info");
    Format format = Options.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    int cores = Options.cores(parsed);
    try (Recording recording = Recording.open(paths);
        Terminal terminal = Options.output(parsed, system)) {
      RecordingSummary summary;
      EventCounts counts = null;
      try (Progress _ =
          Progress.start(
              terminal,
              Options.has(parsed, "-q"),
              recording.files().getFirst().name(),
              recording::bytesVisited,
              recording.size())) {
        summary = RecordingSummary.of(recording, cores);
        if (format == Format.TEXT) {
          counts = EventCounts.of(recording, cores);
        }
      }
      switch (format) {
        case TEXT -> {}
        case JSON -> json(recording, summary, terminal);
        case JSONL -> summary.files().forEach(file -> jsonl(file, terminal));
        case CSV -> csv(summary, terminal);
      }
      if (counts != null) {
        text(recording, summary, counts, terminal, Options.has(parsed, "--wide"));
        if (terminal.errIsTerminal() && !Options.has(parsed, "-q")) {
          terminal.out().flush();
          terminal.err().println("hint: ntrail events " + paths.getFirst() + " --count");
        }
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  private static void json(Recording recording, RecordingSummary summary, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.info/1").array("files");
      for (RecordingSummary.Part part : summary.files()) {
        file(json, part);
      }
      json.endArray();
      part(json, summary.total());
      json.gaps(recording.gaps()).endObject();
    }
  }

  private static void jsonl(RecordingSummary.Part part, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      file(json, part);
    }
  }

  private static void file(Json json, RecordingSummary.Part part) {
    json.object().text("file", part.name()).text("kind", "etl");
    part(json, part);
    json.endObject();
  }

  private static void csv(RecordingSummary summary, Terminal terminal) {
    Csv csv = new Csv(terminal.out());
    csv.row(
        "file",
        "kind",
        "records",
        "buffers",
        "compressedBuffers",
        "cpusSeen",
        "cpusConfigured",
        "lostEvents",
        "lostBuffers",
        "firstUtc",
        "lastUtc");
    for (RecordingSummary.Part part : summary.files()) {
      csv.row(
          part.name(),
          "etl",
          Long.toString(part.records()),
          Integer.toString(part.buffers()),
          Integer.toString(part.compressedBuffers()),
          Integer.toString(part.cpus().cardinality()),
          part.cpusConfigured() == 0 ? "" : Long.toString(part.cpusConfigured()),
          Long.toString(part.eventsLost()),
          Long.toString(part.buffersLost()),
          Csv.orEmpty(Numbers.utc(part.firstFileTime())),
          Csv.orEmpty(Numbers.utc(part.lastFileTime())));
    }
  }

  private static void part(Json json, RecordingSummary.Part part) {
    json.number("records", part.records())
        .number("buffers", part.buffers())
        .number("compressedBuffers", part.compressedBuffers())
        .object("recordsByHeader");
    for (RecordKind kind : RecordKind.values()) {
      long count = part.recordsByKind()[kind.ordinal()];
      if (count > 0) {
        json.number(kind.name(), count);
      }
    }
    json.endObject().object("cpus").number("seen", part.cpus().cardinality());
    if (part.cpusConfigured() == 0) {
      json.unknown("configured");
    } else {
      json.number("configured", part.cpusConfigured());
    }
    json.endObject()
        .lost(part.eventsLost(), part.buffersLost())
        .text("firstUtc", Numbers.utc(part.firstFileTime()))
        .text("lastUtc", Numbers.utc(part.lastFileTime()));
  }

  private static void text(
      Recording recording,
      RecordingSummary summary,
      EventCounts counts,
      Terminal terminal,
      boolean wide) {
    PrintStream out = terminal.out();
    RecordingSummary.Part total = summary.total();
    out.println(
        EventListing.names(recording)
            + ": ETW recording, "
            + Numbers.bytes(recording.size())
            + ", "
            + Losses.state(recording));
    out.println();
    EtlFile first = recording.files().getFirst();
    first.header().ifPresent(header -> machine(out, header));
    time(out, first, total);
    for (EtlFile file : recording.files()) {
      session(out, file, recording.files().size() > 1);
    }
    contents(out, total);
    out.println();
    sources(out, counts, wide || !terminal.outIsTerminal() ? 0 : terminal.width());
  }

  private static void machine(PrintStream out, LogFileHeader header) {
    StringBuilder line = new StringBuilder();
    line.append(WindowsVersions.text(header.osMajor(), header.osMinor(), header.providerVersion()))
        .append(header.pointerBytes() == 8 ? ", 64-bit, " : ", 32-bit, ")
        .append(Numbers.counted(header.processors(), "CPU"));
    if (header.cpuSpeedInMHz() > 0) {
      line.append(" at ").append(Numbers.gigahertz(header.cpuSpeedInMHz())).append(" GHz");
    }
    item(out, "machine", line.toString());
    String zone = header.timeZone().standardName();
    if (!zone.isEmpty()) {
      // Windows names zones by resources (@tzres.dll,-212), which say nothing to a person.
      String named = zone.startsWith("@") ? "" : " (" + zone + ")";
      int bias = -header.timeZone().bias();
      item(
          out,
          "zone",
          "UTC"
              + (bias < 0 ? "-" : "+")
              + Numbers.padded(Math.abs(bias) / 60, 2)
              + ":"
              + Numbers.padded(Math.abs(bias) % 60, 2)
              + named);
    }
  }

  private static void time(PrintStream out, EtlFile file, RecordingSummary.Part total) {
    String clock =
        switch (file.clock().kind()) {
          case QPC -> "QPC, " + Numbers.oneDecimal(file.clock().ticksPerSecond() / 1e6) + " MHz";
          case SYSTEM_TIME -> "system time";
          case CPU_CYCLES ->
              "CPU cycles, " + Numbers.oneDecimal(file.clock().ticksPerSecond() / 1e6) + " MHz";
          case UNKNOWN -> "unknown";
        };
    String range = Numbers.utcRange(total.firstFileTime(), total.lastFileTime());
    if (!total.hasTimes()) {
      item(out, "time", "no records but the header; clock: " + clock);
    } else {
      item(
          out,
          "time",
          (range == null ? "unknown" : range)
              + (total.lastNanos() == total.firstNanos()
                  ? ""
                  : " (" + Numbers.duration(total.lastNanos() - total.firstNanos()) + ")")
              + ", clock: "
              + clock);
    }
  }

  private static void session(PrintStream out, EtlFile file, boolean several) {
    file.header()
        .ifPresent(header ->
            item(
                out,
                "session",
                (several ? file.name() + ": " : "")
                    + (header.sessionName().isEmpty() ? "(no name)" : header.sessionName())
                    + ", log format "
                    + header.logMajor()
                    + "."
                    + header.logMinor()
                    + ", "
                    + LogFileModes.text(header.logFileMode())
                    + ", "
                    + Numbers.counted(file.buffers().count(), "buffer")
                    + " of "
                    + Numbers.bytes(file.sessionBufferSize())
                    + (several && !header.finalised() ? ", never finalised" : "")));
  }

  private static void contents(PrintStream out, RecordingSummary.Part total) {
    List<String> kinds = new ArrayList<>();
    for (RecordKind kind : RecordKind.values()) {
      long count = total.recordsByKind()[kind.ordinal()];
      if (count > 0) {
        kinds.add(kind.name() + " " + Numbers.count(count));
      }
    }
    item(
        out,
        "contents",
        Numbers.counted(total.records(), "record")
            + (total.cpus().isEmpty()
                ? ""
                : " of " + Numbers.counted(total.cpus().cardinality(), "CPU"))
            + " in "
            + Numbers.counted(total.buffers(), "buffer")
            + (total.compressedBuffers() > 0
                ? " (" + Numbers.count(total.compressedBuffers()) + " compressed)"
                : ""));
    for (int i = 0; i < kinds.size(); i += KINDS_A_LINE) {
      int end = Math.min(kinds.size(), i + KINDS_A_LINE);
      item(out, "", String.join(", ", kinds.subList(i, end)) + (end < kinds.size() ? "," : ""));
    }
    if (total.buffersAfterLoss() > 0) {
      item(
          out,
          "lost",
          "before " + Numbers.counted(total.buffersAfterLoss(), "buffer") + ", as their marks say");
    }
  }

  private static void item(PrintStream out, String label, String text) {
    out.println("  " + label + " ".repeat(Math.max(1, 11 - label.length())) + text);
  }

  private record Source(long count, long bytes, long withStack) {
    Source add(EventCounts.Row row) {
      return new Source(count + row.count(), bytes + row.bytes(), withStack + row.withStack());
    }
  }

  private static void sources(PrintStream out, EventCounts counts, int width) {
    Map<String, Source> sources = new LinkedHashMap<>();
    Source total = new Source(0, 0, 0);
    for (EventCounts.Row row : counts.rows()) {
      sources.merge(
          EventNaming.source(row.providerGuid(), row.provider(), row.event()),
          new Source(0, 0, 0).add(row),
          InfoCommand::sum);
      total = total.add(row);
    }
    List<Map.Entry<String, Source>> sorted = new ArrayList<>(sources.entrySet());
    sorted.sort((a, b) -> Long.compare(b.getValue().count, a.getValue().count));
    Numbers.SizeUnit unit = Numbers.SizeUnit.of(total.bytes);
    Table table =
        new Table()
            .number("records")
            .number("%")
            .number(unit.title())
            .number("with stack")
            .name("records by source");
    for (Map.Entry<String, Source> source : sorted) {
      row(table, source.getKey(), source.getValue(), total, unit);
    }
    row(table, "total", total, total, unit);
    table.print(out, 2, width);
  }

  private static Source sum(Source a, Source b) {
    return new Source(a.count + b.count, a.bytes + b.bytes, a.withStack + b.withStack);
  }

  private static void row(
      Table table, String name, Source source, Source total, Numbers.SizeUnit unit) {
    table.row(
        Numbers.count(source.count),
        Numbers.percent(source.count, total.count),
        unit.text(source.bytes),
        Numbers.percent(source.withStack, source.count) + " %",
        name);
  }
}
