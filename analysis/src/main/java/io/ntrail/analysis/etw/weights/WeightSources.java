package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import java.util.List;
import java.util.Optional;

/** Table of all sources of weights that recordings of events offer. */
public final class WeightSources {
  private static final List<WeightSource> ALL =
      List.of(
          CpuSamples.TIMER,
          ThreadWaits.WAIT,
          ThreadWaits.READY,
          DiskTransfers.SOURCE,
          FileOperations.SOURCE,
          PageFaults.SOURCE,
          Allocations.SOURCE,
          CpuSamples.COUNTERS,
          EventOccurrences.SOURCE);

  /** Events that sources want counted beside hook ids. */
  private static final List<CountedEvents> COUNTED =
      ALL.stream().flatMap(source -> source.counted().stream()).toList();

  private WeightSources() {}

  /** Returns all sources, in the order in which they are listed. */
  public static List<WeightSource> all() {
    return ALL;
  }

  /** Returns the source that is taken by default: samples of CPUs. */
  public static WeightSource usual() {
    return ALL.getFirst();
  }

  /** Returns the source of a metric. */
  public static Optional<WeightSource> named(String metric) {
    return ALL.stream().filter(source -> source.metric().name().equals(metric)).findFirst();
  }

  /** Returns the source that counts the events selected by name. */
  public static WeightSource ofNamedEvents() {
    return EventOccurrences.SOURCE;
  }

  /** Returns the names of the metrics with a property. */
  public static List<String> names(Metric.Trait trait) {
    return ALL.stream()
        .map(WeightSource::metric)
        .filter(metric -> metric.has(trait))
        .map(Metric::name)
        .toList();
  }

  static List<CountedEvents> counted() {
    return COUNTED;
  }
}
