package io.ntrail.analysis.model;

/**
 * Goes over events in time order. It is the event it stands on: what it answers is that of the
 * current event until {@link #next}. It is used by one thread.
 */
public interface EventCursor extends AutoCloseable {
  /** Goes to the next event; returns false after the last one. */
  boolean next();

  /** Time of the current event in nanoseconds since the start of the recording. */
  long nanos();

  /** Id of the process that the event's header names; -1 if it names none. */
  int processId();

  /** Id of the thread that the event's header names; -1 if it names none. */
  int threadId();

  /** Number of the CPU that recorded the event. */
  int cpu();

  @Override
  void close();
}
