package io.ntrail.analysis.model;

/**
 * Time in which calls of a module were not recorded although they were selected: it was patched
 * late or not at all.
 *
 * @param module file name of the module, or its address where that is unknown
 * @param from nanoseconds since the recording began, or ticks where their rate is unknown
 * @param to as {@code from}; {@link #OPEN} if until the end
 * @param why a clause for people
 */
public record UntracedTime(String module, long from, long to, String why) {
  /** Stands for an end that is not known, or has not come. */
  public static final long OPEN = Long.MAX_VALUE;
}
