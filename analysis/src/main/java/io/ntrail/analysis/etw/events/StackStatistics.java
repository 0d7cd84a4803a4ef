package io.ntrail.analysis.etw.events;

/**
 * Statistics of the stacks of a walk.
 *
 * @param references stack records that were looked at
 * @param unmatched stack records whose event was not there; -1 before the end of a walk over the
 *     whole recording
 * @param undefined references to keys that nothing in the recording defines
 * @param leftOut stack records and definitions that were skipped at the memory limit
 * @param joined events that were given a stack, or half of it, from an event after them
 * @param givenUp events whose stack was not searched for to the end after them, as the memory limit
 *     was reached
 */
public record StackStatistics(
    long references, long unmatched, long undefined, long leftOut, long joined, long givenUp) {
  /** Statistics of a walk without stacks. */
  public static final StackStatistics NONE = new StackStatistics(0, -1, 0, 0, 0, 0);
}
