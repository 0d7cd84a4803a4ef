package io.ntrail.analysis.probe.engine;

import java.util.ArrayList;
import java.util.List;

/** Data that one run of a clause recorded. */
final class Firing {
  private final Enabling enabling;
  private final int cpu;
  private final List<Recorded> data = new ArrayList<>(2);

  Firing(Enabling enabling, int cpu) {
    this.enabling = enabling;
    this.cpu = cpu;
  }

  Enabling enabling() {
    return enabling;
  }

  int cpu() {
    return cpu;
  }

  List<Recorded> data() {
    return data;
  }
}
