package io.ntrail.cli.events;

import io.ntrail.analysis.etw.HotImages;
import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventGroups;
import io.ntrail.analysis.etw.events.EventStretches;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.Events.Learn;
import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.StackStatistics;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventFilterOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SchemaFiles;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail events FILE...}: the events in time order, or how many there are of each type. */
public final class EventsCommand implements Command {
  /** Request of {@code ntrail events}, and where the answer goes. */
  private record Request(
      ParseResult parsed,
      Format format,
      EventFilter filter,
      TimeRange range,
      long limit,
      String asked,
      Terminal terminal) {
    /** Returns whether all events of the recording are meant. */
    boolean isWhole() {
      return filter.passesAll() && range.whole();
    }

    /** Returns whether more than one option selects events. */
    boolean isNarrowed() {
      return EventFilterOptions.areSeveral(parsed);
    }

    boolean isWide() {
      return CommonOptions.has(parsed, "--wide");
    }

    boolean hasStacks() {
      return CommonOptions.has(parsed, "--stacks");
    }

    Events.Walk walk(Events events) {
      return events.walk(filter, range.fromNanos(), range.toNanos());
    }

    EventStretches stretches(Events events) {
      return new EventStretches(events, filter, range.fromNanos(), range.toNanos());
    }

    Events.Walk walkWithStacks(Events events) {
      return events.walkWithStacks(filter, range.fromNanos(), range.toNanos());
    }

    Events.Walk walkWithStacks(Events events, RecordingSymbols symbols) {
      return events.walkWithStacks(filter, range.fromNanos(), range.toNanos(), symbols);
    }
  }

  public EventsCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command("events", "The events of a recording, in time order or counted.");
    spec.addOption(CommonOptions.flag("event counts by type", "--count"));
    spec.addOption(
        CommonOptions.oneOf(
            List.of("process", "thread", "event", "cpu", "provider", "file"),
            "KEY",
            "with --count: by process, thread, event, cpu, provider, file or a field",
            "--by"));
    spec.addOption(CommonOptions.values("FIELD", "with --count: add up this field, too", "--sum"));
    EventFilterOptions.add(spec);
    spec.addOption(CommonOptions.flag("each event with its stack", "--stacks"));
    spec.addOption(CommonOptions.flag("each field on its own line", "--long"));
    SymbolSearchPath.optionsWithWait(spec);
    spec.addOption(
        CommonOptions.values(
            "FILE", "an instrumentation manifest that describes events", "--manifest"));
    spec.addOption(CommonOptions.values("FILE", "a TMF file that describes WPP messages", "--tmf"));
    spec.addOption(
        CommonOptions.value(
            "N",
            "at most N lines; 0 for all (default: 20 on a terminal, else all)",
            "-n",
            "--limit"));
    CommonOptions.output(spec, "text, json, jsonl or csv");
    CommonOptions.together(spec);
    spec.addPositional(CommonOptions.files());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = CommonOptions.paths(parsed, "events");
    boolean count = CommonOptions.has(parsed, "--count");
    Format format =
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    for (String option : List.of("--by", "--sum")) {
      if (CommonOptions.has(parsed, option) && !count) {
        throw new UsageError(
            option + " needs --count",
            "ntrail events "
                + ShellWords.file(paths.getFirst())
                + " --count "
                + option
                + " "
                + ShellWords.of(CommonOptions.all(parsed, option).getFirst()));
      }
    }
    if (CommonOptions.has(parsed, "--stacks") && count) {
      throw new UsageError(
          "--stacks and --count exclude each other",
          "ntrail events " + ShellWords.file(paths.getFirst()) + " --count");
    }
    if (CommonOptions.has(parsed, "--long") && (count || format != Format.TEXT)) {
      throw new UsageError(
          "--long lists events as text: it excludes --count and other formats",
          "ntrail events " + ShellWords.file(paths.getFirst()) + " --long -n 10");
    }
    TimeRange written = TimeRange.withClock(CommonOptions.text(parsed, "--time", ".."));
    EventFilter filter = EventFilterOptions.filter(parsed);
    long limit =
        count ? CommonOptions.number(parsed, "-n", 0) : CommonOptions.limit(parsed, format, system);
    SchemaSources sources = new SchemaSources(SchemaFiles.read(parsed, system));
    try (RecordingInput input =
            RecordingInput.of(paths, Ability.EVENTS).together(CommonOptions.isTogether(parsed));
        EtwRecording recording = input.open(EtwRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system)) {
      TimeRange range = written.in(recording);
      Request request =
          new Request(parsed, format, filter, range, limit, asked(parsed, range), terminal);
      Losses.Symbols symbols = Losses.Symbols.NONE;
      if (!count) {
        symbols = list(request, recording, sources);
      } else if (CommonOptions.has(parsed, "--by")) {
        countBy(request, recording, sources);
      } else {
        count(request, recording, sources);
      }
      return Losses.finish(recording, symbols, parsed, terminal);
    }
  }

  private static Progress progress(EtwRecording recording, Request request) {
    return ReadingProgress.start(recording, request.parsed, request.terminal);
  }

  private static void count(Request request, EtwRecording recording, SchemaSources sources) {
    int cores = CommonOptions.cores(request.parsed);
    EventCounts counts;
    Events events = null;
    List<String> sums = CommonOptions.names(request.parsed, "--sum");
    if (request.isWhole() && sums.isEmpty()) {
      try (Progress _ = progress(recording, request)) {
        counts = EventCounts.of(recording, cores, sources);
      }
      recording.endReading();
    } else {
      events = events(request, recording, sources);
      try (Progress _ = progress(recording, request)) {
        counts = EventCounts.selected(request.stretches(events), sums);
      }
    }
    EventFilter.Undecided undecided = request.filter.undecided();
    new EventCountsView(recording, counts, undecided, request.limit, request.terminal)
        .print(request.format, request.asked, request.isWide());
    undecided(request, undecided);
    if (!sums.isEmpty()) {
      EventRemarks.undescribed(counts.sources(), request.format, request.terminal);
    }
    if (events != null) {
      unmatched(request, events, undecided);
      unmatched(request, counts.unmatched(), counts.sources());
    }
    EventRemarks.sources(counts.sources(), counts.problems(), request.parsed, request.terminal);
  }

  private static void countBy(Request request, EtwRecording recording, SchemaSources sources) {
    String by = CommonOptions.text(request.parsed, "--by", "");
    Events events = events(request, recording, sources);
    EventGroups groups;
    try (Progress _ = progress(recording, request)) {
      groups =
          EventGroups.of(
              request.stretches(events), by, CommonOptions.names(request.parsed, "--sum"));
    }
    SchemaSourceCounts described = groups.sources();
    EventFilter.Undecided undecided = request.filter.undecided();
    new EventGroupsView(
            recording, groups, described, by, undecided, request.limit, request.terminal)
        .print(request.format, request.asked, request.isWide());
    undecided(request, undecided);
    if (EventGroups.asksFields(by, CommonOptions.names(request.parsed, "--sum"))) {
      EventRemarks.undescribed(described, request.format, request.terminal);
    }
    unmatched(request, events, undecided);
    unmatched(request, groups.unmatched(), described);
    EventRemarks.sources(described, events.problems(), request.parsed, request.terminal);
  }

  /** Lists events, and warns of missing symbols. */
  private static Losses.Symbols list(
      Request request, EtwRecording recording, SchemaSources sources) {
    Events events = events(request, recording, sources);
    SchemaSourceCounts described;
    StackStatistics stacks;
    EventFilter.Undecided undecided;
    Losses.Symbols lacking;
    try (SymbolSearchPath places =
            SymbolSearchPath.of(paths(request.parsed), request.parsed, request.terminal);
        RecordingSymbols symbols =
            new RecordingSymbols(events.machine().images(), places.search(), places.images())) {
      if (request.hasStacks()) {
        fetch(request, events, places, symbols);
      }
      try (Progress _ = ReadingProgress.listing(recording, request.parsed, request.terminal)) {
        if (request.format == Format.TEXT) {
          EventListing listing =
              new EventListing(
                  events,
                  request.filter,
                  request.range,
                  request.terminal,
                  request.isWide(),
                  CommonOptions.has(request.parsed, "--long"),
                  request.hasStacks() ? symbols : null);
          described = listing.print(request.limit, request.asked);
          stacks = listing.stackCounts();
          undecided = listing.undecided();
        } else {
          EventRows rows =
              new EventRows(
                  request.terminal, CommonOptions.has(request.parsed, "-v"), request.hasStacks());
          try (Events.Walk walk =
              request.hasStacks()
                  ? request.walkWithStacks(events, symbols)
                  : request.walk(events)) {
            switch (request.format) {
              case JSONL -> rows.jsonl(walk, request.limit);
              case CSV -> rows.csv(walk, request.limit);
              default -> rows.json(events, request.filter, walk, request.limit);
            }
            undecided = request.filter.undecided();
            described = walk.sources();
            stacks = walk.stackCounts();
          }
        }
      }
      undecided(request, undecided);
      symbols.warnings().forEach(why -> request.terminal.err().println("warning: " + why));
      SymbolDownloads.remarks(
          paths(request.parsed).getFirst(),
          places,
          symbols,
          request.format == Format.TEXT,
          request.parsed,
          request.terminal);
      lacking = SymbolDownloads.lacking(places, symbols);
    }
    unmatched(request, events, undecided);
    EventRemarks.stacks(stacks, request.parsed, request.terminal);
    EventRemarks.sources(described, events.problems(), request.parsed, request.terminal);
    return lacking;
  }

  private static List<Path> paths(ParseResult parsed) {
    return CommonOptions.paths(parsed, "events");
  }

  private static void fetch(
      Request request, Events events, SymbolSearchPath places, RecordingSymbols symbols) {
    try (Progress _ =
        ReadingProgress.start(events.recording(), places, request.parsed, request.terminal)) {
      SymbolDownloads.fetch(
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

  private static Events events(Request request, EtwRecording recording, SchemaSources sources) {
    int cores = CommonOptions.cores(request.parsed);
    // Only a list on the screen and one object have a remark about events that they do not show.
    boolean remarks =
        request.format == Format.TEXT || request.format == Format.JSON && request.limit > 0;
    boolean counted = remarks && request.isWhole() && !CommonOptions.has(request.parsed, "--count");
    List<Learn> also = new ArrayList<>();
    if (counted) {
      also.add(Learn.COUNTS);
    }
    if (request.hasStacks()) {
      also.add(Learn.ADDRESSES);
    } else {
      boolean isCount = CommonOptions.has(request.parsed, "--count");
      if (isCount || request.format == Format.TEXT) {
        also.addAll(List.of(EventStretches.learned(recording, cores)));
      }
      if (isCount && !CommonOptions.has(request.parsed, "--by")) {
        also.add(Learn.STACKS);
      }
    }
    try (Progress _ = progress(recording, request)) {
      return Events.of(recording, sources, cores, also.toArray(Learn[]::new));
    }
  }

  private static void undecided(Request request, EventFilter.Undecided undecided) {
    List<String> processes = CommonOptions.all(request.parsed, "-p");
    EventRemarks.undecided(undecided, processes, request.format, request.terminal);
  }

  private static void unmatched(Request request, Events events, EventFilter.Undecided undecided) {
    EventRemarks.leftOut(events.leftOut(), request.terminal);
    if (!request.range.whole()) {
      EventRemarks.outside(
          events.recording(), request.range, CommonOptions.cores(request.parsed), request.terminal);
    }
    EventRemarks.unmatched(
        events.unmatched(request.filter),
        !request.range.whole(),
        request.isNarrowed(),
        undecided,
        request.terminal);
  }

  private static void unmatched(
      Request request, List<UnmatchedTerm> words, SchemaSourceCounts sources) {
    EventRemarks.unmatched(
        words,
        !request.range.whole(),
        !request.isWhole(),
        new EventFilter.Undecided(
            sources.events(), sources.stackRecords(), sources.undescribed(), 0),
        request.terminal);
  }

  /** Returns the request as the first line repeats it. */
  private static String asked(ParseResult parsed, TimeRange range) {
    List<String> parts = new ArrayList<>();
    parts.addAll(CommonOptions.all(parsed, "-p"));
    CommonOptions.all(parsed, "-t").forEach(thread -> parts.add("thread " + thread));
    parts.addAll(CommonOptions.all(parsed, "-e"));
    if (CommonOptions.has(parsed, "--cpu")) {
      parts.add("CPU " + CommonOptions.text(parsed, "--cpu", ""));
    }
    if (CommonOptions.has(parsed, "--where")) {
      parts.add(CommonOptions.text(parsed, "--where", ""));
    }
    parts.add(range.text());
    return String.join(", ", parts);
  }
}
