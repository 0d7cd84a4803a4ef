package io.ntrail.analysis.calls;

/**
 * Unit of a source's times.
 *
 * @param nanos whether they are nanoseconds since the start; else ticks of an unknown rate
 * @param shared whether times of different threads can be compared: only then threads are merged
 */
public record CallClock(boolean nanos, boolean shared) {
  /** {@code ns} or {@code ticks}. */
  public String unit() {
    return nanos ? "ns" : "ticks";
  }
}
