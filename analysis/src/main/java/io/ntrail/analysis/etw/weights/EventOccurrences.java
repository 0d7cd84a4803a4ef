package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.WeightUnit;

/** Events that are selected by name, each with the weight 1. */
final class EventOccurrences implements WeightVisitor {
  /** Source of weights: any event. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("event", "events", WeightUnit.COUNT)
              .with(Metric.Trait.NAMED_EVENTS)
              .with(Metric.Trait.OF_FILES)
              .with(Metric.Trait.OF_TYPES)) {
        @Override
        public long events(MetricInventory inventory) {
          // Which events there are is known when they are named.
          return 1;
        }

        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new EventOccurrences();
        }
      };

  EventOccurrences() {}

  @Override
  public void visit(EventContext event) {
    if (event.passesEvent()) {
      event.giveNamed();
    }
  }
}
