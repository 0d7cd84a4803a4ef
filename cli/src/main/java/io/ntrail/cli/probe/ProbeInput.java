package io.ntrail.cli.probe;

import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.etw.HotImages;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.probe.calls.CallProbes;
import io.ntrail.analysis.probe.etw.EtwProbes;
import io.ntrail.analysis.probe.sources.ClockSource;
import io.ntrail.analysis.probe.sources.ProbeSource;
import io.ntrail.cli.common.CallImageFiles;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SchemaFiles;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.ntr.RecorderCounter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * The recording that a program runs over, opened, or the program that it watches; without either
 * only time goes on.
 */
final class ProbeInput implements AutoCloseable {
  /** Seconds that a program without a recording runs at most: a day. */
  private static final long MOST_SECONDS = 86_400;

  private final ProbeSource source;
  private final @Nullable Recording recording;
  private final @Nullable SymbolSearchPath places;
  private final @Nullable RecordingSymbols symbols;
  private final @Nullable LiveProbes live;
  private final AtomicBoolean isStopped = new AtomicBoolean();

  private ProbeInput(
      ProbeSource source,
      @Nullable Recording recording,
      @Nullable SymbolSearchPath places,
      @Nullable RecordingSymbols symbols) {
    this.source = source;
    this.recording = recording;
    this.places = places;
    this.symbols = symbols;
    this.live = null;
  }

  /** Images that have the services of system calls. */
  private static final Set<String> KERNEL =
      Set.of("ntoskrnl.exe", "ntkrnlmp.exe", "win32k.sys", "win32kbase.sys", "win32kfull.sys");

  private ProbeInput(LiveProbes live) {
    this.source = live;
    this.recording = null;
    this.places = null;
    this.symbols = null;
    this.live = live;
  }

  /** Takes a program that runs. */
  static ProbeInput of(LiveProbes live) {
    return new ProbeInput(live);
  }

  /**
   * Opens a recording.
   *
   * @param paths its files; none: only time goes on
   * @param hasPlaces true if stacks or names of places in code are wanted
   */
  static ProbeInput open(
      List<Path> paths, boolean hasPlaces, ParseResult parsed, Terminal terminal) {
    if (paths.isEmpty()) {
      return new ProbeInput(new ClockSource(MOST_SECONDS), null, null, null);
    }
    Recording recording;
    try (RecordingInput input =
        RecordingInput.of(paths, Ability.EVENTS, Ability.CALLS)
            .together(CommonOptions.isTogether(parsed))) {
      recording = input.open();
    }
    try {
      if (recording instanceof CallRecording calls) {
        CallNames names =
            new CallNames(
                calls.source(),
                CallImageFiles.symbols(calls, CommonOptions.all(parsed, "-y"), terminal));
        return new ProbeInput(CallProbes.of(calls.source(), names), calls, null, null);
      }
      return etw(recording.ability(EtwRecording.class).orElseThrow(), hasPlaces, parsed, terminal);
    } catch (RuntimeException e) {
      recording.close();
      throw e;
    }
  }

  private static ProbeInput etw(
      EtwRecording recording, boolean hasPlaces, ParseResult parsed, Terminal terminal) {
    SchemaSources sources = new SchemaSources(SchemaFiles.read(parsed, terminal));
    int cores = CommonOptions.cores(parsed);
    Events events;
    try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      if (!hasPlaces) {
        EtwProbes plain = new EtwProbes(Events.of(recording, sources, cores), null);
        // The names of system calls are those of symbols.
        if (!plain.hasSystemCalls()) {
          return new ProbeInput(plain, recording, null, null);
        }
      }
      events = Events.of(recording, sources, cores, Events.Learn.ADDRESSES);
    }
    List<Path> paths = recording.fileNames().stream().map(Path::of).toList();
    SymbolSearchPath places = SymbolSearchPath.of(paths, parsed, terminal);
    RecordingSymbols symbols =
        new RecordingSymbols(events.machine().images(), places.search(), places.images());
    try (Progress _ = ReadingProgress.start(recording, places, parsed, terminal)) {
      SymbolDownloads.fetch(places, symbols, () -> images(events), isText(parsed), parsed);
      return new ProbeInput(new EtwProbes(events, symbols), recording, places, symbols);
    } catch (RuntimeException e) {
      symbols.close();
      places.close();
      throw e;
    }
  }

  /** Returns whether people read the answer: it waits for servers only so long. */
  private static boolean isText(ParseResult parsed) {
    return CommonOptions.text(parsed, "--format", "text").equals("text");
  }

  /** Returns the images whose names may be asked for: of stacks, and of the services of calls. */
  private static List<Integer> images(Events events) {
    Set<Integer> all = new LinkedHashSet<>();
    List<ImageFile> files = events.machine().images().files();
    for (int i = 0; i < files.size(); i++) {
      if (KERNEL.contains(files.get(i).name().toLowerCase(Locale.ROOT))) {
        all.add(i);
      }
    }
    EventFilter any = new EventFilter.Builder().build();
    // Without symbols: whatever is looked for there would be asked for one by one.
    try (Events.Walk walk = events.walkWithStacks(any, Long.MIN_VALUE, Long.MAX_VALUE)) {
      all.addAll(HotImages.of(events, walk, 0));
    }
    return List.copyOf(all);
  }

  ProbeSource source() {
    return source;
  }

  /** Returns the program that is watched; empty if there is a recording, or nothing. */
  Optional<LiveProbes> live() {
    return Optional.ofNullable(live);
  }

  /** Begins to show how far reading came; Ctrl+C ends the events. */
  Progress progress(ParseResult parsed, Terminal terminal) {
    if (recording instanceof EtwRecording etw) {
      return ReadingProgress.listing(etw, parsed, terminal);
    }
    boolean isQuiet = CommonOptions.has(parsed, "-q") || terminal.outIsTerminal() || live != null;
    return Progress.start(terminal, isQuiet, () -> "running the program", this::stop);
  }

  /** Returns the id of the process that {@code $target} stands for; empty if there is none. */
  OptionalLong target() {
    if (live != null) {
      return OptionalLong.of(live.pid());
    }
    return recording instanceof CallRecording calls && !calls.threads().isEmpty()
        ? calls.threads().getFirst().knownPid()
        : OptionalLong.empty();
  }

  private void stop() {
    isStopped.set(true);
    if (recording instanceof CallRecording calls) {
      calls.work().stop();
    }
  }

  boolean isStopped() {
    return isStopped.get();
  }

  /** Notes that the events ended before the recording did, if they did. */
  void ended() {
    if (isStopped() && recording instanceof CallRecording calls) {
      calls.work().stopped();
    }
  }

  List<Gap> gaps() {
    return recording == null ? List.of() : recording.gaps();
  }

  /** Returns the records that the recording leaves out, as it was cut out of another one. */
  List<Omission> omissions() {
    return recording == null ? List.of() : recording.omissions();
  }

  Optional<Recording> recording() {
    return Optional.ofNullable(recording);
  }

  /** Tells what is missing; returns the exit code. */
  int finish(ParseResult parsed, Terminal terminal) {
    Recording of = recording;
    if (of == null) {
      if (live != null) {
        LiveReport.print(live, terminal.err());
      }
      return ExitCode.DONE;
    }
    RecorderLosses losses = of.losses();
    List<String> unfired = unfired();
    if (losses.any() || losses.neverFinalised() > 0 || !unfired.isEmpty()) {
      List<String> further = new ArrayList<>(unfired);
      further.add("what was not recorded fires no probe");
      Losses.warnLost(of, further, terminal);
    }
    if (!hasNanos()) {
      terminal
          .err()
          .println(
              "warning: "
                  + of.fileNames().getFirst()
                  + ": clock frequency unknown; timestamp and duration are ticks");
    }
    if (source instanceof EtwProbes etw) {
      EventRemarks.undefined(etw.stackCounts().undefined(), terminal);
    }
    boolean isLossy = CommonOptions.has(parsed, "--strict") && !unfired.isEmpty();
    int least = isLossy ? ExitCode.INCOMPLETE : ExitCode.DONE;
    if (places == null || symbols == null || !places.asksServers()) {
      return Math.max(least, Losses.finish(of, parsed, terminal));
    }
    Path first = Path.of(of.fileNames().getFirst());
    SymbolDownloads.remarks(first, places, symbols, isText(parsed), parsed, terminal);
    return Math.max(
        least, Losses.finish(of, SymbolDownloads.lacking(places, symbols), parsed, terminal));
  }

  /** Returns which calls were made that fired no probe, or not in their turn. */
  List<String> missing() {
    if (live != null) {
      return LiveReport.missing(live);
    }
    List<String> missing = new ArrayList<>(unfired());
    if (recording != null) {
      RecorderLosses losses = recording.losses();
      if (losses.unrecorded() > 0) {
        missing.add(Numbers.counted(losses.unrecorded(), "call") + " not recorded");
      }
      if (losses.untraced() > 0) {
        missing.add(Numbers.counted(losses.untraced(), "module") + " not traced for some time");
      }
      if (losses.isSizeReached()) {
        missing.add("recording ended as the file had its largest size");
      }
    }
    return missing;
  }

  /** Returns which calls the recording tells of without records of them. */
  private List<String> unfired() {
    List<String> unfired = new ArrayList<>();
    if (recording == null) {
      return unfired;
    }
    if (recording.losses().discarded() > 0) {
      unfired.add(Numbers.counted(recording.losses().discarded(), "older record") + " discarded");
    }
    if (recording instanceof CallRecording calls) {
      long added =
          IntStream.range(0, calls.threads().size()).mapToLong(i -> calls.added(i).calls()).sum();
      if (added > 0) {
        unfired.add(Numbers.counted(added, "call") + " added up where they happened");
      }
      Map<RecorderCounter, Long> counted = calls.source().statistics();
      long alone =
          counted.getOrDefault(RecorderCounter.DEEP_ENTRIES, 0L)
              + counted.getOrDefault(RecorderCounter.ENTRIES_WITHOUT_AREA, 0L);
      if (alone > 0) {
        unfired.add("only entries of " + Numbers.counted(alone, "call") + " recorded");
      }
    }
    return unfired;
  }

  /** Returns true if times are nanoseconds; else they are ticks of an unknown rate. */
  boolean hasNanos() {
    return !(recording instanceof CallRecording calls) || calls.source().clock().nanos();
  }

  /** Writes what the recorder lost; buffers are counted only where there are such. */
  void lost(Json json) {
    if (live != null) {
      json.lost(OptionalLong.of(live.lost()), OptionalLong.empty(), 0, 0);
    } else if (recording == null) {
      json.lost(OptionalLong.empty(), OptionalLong.empty(), 0, 0);
    } else {
      Losses.lost(json, recording);
    }
  }

  @Override
  public void close() {
    if (symbols != null) {
      symbols.close();
    }
    if (places != null) {
      places.close();
    }
    source.close();
  }
}
