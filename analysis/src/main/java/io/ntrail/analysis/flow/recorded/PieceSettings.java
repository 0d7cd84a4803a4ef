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
 */
public record PieceSettings(FlowSettings flow, ClockSettings clock, Rounding rounding) {}
