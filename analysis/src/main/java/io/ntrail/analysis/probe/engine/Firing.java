package io.ntrail.analysis.probe.engine;

import java.util.ArrayList;
import java.util.List;

/** Data that one run of a clause recorded. */
final class Firing {
  private static final int BYTES = 16;

  private final Enabling enabling;
  private final int cpu;
  private final long event;
  private final List<Recorded> data = new ArrayList<>(2);
  private long size = BYTES;

  /**
   * A firing without data.
   *
   * @param event number of the event: clauses at the same one have it in common
   */
  Firing(Enabling enabling, int cpu, long event) {
    this.enabling = enabling;
    this.cpu = cpu;
    this.event = event;
  }

  Enabling enabling() {
    return enabling;
  }

  int cpu() {
    return cpu;
  }

  long event() {
    return event;
  }

  void add(int bytes, Recorded one) {
    size += bytes;
    data.add(one);
  }

  /** Returns the bytes that it takes in a speculation. */
  long size() {
    return size;
  }

  List<Recorded> data() {
    return data;
  }
}
