package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.events.NamePattern;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.profile.FrameRules;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.MetricInventory;
import io.ntrail.analysis.profile.ProfileInput;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.Profiler;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Request of {@code ntrail profile}.
 *
 * @param metric what to add up
 * @param unit of the metric
 * @param source what {@code --source} says; null if nothing
 * @param scope which part of the recording
 * @param range the same as the scope's
 * @param callers whose callers are asked for
 * @param zooms modules that are looked into
 * @param bucket bytes of a bucket of hits
 * @param rules what frames are shown as
 * @param shape how it is shown
 */
public record ProfileRequest(
    Metric metric,
    WeightUnit unit,
    @Nullable String source,
    ProfileScope scope,
    TimeRange range,
    List<NamePattern> callers,
    List<NamePattern> zooms,
    int bucket,
    FrameRules rules,
    ProfileShape shape) {
  /** Bucket size that kernrate uses by default. */
  private static final int USUAL_BUCKET = 16;

  private static final int LARGEST_BUCKET = 1 << 16;

  static ProfileRequest of(ParseResult parsed) {
    return of(parsed, ProfileShape.of(parsed));
  }

  public static ProfileRequest of(ParseResult parsed, ProfileShape shape) {
    Metric metric = ProfileCommand.metric(parsed);
    sensible(parsed, metric);
    TimeRange range = TimeRange.parse(CommonOptions.text(parsed, "--time", ".."));
    return new ProfileRequest(
        metric,
        unit(parsed, metric),
        CommonOptions.has(parsed, "--source") ? CommonOptions.text(parsed, "--source", "") : null,
        new ProfileScope(
            CommonOptions.patterns(parsed, "-p", "'shop*'"),
            CommonOptions.patterns(parsed, "-t", "4316"),
            CommonOptions.patterns(parsed, "-e", "'shop*'"),
            range.fromNanos(),
            range.toNanos(),
            ProfileCommand.mode(parsed),
            CommonOptions.has(parsed, "--idle")),
        range,
        CommonOptions.patterns(parsed, "--callers", "'shop*'"),
        CommonOptions.patterns(parsed, "-z", "ntdll"),
        bucket(parsed),
        FrameOptions.of(parsed, shape.by() == ProfileShape.By.LINE),
        shape);
  }

  /** Refuses options that would have no effect. */
  private static void sensible(ParseResult parsed, Metric metric) {
    if (CommonOptions.has(parsed, "--source") && metric != Metric.PMC && metric != Metric.ALLOC) {
      throw new UsageError(
          "--source applies to pmc and alloc, not to " + metric.text(), "--metric pmc");
    }
    boolean sampled = metric == Metric.CPU || metric == Metric.PMC;
    if (CommonOptions.has(parsed, "-z") && (!sampled || CommonOptions.has(parsed, "--unit"))) {
      throw new UsageError("-z applies to cpu and pmc samples", "-z ntdll --metric cpu");
    }
    if (CommonOptions.has(parsed, "--idle") && metric != Metric.CPU && metric != Metric.PMC) {
      throw new UsageError(
          "--idle applies to cpu and pmc, not to " + metric.text(), "--metric cpu");
    }
  }

  private static int bucket(ParseResult parsed) {
    long bucket = CommonOptions.number(parsed, "--buckets", USUAL_BUCKET);
    if (CommonOptions.has(parsed, "--buckets") && !CommonOptions.has(parsed, "-z")) {
      throw new UsageError("--buckets needs -z", "-z ntdll --buckets " + bucket);
    }
    if (bucket < 1 || bucket > LARGEST_BUCKET || Long.bitCount(bucket) != 1) {
      throw new UsageError(
          "--buckets takes bytes, a power of two up to " + LARGEST_BUCKET + ", not " + bucket,
          "-z ntdll --buckets 16");
    }
    return (int) bucket;
  }

  private static WeightUnit unit(ParseResult parsed, Metric metric) {
    boolean hits = CommonOptions.has(parsed, "-z") && metric == Metric.PMC;
    WeightUnit usual = hits ? WeightUnit.COUNT : metric.units().getFirst();
    String text = CommonOptions.text(parsed, "--unit", usual.text());
    StringBuilder names = new StringBuilder();
    for (WeightUnit unit : metric.units()) {
      if (unit.text().equals(text)) {
        return unit;
      }
      names.append(names.isEmpty() ? "" : " or ").append(unit.text());
    }
    throw new UsageError(
        "--unit of " + metric.text() + " is " + names + ", not " + text,
        "--unit " + metric.units().getFirst().text());
  }

  /**
   * Returns the request with what depends on the recording: the counter, the kind of allocations.
   */
  public Profiler.Request complete(ProfileInput input, EtwRecording recording) {
    MetricInventory inventory = input.inventory();
    if (metric != Metric.EVENT && inventory.events(metric) == 0) {
      throw new CannotGoOn(
          recording.files().getFirst().name() + " holds no " + metric.things(), metric.toRecord());
    }
    return new Profiler.Request(
        metric,
        unit,
        metric == Metric.PMC ? counter(inventory) : -1,
        metric == Metric.ALLOC ? allocations(inventory) : "",
        scope);
  }

  private int counter(MetricInventory inventory) {
    Map<Integer, Long> sources = inventory.pmcSources();
    String wanted = source;
    if (wanted == null) {
      int most = -1;
      for (Map.Entry<Integer, Long> entry : sources.entrySet()) {
        if (most < 0 || entry.getValue() > sources.getOrDefault(most, 0L)) {
          most = entry.getKey();
        }
      }
      return most;
    }
    List<String> names = new ArrayList<>();
    for (int number : sources.keySet()) {
      String name = inventory.sourceName(number);
      if (wanted.equals(Integer.toString(number)) || wanted.equalsIgnoreCase(name)) {
        return number;
      }
      names.add(name == null ? Integer.toString(number) : name);
    }
    throw new UsageError(
        "no samples of the counter " + wanted + ", but of " + String.join(", ", names),
        "--source " + names.getFirst());
  }

  private String allocations(MetricInventory inventory) {
    List<String> kinds = inventory.allocationKinds();
    String wanted = source == null ? kinds.getFirst() : source.toLowerCase(Locale.ROOT);
    if (!kinds.contains(wanted)) {
      throw new UsageError(
          "no allocations of the kind " + wanted + ", but of " + String.join(", ", kinds),
          "--source " + kinds.getFirst());
    }
    return wanted;
  }
}
