package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.ThreadEventCursor;

/** Common parts of recordings of synthetic calls. */
final class SyntheticCalls {
  static final int FUNCTIONS = 1500;

  private SyntheticCalls() {}

  static NtrHeader header() {
    return new NtrHeader(
        NtrHeader.ONE_CLOCK,
        2_500_000_000L,
        0,
        0,
        0x8664,
        8,
        NtrHeader.TIME_STAMP_COUNTER,
        "benchmark");
  }

  /**
   * Totals of a reading.
   *
   * @param sum of all that events say, so that nothing is left out
   */
  record Read(long events, long calls, long sum) {}

  /** Reads all events. */
  static Read all(NtrFile file, Gaps gaps) {
    long events = 0;
    long calls = 0;
    long sum = 0;
    for (long thread : file.threadsWithEvents()) {
      try (ThreadEventCursor cursor = file.cursor(thread, gaps)) {
        while (cursor.next()) {
          events++;
          calls += cursor.kind() == EventKind.ENTRY ? 1 : 0;
          sum += cursor.ticks() ^ cursor.function() ^ cursor.key() ^ cursor.value();
        }
      }
    }
    return new Read(events, calls, sum);
  }
}
