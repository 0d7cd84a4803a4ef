package io.ntrail.cli.command;

import io.ntrail.analysis.profile.Callers;
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
    return Options.has(parsed, "--ascii");
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

  /** What was asked of what. */
  void heading() {
    StringBuilder line = new StringBuilder(EventListing.names(recording)).append(": ");
    line.append(String.join(", ", asked())).append(": ");
    line.append(sum());
    if (profiler.idle() > 0) {
      line.append(" (and ").append(amount(profiler.idle())).append(" idle)");
    }
    line.append(", ").append(Losses.state(recording));
    terminal.out().println(line);
    terminal.out().println(symbols());
  }

  private List<String> asked() {
    List<String> parts = new ArrayList<>();
    ProfileScope scope = request.scope();
    parts.add(request.metric() == Metric.EVENT ? "events" : request.metric().text());
    scope.events().forEach(pattern -> parts.add(pattern.toString()));
    if (scope.processes().isEmpty()) {
      parts.add("all processes");
    }
    scope.processes().forEach(pattern -> parts.add(pattern.toString()));
    scope.threads().forEach(pattern -> parts.add("thread " + pattern));
    switch (scope.mode()) {
      case KERNEL -> parts.add("kernel mode");
      case USER -> parts.add("user mode");
      case ALL -> {}
    }
    parts.add(request.range().text());
    return parts;
  }

  private String sum() {
    String sum = amount(profiler.total());
    if (request.metric() == Metric.CPU && request.unit() == Unit.SAMPLES) {
      long interval = input.inventory().interval(0, Long.MIN_VALUE);
      if (interval > 0) {
        sum += " of " + Numbers.duration(100 * interval);
      }
    }
    return sum;
  }

  private String amount(long weight) {
    return switch (request.unit()) {
      case NANOS -> Numbers.duration(weight);
      case BYTES -> Numbers.bytes(weight);
      case SAMPLES -> Numbers.counted(weight, "sample");
      case COUNT -> Numbers.count(weight) + " " + request.metric().things();
      case EVENTS -> Numbers.count(weight) + " events of " + counter();
    };
  }

  private String counter() {
    int source = profiler.source();
    String name = input.inventory().sourceName(source);
    return name == null ? "counter " + source : name;
  }

  private String symbols() {
    long framed = profiler.withFrames();
    return Numbers.percent(framed, profiler.weights())
        + " % with stacks; no symbols: functions are ranges of 256 bytes of a module";
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
      case "json" -> json(rows, all.size() - rows.size());
      case "jsonl" -> {
        try (Json json = new Json(terminal.out())) {
          rows.forEach(row -> row(json, row));
        }
      }
      case "csv" -> csv(rows);
      default -> text(rows, all);
    }
  }

  private void text(List<ProfileRow> rows, List<ProfileRow> all) {
    heading();
    Table table =
        new Table().number(column("self")).number("%").number(column("incl.")).number("%");
    table.name(request.by());
    long total = profiler.total();
    long shown = 0;
    for (ProfileRow row : rows) {
      shown += row.self();
      table.row(
          weight(row.self()),
          Numbers.percent(row.self(), total),
          weight(row.inclusive()),
          Numbers.percent(row.inclusive(), total),
          row.text());
    }
    int left = all.size() - rows.size();
    if (left > 0) {
      table.row(
          weight(total - shown),
          Numbers.percent(total - shown, total),
          "",
          "",
          Numbers.count(left) + " more (-n 0 shows all)");
    }
    table.row(weight(total), Numbers.percent(total, total), "", "", "total");
    table.print(terminal.out(), 0, width());
  }

  private String column(String title) {
    return request.unit() == Unit.SAMPLES || request.unit() == Unit.COUNT
        ? title
        : title + " " + unit();
  }

  private void csv(List<ProfileRow> rows) {
    Csv csv = new Csv(terminal.out());
    csv.row("process", "pid", "tid", "cpu", "module", "function", "rva", "self", "inclusive");
    for (ProfileRow row : rows) {
      csv.row(
          Csv.orEmpty(row.process()),
          text(row.pid()),
          text(row.tid()),
          text(row.cpu()),
          Csv.orEmpty(row.module()),
          Csv.orEmpty(row.function()),
          row.rva() < 0 ? "" : Numbers.hex(row.rva()),
          Long.toString(row.self()),
          Long.toString(row.inclusive()));
    }
  }

  private static String text(@Nullable Integer id) {
    return id == null ? "" : Integer.toUnsignedString(id);
  }

  private void json(List<ProfileRow> rows, long left) {
    try (Json json = new Json(terminal.out())) {
      beginJson(json).array("rows");
      rows.forEach(row -> row(json, row));
      json.endArray().number("rowsLeftOut", left).endObject();
    }
  }

  /** The members that profiles of every look have. */
  Json beginJson(Json json) {
    ProfileScope scope = request.scope();
    json.object()
        .text("schema", "ntrail.profile/1")
        .text("file", EventListing.names(recording))
        .text("metric", request.metric().text())
        .text("unit", request.unit().text());
    if (request.metric() == Metric.PMC) {
      json.text("source", counter());
    } else if (request.metric() == Metric.ALLOC) {
      json.text("source", profiler.allocations());
    }
    json.number("total", profiler.total()).number("idle", profiler.idle()).object("scope");
    json.array("process");
    scope.processes().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("thread");
    scope.threads().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("event");
    scope.events().forEach(pattern -> json.text(pattern.toString()));
    json.endArray();
    nanos(json, "fromNanos", scope.fromNanos(), Long.MIN_VALUE);
    nanos(json, "toNanos", scope.toNanos(), Long.MAX_VALUE);
    json.text("mode", scope.mode().name().toLowerCase(Locale.ROOT))
        .bool("idle", scope.idle())
        .endObject();
    json.lost(Losses.events(recording), Losses.buffers(recording)).gaps(recording.gaps());
    json.object("symbols").number("hot", 0).number("found", 0).endObject();
    json.object("stacks")
        .number("weights", profiler.weights())
        .number("withStack", profiler.withFrames())
        .number("records", profiler.references())
        .number("unmatched", profiler.unmatched())
        .number("undefinedKeys", profiler.undefined())
        .number("leftOut", profiler.leftOut() + input.stacks().leftOut())
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
    json.object().text("process", row.process());
    number(json, "pid", row.pid());
    if (request.by().equals("thread")) {
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

  /** Who calls some functions, and what they call. */
  void callers(Callers callers) {
    if (request.format().equals("json")) {
      try (Json json = new Json(terminal.out())) {
        beginJson(json).array("functions");
        callers.names().forEach(json::text);
        json.endArray()
            .number("inclusive", callers.inclusive())
            .number("self", callers.self())
            .array("callers");
        neighbours(json, callers.callers());
        json.array("callees");
        neighbours(json, callers.callees());
        json.endObject();
      }
      return;
    }
    heading();
    List<String> names = callers.names();
    terminal
        .out()
        .println(
            (names.isEmpty()
                    ? "no function is called " + String.join(" or ", request.callers())
                    : names.size() == 1
                        ? names.getFirst()
                        : Numbers.count(names.size()) + " functions")
                + ": incl. "
                + weight(callers.inclusive())
                + " ("
                + Numbers.percent(callers.inclusive(), total())
                + " %), self "
                + weight(callers.self())
                + " ("
                + Numbers.percent(callers.self(), total())
                + " %)");
    neighbours("callers", callers.callers(), callers.inclusive());
    neighbours("callees", callers.callees(), callers.inclusive());
  }

  private static void neighbours(Json json, List<Callers.Neighbour> neighbours) {
    for (Callers.Neighbour neighbour : neighbours) {
      json.object()
          .text("function", neighbour.text())
          .number("weight", neighbour.weight())
          .endObject();
    }
    json.endArray();
  }

  private void neighbours(String title, List<Callers.Neighbour> neighbours, long whole) {
    Table table = new Table().number(unit()).number("%").name(title);
    int shown =
        request.limit() == 0
            ? neighbours.size()
            : (int) Math.min(request.limit(), neighbours.size());
    long left = whole;
    for (Callers.Neighbour neighbour : neighbours.subList(0, shown)) {
      left -= neighbour.weight();
      table.row(
          weight(neighbour.weight()), Numbers.percent(neighbour.weight(), whole), neighbour.text());
    }
    if (shown < neighbours.size()) {
      table.row(
          weight(left),
          Numbers.percent(left, whole),
          Numbers.count(neighbours.size() - shown) + " more (-n 0 shows all)");
    }
    table.row(weight(whole), Numbers.percent(whole, whole), "total");
    table.print(terminal.out(), 0, width());
  }

  /** What has to be said beside the figures. */
  void remarks() {
    if (!request.format().equals("text")) {
      return;
    }
    List<String> remarks = new ArrayList<>();
    add(
        remarks,
        profiler.remarks().unfinished(),
        "did not end in the recording, and are not summed");
    add(
        remarks,
        profiler.remarks().broken(),
        "began or ended without the other, and are not summed");
    add(
        remarks,
        profiler.remarks().breaks(),
        "context switches do not follow from the one before on their CPU: some were lost, and waits"
            + " across them may hide that the thread ran");
    add(remarks, profiler.unmatched(), "stack records name an event that is not there");
    add(remarks, profiler.undefined(), "stack keys are defined nowhere");
    add(
        remarks,
        profiler.leftOut() + input.stacks().leftOut() + input.machine().leftOut(),
        "records about stacks, processes or images were left out for want of memory");
    if (profiler.remarks().intervalUnknown()) {
      remarks.add(
          "nothing tells the sampling interval: taken as 1 ms (timer) or 1 event (counter)");
    }
    if (profiler.remarks().unattributed() > 0) {
      remarks.add(
          weight(profiler.remarks().unattributed()) + " " + unit() + " belong to no known process");
    }
    remarks.addAll(others());
    terminal.out().flush();
    remarks.forEach(terminal.out()::println);
  }

  private List<String> others() {
    if (request.metric() == Metric.ALLOC) {
      List<String> kinds = new ArrayList<>(input.inventory().allocationKinds());
      kinds.remove(profiler.allocations());
      return kinds.isEmpty()
          ? List.of()
          : List.of("other kinds of allocations: --source " + String.join(", ", kinds));
    }
    if (request.metric() == Metric.PMC && input.inventory().pmcSources().size() > 1) {
      List<String> names = new ArrayList<>();
      for (int source : input.inventory().pmcSources().keySet()) {
        String name = input.inventory().sourceName(source);
        if (source != profiler.source()) {
          names.add(name == null ? Integer.toString(source) : name);
        }
      }
      return List.of("other counters: --source " + String.join(", ", names));
    }
    return List.of();
  }

  private static void add(List<String> remarks, long count, String what) {
    if (count > 0) {
      remarks.add(Numbers.count(count) + " " + what);
    }
  }
}
