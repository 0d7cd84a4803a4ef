package io.ntrail.analysis.etw.events;

/**
 * Statistics of the stacks of a walk.
 *
 * @param references stack records that were looked at
 * @param unmatched stack records whose event was not there; -1 before the end of a walk over the
 *     whole recording
 * @param undefined references to keys that nothing in the recording defines
 * @param leftOut stack records and definitions that were left out for want of memory
 * @param joined events that were given a stack, or half of it, from an event behind them
 * @param givenUp events whose stack was not looked for to the end behind them, for want of memory
 */
public record StackStatistics(
    long references, long unmatched, long undefined, long leftOut, long joined, long givenUp) {
  /** No stack was asked for. */
  public static final StackStatistics NONE = new StackStatistics(0, -1, 0, 0, 0, 0);
}
