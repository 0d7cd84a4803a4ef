package io.ntrail.benchmarks.budgets;

import java.util.Arrays;
import java.util.Locale;

/** Times of some runs of one thing, in milliseconds. */
final class Times {
  private final double[] sorted;

  Times(double... millis) {
    this.sorted = millis.clone();
    Arrays.sort(sorted);
  }

  double median() {
    return sorted[sorted.length / 2];
  }

  /** Returns each time multiplied and with something added to it. */
  Times scaled(double factor, double plus) {
    return new Times(Arrays.stream(sorted).map(one -> one * factor + plus).toArray());
  }

  @Override
  public String toString() {
    return sorted.length == 1
        ? String.format(Locale.ROOT, "%.1f", sorted[0])
        : String.format(
            Locale.ROOT, "%.1f (%.1f to %.1f)", median(), sorted[0], sorted[sorted.length - 1]);
  }
}
