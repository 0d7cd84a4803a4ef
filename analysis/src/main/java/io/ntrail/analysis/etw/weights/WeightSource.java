package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import java.util.List;

/**
 * Source of weights that recordings of events offer: its declaration, the events that it needs, and
 * the visitor that yields its weights. A new one is a class with a constant of this type, and a row
 * of {@link WeightSources}.
 */
public abstract class WeightSource {
  private final Metric metric;
  private final int[] hooks;

  /**
   * Creates a source.
   *
   * @param hooks hook ids of the kernel's events that weights are made of
   */
  WeightSource(Metric metric, int... hooks) {
    this.metric = metric;
    this.hooks = hooks.clone();
  }

  /** Returns its declaration. */
  public final Metric metric() {
    return metric;
  }

  /** Returns how many events a recording has that it needs; 0 if it can yield nothing. */
  public long events(MetricInventory inventory) {
    long sum = 0;
    for (int hook : hooks) {
      sum += inventory.count(hook);
    }
    return sum;
  }

  /** Returns whether weights are made of a kernel's event. */
  final boolean wants(int hook) {
    for (int wanted : hooks) {
      if (wanted == hook) {
        return true;
      }
    }
    return false;
  }

  /** Returns what a survey must count for it beside hook ids. */
  List<CountedEvents> counted() {
    return List.of();
  }

  /** Returns the kinds that a recording has, in the order in which they are listed. */
  public List<Variant> variants(MetricInventory inventory) {
    return List.of(Variant.ONLY);
  }

  /** Returns the kind that is taken unless another is chosen; there must be some. */
  public Variant usualVariant(MetricInventory inventory) {
    return variants(inventory).getFirst();
  }

  /**
   * Returns how many events of its clock or counter one hit stands for; -1 if unknown, or it
   * changed, or there are no hits.
   */
  public long eventsPerHit(MetricInventory inventory, Variant variant) {
    return -1;
  }

  /** Returns a visitor that has seen nothing yet. */
  abstract WeightVisitor start(
      Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics);
}
