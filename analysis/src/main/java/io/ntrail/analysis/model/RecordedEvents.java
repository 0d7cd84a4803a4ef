package io.ntrail.analysis.model;

/** A recording of events. */
public interface RecordedEvents {
  /**
   * Returns the events in time order.
   *
   * @param fromNanos the first time, in nanoseconds since the start of the recording
   * @param toNanos the time before which it ends
   */
  EventCursor inOrder(long fromNanos, long toNanos);
}
