package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;

/**
 * Weights of samples.
 *
 * @param inventory knows the intervals
 * @param diagnostics learns which are unknown
 * @param areIdleToo whether idle ones count
 * @param source profile source
 * @param areCounted whether each weighs 1, or else the time or the events that it stands for
 */
record SampleWeights(
    MetricInventory inventory,
    ProfileDiagnostics diagnostics,
    boolean areIdleToo,
    int source,
    boolean areCounted) {
  /** Profile source of the timer. */
  static final int CLOCK = 0;

  private static final long DEFAULT_INTERVAL = 10_000;

  /** Returns the weight of a number of samples of one time. */
  long of(int count, long key) {
    return areCounted ? count : interval(key) * count;
  }

  private long interval(long key) {
    long interval = inventory.interval(source, key);
    if (source == CLOCK) {
      diagnostics.noteInterval(interval < 0);
      return 100 * (interval < 0 ? DEFAULT_INTERVAL : interval);
    }
    diagnostics.noteInterval(interval <= 0);
    return interval <= 0 ? 1 : interval;
  }
}
