package io.ntrail.cli.command;

import io.ntrail.analysis.events.EventCounts;
import io.ntrail.analysis.events.EventFilter;
import io.ntrail.analysis.events.EventGroups;
import io.ntrail.analysis.events.Events;
import io.ntrail.analysis.events.Events.Learn;
import io.ntrail.analysis.events.SchemaSources;
import io.ntrail.analysis.events.SourceCounts;
import io.ntrail.analysis.events.StackCounts;
import io.ntrail.analysis.events.Where;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail events FILE...}: the events in time order, or how many there are of each type. */
final class EventsCommand implements Command {
  private static final long DEFAULT_LIMIT = 20;
  private static final int MOST_CPUS = 1 << 16;

  /** What was asked for, understood, and where the answer goes. */
  private record Request(
      ParseResult parsed,
      Format format,
      EventFilter filter,
      TimeRange range,
      long limit,
      String asked,
      Terminal terminal) {
    /** Whether all events of the recording are meant. */
    boolean isWhole() {
      return filter.passesAll() && range.whole();
    }

    /** Whether more than one thing says which events are meant. */
    boolean isNarrowed() {
      long kinds =
          Stream.of("-p", "-t", "-e", "--cpu", "--where", "--time")
              .filter(option -> Options.has(parsed, option))
              .count();
      return kinds > 1;
    }

    boolean isWide() {
      return Options.has(parsed, "--wide");
    }

    boolean hasStacks() {
      return Options.has(parsed, "--stacks");
    }

    Events.Walk walk(Events events) {
      return events.walk(filter, range.fromNanos(), range.toNanos());
    }

    Events.Walk walkWithStacks(Events events) {
      return events.walkWithStacks(filter, range.fromNanos(), range.toNanos());
    }

    Events.Walk walkWithStacks(Events events, RecordingSymbols symbols) {
      return events.walkWithStacks(filter, range.fromNanos(), range.toNanos(), symbols);
    }
  }

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
    spec.addOption(Options.flag("each event with its stack", "--stacks"));
    SymbolPlaces.optionsWithWait(spec);
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
    if (Options.has(parsed, "--stacks") && count) {
      throw new UsageError(
          "--stacks lists the events with their stacks: it does not go with --count",
          "ntrail events " + paths.getFirst() + " --count tells how many have stacks");
    }
    TimeRange range = TimeRange.parse(Options.text(parsed, "--time", ".."));
    EventFilter filter = filter(parsed);
    long limit = Options.number(parsed, "-n", format == Format.TEXT && !count ? DEFAULT_LIMIT : 0);
    SchemaSources sources = new SchemaSources(SchemaFiles.read(parsed, system));
    try (Recording recording = open(paths);
        Terminal terminal = Options.output(parsed, system)) {
      Request request =
          new Request(parsed, format, filter, range, limit, asked(parsed, range), terminal);
      Losses.Symbols symbols = Losses.Symbols.NONE;
      if (!count) {
        symbols = list(request, recording, sources);
      } else if (Options.has(parsed, "--by")) {
        countBy(request, recording, sources);
      } else {
        count(request, recording, sources);
      }
      return Losses.finish(recording, symbols, parsed, terminal);
    }
  }

  private static Progress progress(Recording recording, Request request) {
    return ReadingProgress.start(recording, request.parsed, request.terminal);
  }

  private static void count(Request request, Recording recording, SchemaSources sources) {
    int cores = Options.cores(request.parsed);
    EventCounts counts;
    Events events = null;
    if (request.isWhole()) {
      try (Progress _ = progress(recording, request)) {
        counts = EventCounts.of(recording, cores, sources);
      }
    } else {
      events = events(request, recording, sources);
      try (Progress _ = progress(recording, request);
          Events.Walk walk = request.walkWithStacks(events)) {
        counts = EventCounts.filtered(events, walk, cores);
      }
    }
    new EventCountsView(recording, counts, request.limit, request.terminal)
        .print(request.format, request.asked, request.isWide());
    if (events != null) {
      unmatched(request, events);
    }
    EventRemarks.sources(counts.sources(), counts.problems(), request.parsed, request.terminal);
  }

  private static void countBy(Request request, Recording recording, SchemaSources sources) {
    String by = Options.text(request.parsed, "--by", "");
    Events events = events(request, recording, sources);
    EventGroups groups;
    SourceCounts described;
    try (Progress _ = progress(recording, request);
        Events.Walk walk = request.walk(events)) {
      groups = EventGroups.of(walk, by);
      described = walk.sources();
    }
    new EventGroupsView(recording, groups, described, by, request.limit, request.terminal)
        .print(request.format, request.asked, request.isWide());
    unmatched(request, events);
    if (groups.unmatched() != null) {
      EventRemarks.unmatched(
          List.of(groups.unmatched()),
          !request.range.whole(),
          !request.isWhole(),
          request.terminal);
    }
    EventRemarks.sources(described, events.problems(), request.parsed, request.terminal);
  }

  /** Lists them, and tells what symbols could not give. */
  private static Losses.Symbols list(Request request, Recording recording, SchemaSources sources) {
    Events events = events(request, recording, sources);
    SourceCounts described;
    StackCounts stacks;
    Losses.Symbols lacking;
    try (SymbolPlaces places =
            SymbolPlaces.of(paths(request.parsed), request.parsed, request.terminal);
        RecordingSymbols symbols =
            new RecordingSymbols(events.machine().images(), places.search(), places.images())) {
      if (request.hasStacks()) {
        fetch(request, events, places, symbols);
      }
      if (request.format == Format.TEXT) {
        EventListing listing =
            new EventListing(
                events,
                request.filter,
                request.range,
                request.terminal,
                request.isWide(),
                request.hasStacks() ? symbols : null);
        described = listing.print(request.limit, request.asked);
        stacks = listing.stackCounts();
      } else {
        EventRows rows =
            new EventRows(request.terminal, Options.has(request.parsed, "-v"), request.hasStacks());
        try (Events.Walk walk =
            request.hasStacks() ? request.walkWithStacks(events, symbols) : request.walk(events)) {
          switch (request.format) {
            case JSONL -> rows.jsonl(walk, request.limit);
            case CSV -> rows.csv(walk, request.limit);
            default -> rows.json(events, walk, request.limit);
          }
          described = walk.sources();
          stacks = walk.stackCounts();
        }
      }
      symbols.warnings().forEach(why -> request.terminal.err().println("warning: " + why));
      NetworkNames.remarks(
          paths(request.parsed).getFirst(),
          places,
          symbols,
          request.format == Format.TEXT,
          request.parsed,
          request.terminal);
      lacking = NetworkNames.lacking(places, symbols);
    }
    unmatched(request, events);
    EventRemarks.stacks(stacks, request.parsed, request.terminal);
    EventRemarks.sources(described, events.problems(), request.parsed, request.terminal);
    return lacking;
  }

  private static List<Path> paths(ParseResult parsed) {
    return Options.paths(parsed, "events");
  }

  private static void fetch(
      Request request, Events events, SymbolPlaces places, RecordingSymbols symbols) {
    try (Progress _ =
        ReadingProgress.start(events.recording(), places, request.parsed, request.terminal)) {
      NetworkNames.fetch(
          places,
          symbols,
          () -> {
            try (Events.Walk walk = request.walkWithStacks(events)) {
              return HotImages.of(events, walk, request.limit);
            }
          },
          request.format == Format.TEXT,
          request.parsed);
    }
  }

  private static Events events(Request request, Recording recording, SchemaSources sources) {
    int cores = Options.cores(request.parsed);
    // Only a list on the screen says something about the events that it does not show.
    boolean counted =
        request.format == Format.TEXT
            && request.isWhole()
            && !Options.has(request.parsed, "--count");
    List<Learn> also = new ArrayList<>();
    if (counted) {
      also.add(Learn.COUNTS);
    }
    if (request.hasStacks()) {
      also.add(Learn.ADDRESSES);
    } else if (Options.has(request.parsed, "--count") && !Options.has(request.parsed, "--by")) {
      also.add(Learn.STACKS);
    }
    try (Progress _ = progress(recording, request)) {
      return Events.of(recording, sources, cores, also.toArray(Learn[]::new));
    }
  }

  private static void unmatched(Request request, Events events) {
    EventRemarks.leftOut(events.leftOut(), request.terminal);
    if (!request.range.whole()) {
      EventRemarks.outside(
          events.recording(), request.range, Options.cores(request.parsed), request.terminal);
    }
    EventRemarks.unmatched(
        events.unmatched(request.filter),
        !request.range.whole(),
        request.isNarrowed(),
        request.terminal);
  }

  private static EventFilter filter(ParseResult parsed) {
    EventFilter.Builder filter = new EventFilter.Builder();
    understood("-p shopd.exe", () -> Options.all(parsed, "-p").forEach(filter::process));
    understood("-t 4316", () -> Options.all(parsed, "-t").forEach(filter::thread));
    understood("-e 'FileIo/*'", () -> Options.all(parsed, "-e").forEach(filter::event));
    if (Options.has(parsed, "--where")) {
      understood(
          "--where 'size > 65536 and path =~ *.db'",
          () -> filter.where(Where.parse(Options.text(parsed, "--where", ""))));
    }
    if (Options.has(parsed, "--cpu")) {
      filter.cpus(cpus(Options.text(parsed, "--cpu", "")));
    }
    return filter.build();
  }

  private static Recording open(List<Path> paths) {
    try {
      return Recording.open(paths);
    } catch (CannotGoOn e) {
      for (Path path : paths) {
        if (CallFiles.isCalls(path)) {
          throw new CannotGoOn(
              path + " is a recording of calls: it has no events", "ntrail calls " + path);
        }
      }
      throw e;
    }
  }

  /** Turns what makes no sense into wrong usage, with an example that does. */
  private static void understood(String example, Runnable read) {
    try {
      read.run();
    } catch (IllegalArgumentException e) {
      throw new UsageError(String.valueOf(e.getMessage()), example);
    }
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
    parts.add(range.text());
    return String.join(", ", parts);
  }
}
