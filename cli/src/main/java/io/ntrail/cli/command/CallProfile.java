package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallImages;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallNames.Name;
import io.ntrail.analysis.calls.CallPaths;
import io.ntrail.analysis.calls.CallPaths.Sum;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.ParseResult;

/** {@code ntrail profile} of a recording of calls: where their time went, by routine or by path. */
final class CallProfile {
  private static final List<String> OTHER_OPTIONS =
      List.of(
          "--metric",
          "--wait",
          "--unit",
          "--source",
          "-e",
          "-p",
          "-t",
          "--time",
          "--kernel",
          "--user",
          "--idle",
          "--by",
          "--tree",
          "--bottom-up",
          "--callers",
          "--min");

  private final CallRecording recording;
  private final CallNames names;
  private final CallPaths paths = new CallPaths();
  private final Terminal terminal;
  private final List<Sum> rows;
  private final long limit;
  private final int width;

  private CallProfile(
      CallRecording recording, ParseResult parsed, Terminal terminal, String format) {
    this.recording = recording;
    this.names = new CallNames(recording.source(), CallImages.NONE);
    this.terminal = terminal;
    this.limit = Options.number(parsed, "-n", format.equals("text") ? 20 : 0);
    this.width = Options.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
    List<Integer> threads =
        IntStream.range(0, recording.source().threads().size()).boxed().toList();
    recording.survey(threads, Options.cores(parsed));
    try (CallStream stream = new CallStream(recording, threads, Long.MIN_VALUE, Long.MAX_VALUE)) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        paths.add(call);
      }
    }
    boolean bySelf = Options.text(parsed, "-s", "self").equals("self");
    this.rows =
        paths.functions().stream()
            .sorted(
                Comparator.comparingLong(bySelf ? Sum::self : Sum::inclusive)
                    .reversed()
                    .thenComparingLong(Sum::function))
            .toList();
  }

  static int print(Path path, ParseResult parsed, Terminal system, List<String> formats) {
    String format = Options.text(parsed, "--format", "text");
    if (!formats.contains(format)) {
      throw new UsageError(
          "--format takes text, json, jsonl, csv or collapsed, not " + format, "--format json");
    }
    for (String option : OTHER_OPTIONS) {
      boolean isCalls =
          option.equals("--metric") && Options.text(parsed, option, "calls").equals("calls");
      if (Options.has(parsed, option) && !isCalls) {
        throw new UsageError(
            option + " is not for recordings of calls", "ntrail calls " + path + " --flat");
      }
    }
    try (CallRecording recording = CallFiles.open(path);
        Terminal terminal = Options.output(parsed, system)) {
      CallProfile profile = new CallProfile(recording, parsed, terminal, format);
      switch (format) {
        case "collapsed" -> profile.collapsed();
        case "json" -> profile.json();
        case "jsonl" -> {
          try (Json json = new Json(terminal.out())) {
            profile.shown().forEach(row -> profile.row(json, row));
          }
        }
        case "csv" -> profile.csv();
        default -> profile.text();
      }
      Losses.warn(recording.source().gaps(), terminal);
      return recording.source().gaps().isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
    }
  }

  private List<Sum> shown() {
    return limit == 0 || limit >= rows.size() ? rows : rows.subList(0, (int) limit);
  }

  /** Outermost first, parts by semicolons, then the time. */
  private void collapsed() {
    for (CallPaths.Path path : paths.paths()) {
      List<String> parts = new ArrayList<>();
      for (long function : path.functions()) {
        parts.add(names.text(function).replace(';', ':').replace('\n', ' '));
      }
      terminal.out().println(String.join(";", parts) + " " + path.self());
    }
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      json.object()
          .text("schema", "ntrail.profile/1")
          .text("file", recording.source().name())
          .text("metric", "calls")
          .text("unit", recording.source().clock().unit())
          .number("total", paths.total())
          .number("idle", 0)
          .object("scope")
          .endObject()
          .object("lost")
          .unknown("events")
          .unknown("buffers")
          .endObject()
          .gaps(recording.source().gaps())
          .object("symbols")
          .unknown("hot")
          .number("found", 0)
          .endObject()
          .array("rows");
      shown().forEach(row -> row(json, row));
      json.endArray().number("rowsLeftOut", rows.size() - shown().size()).endObject();
    }
  }

  private void row(Json json, Sum row) {
    Name name = names.of(row.function());
    json.object()
        .unknown("process")
        .unknown("pid")
        .name("module", name.module())
        .name("function", name.function())
        .text("rva", Numbers.hex(name.rva()))
        .number("self", row.self())
        .number("inclusive", row.inclusive())
        .endObject();
  }

  private void csv() {
    Csv csv = new Csv(terminal.out());
    csv.row("process", "pid", "module", "function", "rva", "self", "inclusive");
    for (Sum row : shown()) {
      Name name = names.of(row.function());
      csv.row(
          "",
          "",
          name.module(),
          name.function(),
          Numbers.hex(name.rva()),
          Long.toString(row.self()),
          Long.toString(row.inclusive()));
    }
  }

  private void text() {
    PrintStream out = terminal.out();
    long total = paths.total();
    boolean nanos = recording.source().clock().nanos();
    out.println(
        recording.source().name()
            + ": all threads: "
            + (nanos ? Numbers.duration(total) : Numbers.counted(total, "tick"))
            + " in recorded calls"
            + (paths.isCut() ? ", some paths cut for want of memory" : ""));
    if (rows.isEmpty()) {
      return;
    }
    Table table =
        new Table()
            .number(nanos ? "self us" : "self ticks")
            .number("%")
            .number("incl.")
            .number("%")
            .name("function");
    for (Sum row : shown()) {
      table.row(
          weight(row.self(), nanos),
          Numbers.percent(row.self(), total),
          weight(row.inclusive(), nanos),
          Numbers.percent(row.inclusive(), total),
          names.text(row.function()));
    }
    List<Sum> left = rows.subList(shown().size(), rows.size());
    if (!left.isEmpty()) {
      long rest = left.stream().mapToLong(Sum::self).sum();
      table.row(
          weight(rest, nanos),
          Numbers.percent(rest, total),
          "",
          "",
          Numbers.counted(left.size(), "more function") + " (-n 0 shows all)");
    }
    table.row(weight(total, nanos), Numbers.percent(total, total), "", "", "total");
    table.print(out, 0, width);
  }

  private static String weight(long value, boolean nanos) {
    return nanos ? Numbers.oneDecimal(value / 1000.0) : Numbers.count(value);
  }
}
