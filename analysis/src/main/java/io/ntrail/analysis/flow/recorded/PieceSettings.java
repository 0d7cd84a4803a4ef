package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.PacketClock.Rounding;

/**
 * Settings for the decoding of pieces.
 *
 * @param flow how packets are followed
 * @param clock facts about the processor's clocks; the frequency of MTCs is told by each piece
 * @param rounding how times are rounded
 * @param isTimed true if times are wanted: their packets are read once more before the flow
 * @param threads number of walks that take memory at once, at least 1
 */
public record PieceSettings(
    FlowSettings flow, ClockSettings clock, Rounding rounding, boolean isTimed, int threads) {
  /** Settings of one walk with times. */
  public PieceSettings(FlowSettings flow, ClockSettings clock, Rounding rounding) {
    this(flow, clock, rounding, true, 1);
  }

  /** Returns the same for who wants no times. */
  public PieceSettings withoutTimes() {
    return new PieceSettings(flow, clock, rounding, false, threads);
  }

  /** Returns the same for one of several walks at once. */
  public PieceSettings ofThreads(int number) {
    return new PieceSettings(flow, clock, rounding, isTimed, number);
  }
}
