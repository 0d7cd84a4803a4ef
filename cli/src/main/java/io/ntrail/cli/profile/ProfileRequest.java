package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.MetricInventory;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSource;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Request of {@code ntrail profile}.
 *
 * @param source what to add up
 * @param unit of the metric
 * @param variant the one of {@code --source}; null if not given
 * @param scope which part of the recording
 * @param range the same as the scope's
 * @param callers whose callers are requested
 * @param zooms modules that are looked into
 * @param bucket bytes of a bucket of hits
 * @param rules what frames are shown as
 * @param shape how it is shown
 */
public record ProfileRequest(
    WeightSource source,
    WeightUnit unit,
    @Nullable String variant,
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

  static ProfileRequest of(ParseResult parsed, Terminal terminal) {
    return of(parsed, ProfileShape.of(parsed, terminal));
  }

  public static ProfileRequest of(ParseResult parsed, ProfileShape shape) {
    WeightSource source = MetricOptions.source(parsed);
    Metric metric = source.metric();
    sensible(parsed, metric);
    sensible(shape, metric);
    TimeRange range = TimeRange.withClock(CommonOptions.text(parsed, "--time", ".."));
    return new ProfileRequest(
        source,
        unit(parsed, metric),
        CommonOptions.has(parsed, "--source") ? CommonOptions.text(parsed, "--source", "") : null,
        new ProfileScope(
            CommonOptions.owners(parsed, "-p", "'shop*'"),
            CommonOptions.owners(parsed, "-t", "4316"),
            CommonOptions.patterns(parsed, "-e", "'shop*'"),
            range.fromNanos(),
            range.toNanos(),
            ProfileCommand.mode(parsed),
            CommonOptions.has(parsed, "--idle"),
            FrameOptions.filter(parsed)),
        range,
        CommonOptions.patterns(parsed, "--callers", "'shop*'"),
        CommonOptions.patterns(parsed, "-z", "ntdll"),
        bucket(parsed),
        FrameOptions.of(parsed, shape.by() == ProfileShape.By.LINE),
        shape);
  }

  /** Returns the same request with clock times as those of a recording. */
  public ProfileRequest in(EtwRecording recording) {
    TimeRange resolved = range.in(recording);
    ProfileScope part = scope.during(resolved.fromNanos(), resolved.toNanos());
    return new ProfileRequest(
        source, unit, variant, part, resolved, callers, zooms, bucket, rules, shape);
  }

  /** Refuses options that would have no effect. */
  private static void sensible(ParseResult parsed, Metric metric) {
    if (CommonOptions.has(parsed, "--source") && !metric.hasChoice()) {
      List<String> names = MetricOptions.withChoice();
      throw new UsageError(
          "--source applies to " + String.join(" and ", names) + ", not to " + metric.name(),
          "--metric " + names.getFirst());
    }
    boolean sampled = metric.has(Metric.Trait.SAMPLED);
    List<String> samples = WeightSources.names(Metric.Trait.SAMPLED);
    if (CommonOptions.has(parsed, "-z") && (!sampled || CommonOptions.has(parsed, "--unit"))) {
      throw new UsageError(
          "-z applies to " + String.join(" and ", samples) + " samples",
          "-z ntdll --metric " + samples.getFirst());
    }
    if (CommonOptions.has(parsed, "--idle") && !sampled) {
      throw new UsageError(
          "--idle applies to " + String.join(" and ", samples) + ", not to " + metric.name(),
          "--metric " + samples.getFirst());
    }
  }

  /** Refuses rows of what the events of a metric are not about. */
  private static void sensible(ProfileShape shape, Metric metric) {
    Metric.Trait needed =
        switch (shape.subject()) {
          case NONE -> null;
          case FILE -> Metric.Trait.OF_FILES;
          case TYPE -> Metric.Trait.OF_TYPES;
        };
    if (needed != null && !metric.has(needed)) {
      List<String> names =
          WeightSources.all().stream()
              .map(WeightSource::metric)
              .filter(other -> other.has(needed) && !other.has(Metric.Trait.NAMED_EVENTS))
              .map(Metric::name)
              .toList();
      throw new UsageError(
          "--by %s applies to %s and -e EVENT, not to %s"
              .formatted(shape.by().text(), String.join(", ", names), metric.name()),
          "--metric " + names.getFirst() + " --by " + shape.by().text());
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
    WeightUnit usual =
        CommonOptions.has(parsed, "-z") ? metric.unitOfHits() : metric.units().getFirst();
    String text = CommonOptions.text(parsed, "--unit", usual.text());
    StringBuilder names = new StringBuilder();
    for (WeightUnit unit : metric.units()) {
      if (unit.text().equals(text)) {
        return unit;
      }
      names.append(names.isEmpty() ? "" : " or ").append(unit.text());
    }
    throw new UsageError(
        "--unit of " + metric.name() + " is " + names + ", not " + text,
        "--unit " + metric.units().getFirst().text());
  }

  /** Returns the declaration of what to add up. */
  public Metric metric() {
    return source.metric();
  }

  /** Returns whether that is what is added up by default. */
  boolean isUsual() {
    return source.equals(WeightSources.usual());
  }

  /** Surveys a recording for the profile that was requested. */
  public EtwProfile survey(EtwRecording recording, SymbolSearchPath places, int cores) {
    EtwProfile.Query query = new EtwProfile.Query(source, unit, scope, rules, shape.subject());
    return EtwProfile.of(recording, query, this::kind, places.search(), places.images(), cores);
  }

  private Variant kind(MetricInventory inventory) {
    String wanted = variant;
    if (wanted == null) {
      return source.usualVariant(inventory);
    }
    List<Variant> variants = source.variants(inventory);
    return variants.stream()
        .filter(kind -> kind.isMeant(wanted))
        .findFirst()
        .orElseThrow(() -> noSuchKind(wanted, variants));
  }

  private UsageError noSuchKind(String wanted, List<Variant> variants) {
    String names = variants.stream().map(Variant::name).collect(Collectors.joining(", "));
    return new UsageError(
        "no " + metric().choice().some() + " " + wanted + ", but of " + names,
        "--source " + variants.getFirst().name());
  }
}
