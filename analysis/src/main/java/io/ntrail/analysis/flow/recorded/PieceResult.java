package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.FlowTotals;
import io.ntrail.formats.pt.PacketClock;

/**
 * Result of the decoding of a piece.
 *
 * @param totals instructions and packets
 * @param errors how often the flow was lost
 * @param damaged places that are not packets, without what a ring has before its first PSB
 * @param undecoded bytes before the first PSB, which nothing can be said of
 * @param clock after the last packet
 * @param knowsTime whether times on the clock of the recording are known
 */
public record PieceResult(
    FlowTotals totals,
    long errors,
    long damaged,
    long undecoded,
    PacketClock clock,
    boolean knowsTime) {}
