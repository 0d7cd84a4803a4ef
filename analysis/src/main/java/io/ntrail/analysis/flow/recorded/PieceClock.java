package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.FlowTimes;
import io.ntrail.analysis.flow.TimedFlow;
import io.ntrail.analysis.flow.TimedFlow.Trust;

/**
 * Times of a piece on the clock of the recording: the last time that its packets tell is that of
 * the event, and what is before it lies as many ticks of the time stamp counter before.
 */
final class PieceClock implements FlowTimes {
  private static final long SECOND = 1_000_000_000L;

  private final TimedFlow flow;
  private final long hertz;
  private final long endTicks;
  private final long endNanos;
  private final boolean isTied;

  /**
   * @param hertz ticks of the time stamp counter a second; 0: not known
   * @param endTicks the time stamp counter at the end of the piece
   * @param endNanos time on the clock of the recording then
   * @param isTied whether the clock of the recording is that counter, so that the time is exact
   */
  PieceClock(TimedFlow flow, long hertz, long endTicks, long endNanos, boolean isTied) {
    this.flow = flow;
    this.hertz = hertz;
    this.endTicks = endTicks;
    this.endNanos = endNanos;
    this.isTied = isTied;
  }

  @Override
  public boolean knowsNanos() {
    return hertz != 0 && flow.knowsTicks();
  }

  @Override
  public long nanos(int index) {
    if (!knowsNanos()) {
      throw new IllegalStateException("the frequency of the counter is not known");
    }
    long before = endTicks - flow.tsc(index);
    // Damaged packets may tell any time.
    return endNanos
        - (before / hertz * SECOND + Math.round((double) (before % hertz) * SECOND / hertz));
  }

  @Override
  public Trust trust(int index) {
    Trust trust = flow.trust(index);
    return trust == Trust.PACKET && !isTied ? Trust.ESTIMATE : trust;
  }
}
