package io.ntrail.analysis.etw.weights;

import io.ntrail.formats.etl.RecordCursor;
import java.util.function.Predicate;

/**
 * Events that a survey counts because a source needs more than a hook id.
 *
 * @param hook hook id of the kernel's event; {@link #PROVIDER} for events of other providers
 * @param test whether such an event counts
 */
record CountedEvents(int hook, Predicate<RecordCursor> test) {
  /** Stands for the hook id of events that have none. */
  static final int PROVIDER = -1;
}
