package io.ntrail.cli.command;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileInput;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.Profiler;
import io.ntrail.analysis.profile.Unit;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** Prints a profile: its first lines, flat tables, callers, and what has to be said beside it. */
final class ProfileView {
  private final ProfileInput input;
  private final Profiler profiler;
  private final ProfileRequest request;
  private final ParseResult parsed;
  private final Terminal terminal;
  private final Recording recording;
  private final ProfileHeading heading;

  ProfileView(
      ProfileInput input,
      Profiler profiler,
      ProfileRequest request,
      ParseResult parsed,
      Terminal terminal) {
    this.input = input;
    this.profiler = profiler;
    this.request = request;
    this.parsed = parsed;
    this.terminal = terminal;
    this.recording = input.recording();
    this.heading = new ProfileHeading(input, profiler, request, Options.cores(parsed));
  }

  Terminal terminal() {
    return terminal;
  }

  long total() {
    return profiler.total();
  }

  int width() {
    return Options.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
  }

  boolean ascii() {
    return Options.has(parsed, "--ascii") || !terminal.outIsUtf8();
  }

  /** A weight as people read it. */
  String weight(long weight) {
    return switch (request.unit()) {
      case NANOS -> Numbers.oneDecimal(weight / 1e3);
      default -> Numbers.count(weight);
    };
  }

  /** The unit as the heading of a column says it. */
  String unit() {
    return request.unit() == Unit.NANOS ? "us" : request.unit().text();
  }

  /** The first lines, and nothing else if there is nothing to show. */
  void heading() {
    terminal.out().println(heading.first());
    if (profiler.weights() > 0) {
      terminal.out().println(heading.second());
    }
  }

  /** Rows of a flat profile. */
  void rows(List<ProfileRow> all) {
    long least = request.leastOf(profiler.total());
    List<ProfileRow> heavy =
        all.stream()
            .filter(row -> (request.bySelf() ? row.self() : row.inclusive()) >= least)
            .toList();
    int shown = request.limit() == 0 ? heavy.size() : (int) Math.min(request.limit(), heavy.size());
    List<ProfileRow> rows = heavy.subList(0, shown);
    switch (request.format()) {
      case "json" -> json(rows, all);
      case "jsonl" -> {
        try (Json json = new Json(terminal.out())) {
          rows.forEach(row -> row(json, row));
        }
      }
      case "csv" -> csv(rows);
      default -> text(rows, all);
    }
  }

  private boolean byOwner() {
    return !request.by().equals("function") && !request.by().equals("module");
  }

  private void text(List<ProfileRow> rows, List<ProfileRow> all) {
    heading();
    if (all.isEmpty()) {
      return;
    }
    Table table = new Table().number(byOwner() ? unit() : column("self")).number("%");
    if (!byOwner()) {
      table.number(column("incl.")).number("%");
    }
    table.name(request.by());
    long total = profiler.total();
    long shown = 0;
    for (ProfileRow row : rows) {
      shown += row.self();
      line(table, row.self(), row.inclusive(), row.text());
    }
    int left = all.size() - rows.size();
    if (left > 0) {
      line(table, total - shown, -1, Numbers.count(left) + " more (-n 0 shows all)");
    }
    line(table, total, -1, "total");
    table.print(terminal.out(), 0, width());
  }

  /** A line of a flat table; nothing is said about a negative inclusive weight. */
  private void line(Table table, long self, long inclusive, String name) {
    long total = profiler.total();
    List<String> cells = new ArrayList<>(List.of(weight(self), Numbers.percent(self, total)));
    if (!byOwner()) {
      cells.add(inclusive < 0 ? "" : weight(inclusive));
      cells.add(inclusive < 0 ? "" : Numbers.percent(inclusive, total));
    }
    cells.add(name);
    table.row(cells);
  }

  private String column(String title) {
    return request.unit() == Unit.SAMPLES || request.unit() == Unit.COUNT
        ? title
        : title + " " + unit();
  }

  private void csv(List<ProfileRow> rows) {
    Csv csv = new Csv(terminal.out());
    csv.row(
        "process", "pid", "thread", "tid", "cpu", "module", "function", "rva", "self", "inclusive");
    for (ProfileRow row : rows) {
      csv.row(
          Csv.orEmpty(process(row)),
          text(pid(row)),
          byThread() ? row.text() : "",
          text(row.tid()),
          text(row.cpu()),
          Csv.orEmpty(row.module()),
          Csv.orEmpty(row.function()),
          row.rva() < 0 ? "" : Numbers.hex(row.rva()),
          Long.toString(row.self()),
          Long.toString(row.inclusive()));
    }
  }

  private boolean byThread() {
    return request.by().equals("thread");
  }

  /** The columns of processes belong to {@code --by process} alone. */
  private @Nullable String process(ProfileRow row) {
    return byThread() ? null : row.process();
  }

  private @Nullable Integer pid(ProfileRow row) {
    return byThread() ? null : row.pid();
  }

  private static String text(@Nullable Integer id) {
    return id == null ? "" : Integer.toUnsignedString(id);
  }

  private void json(List<ProfileRow> rows, List<ProfileRow> all) {
    try (Json json = new Json(terminal.out())) {
      beginJson(json, "ntrail.profile/1").array("rows");
      rows.forEach(row -> row(json, row));
      json.endArray().number("rowsLeftOut", all.size() - rows.size()).endObject();
    }
  }

  /** The members that profiles of every look have. */
  Json beginJson(Json json, String schema) {
    ProfileScope scope = request.scope();
    json.object()
        .text("schema", schema)
        .text("file", EventListing.names(recording))
        .text("metric", request.metric().text())
        .text("unit", request.unit().text());
    if (request.metric() == Metric.PMC) {
      json.text("source", heading.counter(profiler.source()));
    } else if (request.metric() == Metric.ALLOC) {
      json.text("source", profiler.allocations());
    }
    json.number("total", profiler.total()).number("idle", profiler.idle()).object("scope");
    json.array("process");
    if (!scope.processes().isEmpty()) {
      for (Profiler.Owner owner : profiler.owners()) {
        json.object()
            .text("name", owner.name())
            .number("pid", Integer.toUnsignedLong(owner.id()))
            .endObject();
      }
    }
    json.endArray().array("thread");
    scope.threads().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("event");
    scope.events().forEach(pattern -> json.text(pattern.toString()));
    json.endArray();
    nanos(json, "fromNanos", scope.fromNanos(), Long.MIN_VALUE);
    nanos(json, "toNanos", scope.toNanos(), Long.MAX_VALUE);
    json.number("coveredNanos", heading.covered())
        .text("mode", scope.mode().name().toLowerCase(Locale.ROOT))
        .bool("idle", scope.idle())
        .endObject();
    json.lost(Losses.events(recording), Losses.buffers(recording)).gaps(recording.gaps());
    json.object("symbols").unknown("hot").number("found", 0).endObject();
    json.object("stacks")
        .number("weights", profiler.weights())
        .number("withStack", profiler.withFrames())
        .number("records", profiler.references())
        .number("unmatched", profiler.unmatched())
        .number("undefinedKeys", profiler.undefined())
        .number("leftOut", profiler.leftOut())
        .endObject();
    json.object("remarks")
        .number("unfinished", profiler.remarks().unfinished())
        .number("broken", profiler.remarks().broken())
        .number("breaks", profiler.remarks().breaks())
        .bool("intervalUnknown", profiler.remarks().intervalUnknown())
        .number("unattributed", profiler.remarks().unattributed())
        .number("leftOut", input.machine().leftOut())
        .endObject();
    return json;
  }

  private static void nanos(Json json, String key, long value, long unlimited) {
    if (value == unlimited) {
      json.unknown(key);
    } else {
      json.number(key, value);
    }
  }

  private void row(Json json, ProfileRow row) {
    json.object().text("process", process(row));
    number(json, "pid", pid(row));
    if (byThread()) {
      json.text("thread", row.text());
      number(json, "tid", row.tid());
    } else if (request.by().equals("cpu")) {
      number(json, "cpu", row.cpu());
    }
    json.text("module", row.module()).text("function", row.function());
    if (row.rva() < 0) {
      json.unknown("rva");
    } else {
      json.text("rva", Numbers.hex(row.rva()));
    }
    json.number("self", row.self()).number("inclusive", row.inclusive()).endObject();
  }

  private static void number(Json json, String key, @Nullable Integer value) {
    if (value == null) {
      json.unknown(key);
    } else {
      json.number(key, Integer.toUnsignedLong(value));
    }
  }
}
