package io.ntrail.analysis.profile;

import io.ntrail.formats.etl.RecordCursor;

/** Where weighted stacks go. */
interface WeightSink {
  /**
   * Whether a weight that an event yields for a thread is asked for at all.
   *
   * @param since a time at which the process had its id
   */
  boolean wants(EventContext moment, long since, int process, int thread);

  /** Whether an event is asked for by its name, or none is asked for by name. */
  boolean wantsEvent(RecordCursor record);

  /** Takes a weighted stack that was asked for, valid during the call. */
  void put(WeightedStack stack);

  /** Counts what is idle. */
  void idle(EventContext moment, long weight);
}
