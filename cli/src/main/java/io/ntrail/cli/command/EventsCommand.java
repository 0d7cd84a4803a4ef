package io.ntrail.cli.command;

import io.ntrail.analysis.events.EventCounts;
import io.ntrail.analysis.events.EventFilter;
import io.ntrail.analysis.events.EventGroups;
import io.ntrail.analysis.events.Events;
import io.ntrail.analysis.events.SchemaSources;
import io.ntrail.analysis.events.Where;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail events FILE...}: the events in time order, or how many there are of each type. */
final class EventsCommand implements Command {
  private static final long DEFAULT_LIMIT = 20;
  private static final int MOST_CPUS = 1 << 16;

  EventsCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        Options.command("events", "The events of a recording, in time order or counted.");
    spec.addOption(Options.flag("how many events there are of each type", "--count"));
    spec.addOption(
        Options.value(
            "KEY", "with --count: by process, thread, event, cpu, provider or a field", "--by"));
    spec.addOption(Options.values("NAME|PID", "only events of this process", "-p", "--process"));
    spec.addOption(Options.values("TID", "only events of this thread", "-t", "--thread"));
    spec.addOption(
        Options.values(
            "PATTERN",
            "only events of this name: FileIo/*, /regular expression/",
            "-e",
            "--event"));
    spec.addOption(
        Options.value("FROM..TO", "only from one time to another, in seconds", "--time"));
    spec.addOption(Options.value("LIST", "only events of these CPUs: 0,2-5", "--cpu"));
    spec.addOption(
        Options.value("CONDITION", "only events whose fields meet it: 'size > 65536'", "--where"));
    spec.addOption(
        Options.values("FILE", "an instrumentation manifest that describes events", "--manifest"));
    spec.addOption(Options.values("FILE", "a TMF file that describes messages", "--tmf"));
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
    if (Options.has(parsed, "--by") && !count) {
      throw new UsageError(
          "--by counts: it needs --count",
          "ntrail events "
              + paths.getFirst()
              + " --count --by "
              + Options.text(parsed, "--by", ""));
    }
    TimeRange range = TimeRange.parse(Options.text(parsed, "--time", ".."));
    EventFilter filter = filter(parsed);
    long limit = Options.number(parsed, "-n", format == Format.TEXT && !count ? DEFAULT_LIMIT : 0);
    SchemaSources sources = new SchemaSources(SchemaFiles.read(parsed, system));
    try (Recording recording = Recording.open(paths);
        Terminal terminal = Options.output(parsed, system)) {
      String asked = asked(parsed, range);
      if (count && filter.passesAll() && range.whole() && !Options.has(parsed, "--by")) {
        EventCounts counts;
        try (Progress _ = progress(recording, terminal, parsed)) {
          counts = EventCounts.of(recording, Options.cores(parsed), sources);
        }
        new EventCountsView(recording, counts, limit, terminal)
            .print(format, asked, Options.has(parsed, "--wide"));
        return Losses.finish(recording, parsed, terminal);
      }
      Events events;
      try (Progress _ = progress(recording, terminal, parsed)) {
        events = Events.of(recording, sources, Options.cores(parsed));
      }
      if (count) {
        count(events, filter, range, parsed, format, limit, terminal, asked);
      } else {
        list(events, filter, range, parsed, format, limit, terminal, asked);
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  private static Progress progress(Recording recording, Terminal terminal, ParseResult parsed) {
    return Progress.start(
        terminal,
        Options.has(parsed, "-q"),
        recording.files().getFirst().name(),
        recording::bytesVisited,
        recording.size());
  }

  private static void count(
      Events events,
      EventFilter filter,
      TimeRange range,
      ParseResult parsed,
      Format format,
      long limit,
      Terminal terminal,
      String asked) {
    Recording recording = events.recording();
    boolean wide = Options.has(parsed, "--wide");
    if (Options.has(parsed, "--by")) {
      String by = Options.text(parsed, "--by", "");
      EventGroups groups;
      try (Progress _ = progress(recording, terminal, parsed);
          Events.Walk walk = events.walk(filter, range.fromNanos(), range.toNanos())) {
        groups = EventGroups.of(walk, by);
      }
      new EventGroupsView(recording, groups, by, limit, terminal).print(format, asked, wide);
    } else {
      EventCounts counts;
      try (Progress _ = progress(recording, terminal, parsed);
          Events.Walk walk = events.walk(filter, range.fromNanos(), range.toNanos())) {
        counts = EventCounts.filtered(events, walk, Options.cores(parsed));
      }
      new EventCountsView(recording, counts, limit, terminal).print(format, asked, wide);
    }
  }

  private static void list(
      Events events,
      EventFilter filter,
      TimeRange range,
      ParseResult parsed,
      Format format,
      long limit,
      Terminal terminal,
      String asked) {
    if (format == Format.TEXT) {
      new EventListing(events, filter, range, terminal, Options.has(parsed, "--wide"))
          .print(limit, asked);
      return;
    }
    EventRows rows = new EventRows(terminal, Options.has(parsed, "-v"));
    try (Events.Walk walk = events.walk(filter, range.fromNanos(), range.toNanos())) {
      switch (format) {
        case JSONL -> rows.jsonl(walk, limit);
        case CSV -> rows.csv(walk, limit);
        default -> rows.json(events, walk, limit);
      }
    }
  }

  private static EventFilter filter(ParseResult parsed) {
    EventFilter.Builder filter = new EventFilter.Builder();
    try {
      Options.all(parsed, "-p").forEach(filter::process);
      Options.all(parsed, "-t").forEach(filter::thread);
      Options.all(parsed, "-e").forEach(filter::event);
      if (Options.has(parsed, "--where")) {
        filter.where(Where.parse(Options.text(parsed, "--where", "")));
      }
    } catch (IllegalArgumentException e) {
      throw new UsageError(
          String.valueOf(e.getMessage()), "--where 'size > 65536 and path =~ *.db'");
    }
    if (Options.has(parsed, "--cpu")) {
      filter.cpus(cpus(Options.text(parsed, "--cpu", "")));
    }
    return filter.build();
  }

  private static BitSet cpus(String list) {
    BitSet cpus = new BitSet();
    try {
      for (String part : list.split(",", -1)) {
        int dash = part.indexOf('-', 1);
        int first = Integer.parseInt((dash < 0 ? part : part.substring(0, dash)).strip());
        int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1).strip());
        if (first < 0 || last < first || last >= MOST_CPUS) {
          throw new NumberFormatException(part);
        }
        cpus.set(first, last + 1);
      }
      return cpus;
    } catch (NumberFormatException e) {
      throw new UsageError("--cpu takes numbers, not " + list, "--cpu 0,2-5");
    }
  }

  /** What was asked for, as the first line repeats it. */
  private static String asked(ParseResult parsed, TimeRange range) {
    List<String> parts = new ArrayList<>();
    parts.addAll(Options.all(parsed, "-p"));
    Options.all(parsed, "-t").forEach(thread -> parts.add("thread " + thread));
    parts.addAll(Options.all(parsed, "-e"));
    if (Options.has(parsed, "--cpu")) {
      parts.add("CPU " + Options.text(parsed, "--cpu", ""));
    }
    if (Options.has(parsed, "--where")) {
      parts.add(Options.text(parsed, "--where", ""));
    }
    parts.add(scope(range));
    return String.join(", ", parts);
  }

  private static String scope(TimeRange range) {
    if (range.whole()) {
      return "whole recording";
    }
    if (range.fromNanos() == Long.MIN_VALUE) {
      return "before " + Numbers.seconds(range.toNanos()) + " s";
    }
    String from = Numbers.seconds(range.fromNanos());
    return range.toNanos() == Long.MAX_VALUE
        ? "from " + from + " s"
        : from + " .. " + Numbers.seconds(range.toNanos()) + " s";
  }
}
