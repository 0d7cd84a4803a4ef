package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallStream;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.analysis.events.Pattern;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import picocli.CommandLine.ParseResult;

/** The part of a recording that an answer is about, and what all answers say of it. */
final class CallsScope {
  private final CallRecording recording;
  private final CallsRequest request;
  private final List<Integer> threads;
  private final CallNames names;
  private final TimeRange range;
  private final Terminal terminal;
  private final int width;
  private final boolean ascii;
  private final Map<Long, Boolean> found = new HashMap<>();

  private CallsScope(
      CallRecording recording,
      CallsRequest request,
      List<Integer> threads,
      CallNames names,
      TimeRange range,
      Terminal terminal,
      int width,
      boolean ascii) {
    this.recording = recording;
    this.request = request;
    this.threads = threads;
    this.names = names;
    this.range = range;
    this.terminal = terminal;
    this.width = width;
    this.ascii = ascii;
  }

  static CallsScope of(
      CallRecording recording,
      CallsRequest request,
      List<Integer> threads,
      CallNames names,
      Terminal terminal,
      ParseResult parsed) {
    boolean uncut = Options.has(parsed, "--wide") || !terminal.outIsTerminal();
    return new CallsScope(
        recording,
        request,
        threads,
        names,
        request.range(recording.source().clock().nanos()),
        terminal,
        uncut ? 0 : terminal.width(),
        Options.has(parsed, "--ascii") || !terminal.outIsUtf8());
  }

  CallRecording recording() {
    return recording;
  }

  CallsRequest request() {
    return request;
  }

  List<Integer> threads() {
    return threads;
  }

  CallNames names() {
    return names;
  }

  TimeRange range() {
    return range;
  }

  Terminal terminal() {
    return terminal;
  }

  int width() {
    return width;
  }

  boolean ascii() {
    return ascii;
  }

  boolean nanos() {
    return recording.source().clock().nanos();
  }

  String unit() {
    return recording.source().clock().unit();
  }

  /** All calls of the threads that were entered in time. */
  CallStream stream() {
    return new CallStream(recording, threads, range.fromNanos(), range.toNanos());
  }

  /** Whether a call is one of those that are looked for, at a depth that is shown. */
  boolean shows(CallWalk call) {
    return (request.depth() == 0 || call.depth() < request.depth()) && isFound(call.function());
  }

  /** Whether a routine is looked for. */
  boolean isFound(long function) {
    Pattern pattern = request.find();
    return pattern == null
        || found.computeIfAbsent(
            function, f -> Arrays.stream(names.forms(f)).anyMatch(pattern::matches));
  }

  /** Records and calls of the threads, whatever the time. */
  CallCounts counts() {
    return recording.counts(threads);
  }

  /** {@code complete}, or what is wrong. */
  String state(CallCounts counts) {
    int gaps = recording.source().gaps().size();
    OptionalLong lost = recording.source().lost();
    return (gaps == 0 ? "complete" : Numbers.counted(gaps, "place") + " could not be read")
        + ", "
        + (lost.isPresent() ? Numbers.counted(lost.getAsLong(), "record") + " lost, " : "")
        + Numbers.count(counts.repaired())
        + " repaired";
  }

  /** {@code shop.jtrc: thread 4316, 12.0 .. 12.1 s: }. */
  String asked() {
    List<String> asked = new ArrayList<>(request.asked());
    if (asked.isEmpty()) {
      asked.add("all threads");
    }
    if (request.find() != null) {
      asked.add(request.find().toString());
    }
    if (!range.whole()) {
      asked.add(nanos() ? range.text() : "ticks " + request.time());
    }
    return recording.source().name() + ": " + String.join(", ", asked) + ": ";
  }

  /** The losses that are known, for programs. */
  void lost(Json json) {
    OptionalLong lost = recording.source().lost();
    if (lost.isPresent()) {
      json.number("lost", lost.getAsLong());
    } else {
      json.unknown("lost");
    }
  }

  /** A duration on the screen: microseconds, or ticks. */
  String duration(long duration) {
    return nanos() ? Numbers.oneDecimal(duration / 1000.0) : Numbers.count(duration);
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

  /** Warns of what could not be read, and tells the exit code. */
  int finish(boolean strict) {
    List<Gap> gaps = recording.source().gaps();
    Losses.warn(gaps, terminal);
    CallCounts counts = counts();
    if (counts.beyond() > 0) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(counts.beyond(), "call")
                  + " left out, inside of more than 8,192 others");
    }
    boolean lossy = recording.source().lost().orElse(0) > 0 || counts.repaired() > 0;
    return !gaps.isEmpty() || strict && lossy ? ExitCode.INCOMPLETE : ExitCode.DONE;
  }
}
