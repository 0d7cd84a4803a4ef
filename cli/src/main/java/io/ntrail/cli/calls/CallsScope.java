package io.ntrail.cli.calls;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.calls.FlatCallProfile;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.CallImageFiles;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.Omissions;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.collections.LongList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.ParseResult;

/**
 * The part of a recording that an answer is about, and the parts that all answers have in common.
 */
public final class CallsScope {
  /** Durations below this are shown to the nanosecond. */
  private static final long SHORT_NANOS = 10_000;

  private final CallRecording recording;
  private final CallFilter choice;
  private final List<Integer> threads;
  private final CallNames names;
  private final TimeRange range;
  private final WorkProgress<CallRecording.Pass> progress;
  private final Terminal terminal;
  private final int width;
  private final boolean ascii;
  private final int cores;

  /** Duration that calls must exceed; -1 for all. */
  private final long least;

  /** Routines that were asked about: 1 if they are looked for, else 0. */
  private final LongIntMap found = new LongIntMap();

  private final LongList looked = new LongList();

  private boolean anyFound;

  /** Calls that were added up by routine; -1 if none were. */
  private long summed = -1;

  private CallsScope(
      CallRecording recording,
      CallFilter choice,
      List<Integer> threads,
      CallNames names,
      TimeRange range,
      WorkProgress<CallRecording.Pass> progress,
      Terminal terminal,
      int width,
      boolean ascii,
      int cores) {
    this.recording = recording;
    this.choice = choice;
    this.threads = threads;
    this.names = names;
    this.range = range;
    this.progress = progress;
    this.terminal = terminal;
    this.width = width;
    this.ascii = ascii;
    this.cores = cores;
    this.least = choice.least(recording.source().clock().nanos());
  }

  /**
   * Selects a part of a recording whose calls are walked over, and surveys it, with progress.
   *
   * @throws CannotGoOn if the recording has no such threads
   */
  public static CallsScope of(
      CallRecording recording, CallFilter choice, Terminal terminal, ParseResult parsed) {
    CallsScope scope = unread(recording, choice, terminal, parsed);
    try (Progress _ = scope.progress.start()) {
      recording.survey(scope.threads, scope.cores);
    }
    return scope;
  }

  /**
   * Selects a part of a recording of which nothing is read yet.
   *
   * @throws CannotGoOn if the recording has no such threads
   */
  static CallsScope unread(
      CallRecording recording, CallFilter choice, Terminal terminal, ParseResult parsed) {
    CallSource source = recording.source();
    TimeRange range = choice.range(source.clock().nanos());
    // Refused before anything is read.
    choice.least(source.clock().nanos());
    List<Integer> threads = choice.threadsOf(recording);
    CallNames names =
        new CallNames(
            source, CallImageFiles.symbols(recording, CommonOptions.all(parsed, "-y"), terminal));
    WorkProgress<CallRecording.Pass> progress =
        new WorkProgress<>(
            recording.work(), pass -> CallInfo.phase(pass, source.name()), parsed, terminal);
    boolean uncut = CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal();
    return new CallsScope(
        recording,
        choice,
        threads,
        names,
        range,
        progress,
        terminal,
        uncut ? 0 : terminal.width(),
        CommonOptions.has(parsed, "--ascii") || !terminal.outIsUtf8(),
        CommonOptions.cores(parsed));
  }

  public CallRecording recording() {
    return recording;
  }

  public CallFilter choice() {
    return choice;
  }

  public List<Integer> threads() {
    return threads;
  }

  public CallNames names() {
    return names;
  }

  public TimeRange range() {
    return range;
  }

  public Terminal terminal() {
    return terminal;
  }

  public int width() {
    return width;
  }

  public boolean ascii() {
    return ascii;
  }

  public boolean nanos() {
    return recording.source().clock().nanos();
  }

  public String unit() {
    return recording.source().clock().unit();
  }

  /** Shows how far the calls are walked over, and lets Ctrl+C end that. */
  public WorkProgress<CallRecording.Pass> progress() {
    return progress;
  }

  /** Adds up the calls of the threads that were entered in time by routine, with progress. */
  FlatCallProfile flat() {
    FlatCallProfile flat;
    try (Progress _ = progress.start()) {
      flat = FlatCallProfile.of(recording, threads, range.fromNanos(), range.toNanos(), cores);
    }
    if (range.whole()) {
      threads.forEach(thread -> recording.source().totals(thread).forEach(flat::add));
    }
    summed = flat.counts().calls();
    return flat;
  }

  /** All calls of the threads that were entered in time. */
  CallStream stream() {
    return new CallStream(recording, threads, range.fromNanos(), range.toNanos());
  }

  /** Returns whether a call is looked for: by its routine, and by how long it took. */
  boolean isFound(CallWalk call) {
    return isFound(call.function()) && (least < 0 || call.hasDuration() && call.duration() > least);
  }

  /** Returns whether only calls are looked for that took longer than others. */
  boolean onlyLong() {
    return least >= 0;
  }

  /**
   * Returns what an answer by duration is without: calls that are open at the end, which may be the
   * longest; empty if there are none.
   */
  Optional<String> openRemark() {
    return openRemark(counts().open());
  }

  /**
   * Returns what an answer by duration is without, of which only some calls are asked about.
   *
   * @param open how many of these are open at the end
   */
  static Optional<String> openRemark(long open) {
    return open == 0
        ? Optional.empty()
        : Optional.of(
            CallListing.calls(open)
                + " open at the end, not shown: how long they took is not known");
  }

  /** Returns whether a routine is looked for. */
  boolean isFound(long function) {
    NamePattern pattern = choice.find();
    if (pattern == null) {
      return true;
    }
    int known = found.get(function);
    if (known < 0) {
      known = Arrays.stream(names.forms(function)).anyMatch(pattern::matches) ? 1 : 0;
      found.put(function, known);
      looked.add(function);
      anyFound |= known > 0;
    }
    return known > 0;
  }

  /** Returns whether a routine that was looked at is meant by a pattern. */
  private boolean hasLike(NamePattern pattern) {
    for (int i = 0; i < looked.size(); i++) {
      if (Arrays.stream(names.forms(looked.get(i))).anyMatch(pattern::matches)) {
        return true;
      }
    }
    return false;
  }

  /** Numbers of the calls of the threads, whatever the time. */
  public CallCounts counts() {
    return recording.counts(threads);
  }

  /** Returns the number of calls of the threads that were added up where they happened. */
  long added() {
    return threads.stream().mapToLong(thread -> recording.added(thread).calls()).sum();
  }

  /** Returns what has to be known of calls that were added up; empty if there are none. */
  Optional<String> totalsRemark() {
    long added = added();
    return added == 0
        ? Optional.empty()
        : Optional.of(
            "  %s added up where they happened (trace %s): "
                    .formatted(
                        CallListing.calls(added),
                        recording.source().throttled().isEmpty() ? "--summary" : "--throttle")
                + (range.whole()
                    ? "there are only sums of them"
                    : "not shown, as nothing says when they were"));
  }

  /** {@code complete}, or what is wrong. */
  public String state(CallCounts counts) {
    return Losses.state(recording) + ", " + Numbers.count(counts.repaired()) + " repaired";
  }

  /** {@code shop.jtrc: thread 4316, 12.0 .. 12.1 s: }. */
  public String asked() {
    List<String> asked = choice.asked();
    if (!range.whole()) {
      asked.add(rangeText());
    }
    return recording.source().name() + ": " + String.join(", ", asked) + ": ";
  }

  /** Returns the time range in words: seconds, or ticks where the clock's frequency is unknown. */
  public String rangeText() {
    return nanos() ? range.text() : "ticks " + choice.time();
  }

  /** Writes the common members of JSON answers into an open object. */
  Json members(Json json, CallCounts counts) {
    json.text("file", recording.source().name()).text("unit", unit());
    counts(json, counts);
    OptionalLong lost = recording.source().lost();
    if (lost.isPresent()) {
      json.number("lost", lost.getAsLong());
    } else {
      json.unknown("lost");
    }
    json.number("discarded", recording.source().discarded());
    Omissions.json(json, recording.omissions());
    UntracedTimes.json(json, recording.source().untraced(), nanos());
    return json;
  }

  /** Writes the numbers of calls by their ends, and how complete the recording is. */
  public void counts(Json json, CallCounts counts) {
    CallBalance.members(json, counts)
        .number("repaired", counts.repaired())
        .bool("neverFinalised", recording.source().neverFinalised())
        .number("unrecorded", recording.source().unrecorded())
        .bool("sizeReached", recording.source().isSizeReached())
        .number("addedUp", added());
    ThrottledFunctions.json(json, recording.source().throttled(), nanos());
  }

  /** A duration on the screen: microseconds, short ones to the nanosecond, or ticks. */
  public String duration(long duration) {
    if (!nanos()) {
      return Numbers.count(duration);
    }
    return Math.abs(duration) < SHORT_NANOS && duration % 100 != 0
        ? Numbers.plainDecimal(duration, 3)
        : Numbers.oneDecimal(duration / 1000.0);
  }

  /** Returns a duration with its unit. */
  String amount(long duration) {
    return nanos() ? Numbers.duration(duration) : Numbers.counted(duration, "tick");
  }

  /** A time on the screen: seconds, or ticks. */
  String time(long time) {
    return nanos() ? Numbers.seconds(time) : Numbers.count(time);
  }

  String timeTitle() {
    return nanos() ? "entry (s)" : "entry (ticks)";
  }

  String durationTitle() {
    return nanos() ? "duration us" : "duration ticks";
  }

  /** Warns of a pattern that no routine fits. */
  public void warnUnmatched(NamePattern pattern) {
    terminal.out().flush();
    terminal
        .err()
        .println(
            "warning: no routine "
                + (range.whole() ? "called" : "called in this time range")
                + " matches "
                + TextSanitizer.one(pattern.toString()));
  }

  private String before() {
    return "warning: " + recording.source().name() + ": ";
  }

  /** Closes an answer: the warnings and the exit code. */
  public int finish(ParseResult parsed) {
    int exitCode = finish(parsed, Losses.isUnsaid(recording, parsed), false);
    warnIfNoneEntered();
    return exitCode;
  }

  /**
   * Closes an answer that consists of times of calls: those of open ones are not in it.
   *
   * @param isExport whether the answer is for another tool, and has no place for what is missing
   * @param total the sum of all times
   */
  public int finishTimes(ParseResult parsed, boolean isExport, long total) {
    int exitCode = finish(parsed, isExport || Losses.isUnsaid(recording, parsed), true);
    totalsRemark()
        .ifPresent(remark -> terminal.err().println(before() + remark.strip() + ", not included"));
    if (total == 0) {
      warnOfTime("no time of a recorded call");
    }
    return exitCode;
  }

  /** Warns when no call was entered in the time range: the answer is empty, or almost. */
  public void warnIfNoneEntered() {
    if (range.whole() || recording.work().stoppedAt().isPresent() || terminal.outClosed()) {
      return;
    }
    boolean isNone = summed == 0;
    if (summed < 0) {
      try (CallStream calls = stream()) {
        isNone = calls.next() == null;
      }
    }
    if (isNone) {
      warnOfTime("no call was entered");
    }
  }

  private void warnOfTime(String lack) {
    if (range.whole() || recording.work().stoppedAt().isPresent() || terminal.outClosed()) {
      return;
    }
    OptionalLong first =
        threads.stream()
            .map(recording.source().threads()::get)
            .filter(thread -> thread.records() > 0)
            .mapToLong(CallThread::firstTime)
            .min();
    terminal.out().flush();
    terminal
        .err()
        .println(
            "warning: "
                + lack
                + " in this time range"
                + (first.isEmpty()
                    ? ""
                    : ": the first record is at "
                        + time(first.getAsLong())
                        + (nanos() ? " s" : " ticks")));
  }

  private int finish(ParseResult parsed, boolean isUnsaid, boolean isOfTimes) {
    if (isUnsaid) {
      warnLost(isOfTimes);
    }
    return finish(CommonOptions.has(parsed, "--strict"));
  }

  /** Warns of what the recorder lost, for an answer that has no place for it. */
  private void warnLost(boolean isOfTimes) {
    CallCounts counts = counts();
    List<String> further = new ArrayList<>();
    if (counts.repaired() > 0) {
      further.add(Numbers.counted(counts.repaired(), "missing record") + " made up for");
    }
    if (isOfTimes && counts.open() > 0) {
      further.add(
          CallListing.calls(counts.open())
              + " open at the end, not included: how long they took is not known");
    }
    Losses.warnLost(recording, further, terminal);
  }

  private int finish(boolean strict) {
    List<Gap> gaps = recording.gaps();
    terminal.out().flush();
    Losses.warn(recording.source().gaps(), terminal);
    progress.sayStopped();
    Omissions.print(terminal.err(), before(), recording.omissions());
    UntracedTimes.print(terminal.err(), "warning: ", recording.source().untraced(), nanos());
    ThrottledFunctions.print(terminal.err(), "warning: ", recording.source().throttled(), nanos());
    CallCounts counts = counts();
    if (counts.beyond() > 0) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(counts.beyond(), "call")
                  + " skipped: nested deeper than 8,192 calls");
    }
    boolean isWhole = recording.work().stoppedAt().isEmpty();
    if (choice.find() != null && !anyFound && isWhole && !terminal.outClosed()) {
      warnUnmatched(choice.find());
      String wider = "*" + choice.find() + "*";
      terminal
          .err()
          .println(
              choice.find().isPlain() && hasLike(NamePattern.of(wider))
                  ? "try: %s %s".formatted(choice.findOption(), ShellWords.of(wider))
                  : "try: --flat -n 0 lists all");
    }
    boolean lossy = recording.losses().any() || counts.repaired() > 0;
    return !gaps.isEmpty() || strict && lossy ? ExitCode.INCOMPLETE : ExitCode.DONE;
  }
}
