package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.ProbeEvent;

/** No event: the one before the first. */
enum NoEvent implements ProbeEvent {
  /** The only one. */
  NONE;

  @Override
  public long timestamp() {
    return 0;
  }

  @Override
  public long wallTimestamp() {
    return 0;
  }
}
