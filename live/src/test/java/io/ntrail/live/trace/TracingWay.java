package io.ntrail.live.trace;

import io.ntrail.live.trace.Tracing.Settings;
import java.util.List;

/**
 * Way to trace the programs of a test.
 *
 * @param attached true if tracing attaches to running programs
 */
record TracingWay(Machine machine, boolean attached) {
  /** Every combination. */
  static final List<TracingWay> ALL =
      List.of(
          new TracingWay(Machine.X64, false),
          new TracingWay(Machine.X64, true),
          new TracingWay(Machine.X86, false),
          new TracingWay(Machine.X86, true));

  Settings settings() {
    return attached ? new Settings().attached() : new Settings();
  }

  @Override
  public String toString() {
    return machine + (attached ? ", attached" : ", started");
  }
}
