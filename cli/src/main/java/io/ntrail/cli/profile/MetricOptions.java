package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.weights.WeightSource;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Options that select the metric, from the table of sources. */
final class MetricOptions {
  private MetricOptions() {}

  static void add(CommandSpec spec) {
    spec.addOption(
        CommonOptions.value(
            "NAME",
            "metric: "
                + names().stream()
                    .map(name -> name.equals(usual()) ? name + " (default)" : name)
                    .collect(Collectors.joining(", "))
                + "; pt: instructions of the Processor Trace in a recording; call recordings have"
                + " only calls",
            "--metric"));
    spec.addOption(CommonOptions.flag("short for --metric wait", "--wait"));
    spec.addOption(
        CommonOptions.value(
            "UNIT",
            list(Arrays.stream(WeightUnit.values()).map(WeightUnit::text).toList()),
            "--unit"));
    spec.addOption(
        CommonOptions.value(
            "NAME",
            choices()
                .map(metric -> metric.choice().help() + " of " + metric.name())
                .collect(Collectors.joining("; ")),
            "--source"));
  }

  /** Returns the metric: samples by default, or named events. */
  static WeightSource source(ParseResult parsed) {
    boolean wait = CommonOptions.has(parsed, "--wait");
    boolean named = CommonOptions.has(parsed, "-e");
    String otherwise = named ? WeightSources.ofNamedEvents().metric().name() : usual();
    String text = CommonOptions.text(parsed, "--metric", wait ? "wait" : otherwise);
    if (wait && !text.equals("wait")) {
      throw new UsageError("--wait is --metric wait, not " + text, "--metric " + text);
    }
    return WeightSources.named(text)
        .filter(source -> named || !source.metric().has(Metric.Trait.NAMED_EVENTS))
        .orElseThrow(() ->
            new UsageError("--metric takes " + list(names()) + ", not " + text, "--metric wait"));
  }

  /** Returns the metrics that {@code --metric} takes. */
  private static List<String> names() {
    return WeightSources.all().stream()
        .map(WeightSource::metric)
        .filter(metric -> !metric.has(Metric.Trait.NAMED_EVENTS))
        .map(Metric::name)
        .toList();
  }

  private static String usual() {
    return WeightSources.usual().metric().name();
  }

  /** Returns the metrics that {@code --source} is of. */
  static List<String> withChoice() {
    return choices().map(Metric::name).toList();
  }

  /** Returns the metrics that have kinds to choose from, samples first. */
  private static Stream<Metric> choices() {
    return WeightSources.all().stream()
        .map(WeightSource::metric)
        .filter(Metric::hasChoice)
        .sorted(
            (a, b) -> Boolean.compare(b.has(Metric.Trait.SAMPLED), a.has(Metric.Trait.SAMPLED)));
  }

  private static String list(List<String> names) {
    int last = names.size() - 1;
    return String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }
}
