package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightSink;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.cli.common.EventTotals;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.ArrayList;
import java.util.List;

/** The first lines of a profile: the query and its files, the sum, and the losses. */
final class ProfileHeading {
  /** Processes that are listed by name; more are counted. */
  private static final int MOST_NAMED = 3;

  private final ProfileInput input;
  private final Profiler profiler;
  private final RecordingSymbols symbols;
  private final ProfileRequest request;
  private final int cores;

  ProfileHeading(
      ProfileInput input,
      Profiler profiler,
      RecordingSymbols symbols,
      ProfileRequest request,
      int cores) {
    this.input = input;
    this.profiler = profiler;
    this.symbols = symbols;
    this.request = request;
    this.cores = cores;
  }

  /** Returns the first line: files, scope, sum and losses. */
  String first() {
    EtwRecording recording = input.recording();
    return Headings.files(recording)
        + ": "
        + String.join(", ", asked())
        + ": "
        + sum()
        + hidden()
        + idle()
        + ", "
        + Losses.state(recording);
  }

  /** Returns the second line: the share with stacks, and the state of symbols. */
  String second() {
    return Numbers.percent(profiler.withFrames(), profiler.weights())
        + " % with stacks"
        + stacksOf()
        + (profiler.undefined() == 0
            ? ""
            : ", " + Numbers.counted(profiler.undefined(), "stack key") + " undefined")
        + "; "
        + (symbols.found() + symbols.exporting() == 0
            ? "no symbols: addresses grouped into 256-byte ranges"
            : "symbols: %s of %s%s; other addresses grouped into 256-byte ranges"
                .formatted(
                    Numbers.count(symbols.found()),
                    Numbers.counted(symbols.hot(), "hot image"),
                    symbols.exporting() == 0
                        ? ""
                        : ", nearest export names for %s"
                            .formatted(Numbers.count(symbols.exporting()))));
  }

  private String stacksOf() {
    String events = request.metric().stacksOf();
    return events.isEmpty() ? "" : " of " + events;
  }

  private List<String> asked() {
    ProfileScope scope = request.scope();
    List<String> parts = new ArrayList<>(processes(scope));
    scope.threads().forEach(pattern -> parts.add("thread " + pattern));
    if (!request.isUsual() && !request.metric().has(Metric.Trait.NAMED_EVENTS)) {
      parts.add(request.metric().name());
    }
    scope.events().forEach(pattern -> parts.add(pattern.toString()));
    switch (scope.mode()) {
      case KERNEL -> parts.add("kernel mode");
      case USER -> parts.add("user mode");
      case ALL -> {}
    }
    parts.addAll(FrameOptions.active(request.rules(), scope.stacks()));
    parts.add(time());
    return parts;
  }

  private List<String> processes(ProfileScope scope) {
    if (scope.processes().isEmpty()) {
      return List.of("all processes");
    }
    List<WeightSink.Owner> owners = profiler.owners();
    List<String> parts = new ArrayList<>();
    if (owners.isEmpty() || owners.size() > MOST_NAMED) {
      scope.processes().forEach(pattern -> parts.add(pattern.toString()));
      if (!owners.isEmpty()) {
        parts.add(Numbers.count(owners.size()) + " processes");
      }
      return parts;
    }
    for (WeightSink.Owner owner : owners) {
      String name = owner.name() == null ? "process" : owner.name();
      parts.add(name + " (" + Integer.toUnsignedString(owner.id()) + ")");
    }
    return parts;
  }

  private String time() {
    if (!request.range().whole()) {
      return request.range().text();
    }
    long before = input.recording().covered(cores, Long.MIN_VALUE, 0);
    long after = input.recording().covered(cores, 0, Long.MAX_VALUE);
    return before == 0 ? "0 .. " + Numbers.duration(after) : new TimeRange(-before, after).text();
  }

  /** Nanoseconds that the part of the recording lasts which was requested. */
  long covered() {
    return input.recording().covered(cores, request.scope().fromNanos(), request.scope().toNanos());
  }

  private String sum() {
    long total = profiler.total();
    String sum = amount(total);
    if (!request.metric().has(Metric.Trait.CPU_TIME)) {
      return sum;
    }
    if (request.unit() == WeightUnit.NANOS) {
      return sum + " CPU" + share(total);
    }
    long interval = request.source().eventsPerHit(input.inventory(), profiler.variant());
    boolean fits = 100.0 * interval * total < Long.MAX_VALUE;
    return interval > 0 && fits
        ? sum
            + " = "
            + Numbers.duration(100 * interval * total)
            + " CPU"
            + share(100 * interval * total)
        : sum;
  }

  /** Returns the number of CPUs that a time would have kept busy. */
  private String share(long nanos) {
    long covered = covered();
    long cpus =
        input.recording().files().stream()
            .mapToLong(file -> file.header().map(LogFileHeader::processors).orElse(0L))
            .max()
            .orElse(0);
    if (covered == 0 || cpus == 0) {
      return "";
    }
    long hundredths = Math.round(100.0 * nanos / covered);
    String cores = hundredths / 100 + "." + Numbers.padded(hundredths % 100, 2);
    return " (" + cores + " of " + Numbers.counted(cpus, "CPU") + ")";
  }

  private String hidden() {
    return profiler.hidden() == 0 ? "" : ", " + amount(profiler.hidden()) + " filtered out";
  }

  private String idle() {
    return profiler.idle() == 0
        ? ""
        : (request.scope().idle() ? ", including " : ", ") + amount(profiler.idle()) + " idle";
  }

  /** A weight with its unit. */
  private String amount(long weight) {
    return switch (request.unit()) {
      case NANOS -> Numbers.duration(weight) + durations();
      case BYTES -> Numbers.bytes(weight);
      case SAMPLES -> Numbers.counted(weight, "sample");
      case COUNT ->
          request.metric().has(Metric.Trait.NAMED_EVENTS)
              ? new EventTotals(weight, profiler.remarks().stackRecords()).text()
              : Numbers.count(weight) + " " + request.metric().occurrences();
      case EVENTS -> Numbers.count(weight) + " events of " + profiler.variant().text();
    };
  }

  private String durations() {
    String durations = request.metric().durations();
    return durations.isEmpty() ? "" : " " + durations;
  }
}
