package io.ntrail.cli.pt;

import io.ntrail.cli.common.TimeRange;
import io.ntrail.formats.pt.PacketClock;
import java.nio.file.Path;

/**
 * Request for the packets of a stream.
 *
 * @param time packets of other times are left out
 * @param limit packets at most; 0: all
 */
record PacketRequest(Path path, ProcessorOptions processor, TimeRange time, long limit) {
  /** Returns true for packets of the times that were asked for; the first ones have time 0. */
  boolean isInTime(PacketClock clock) {
    return time.whole() || time.contains(clock.isKnown() ? clock.nanos() : 0);
  }
}
