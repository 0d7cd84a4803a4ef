package io.ntrail.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/** Times of some runs of one thing, in milliseconds. */
public final class Times {
  private final double[] sorted;

  /** Times, in any order. */
  public Times(double... millis) {
    this.sorted = millis.clone();
    Arrays.sort(sorted);
  }

  /** Returns the one in the middle. */
  public double median() {
    return sorted[sorted.length / 2];
  }

  /** Returns the shortest one. */
  double least() {
    return sorted[0];
  }

  /** Returns each time multiplied and with something added to it. */
  public Times scaled(double factor, double plus) {
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
