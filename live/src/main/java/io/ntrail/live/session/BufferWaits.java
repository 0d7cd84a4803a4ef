package io.ntrail.live.session;

/**
 * Waits of threads for free buffers.
 *
 * @param count how often a thread waited
 * @param ticks of all waits together; those of several threads may have been at the same time
 * @param longestTicks of the longest one
 */
public record BufferWaits(long count, long ticks, long longestTicks) {
  /** Returns the sum of these and others. */
  BufferWaits plus(BufferWaits other) {
    return new BufferWaits(
        count + other.count, ticks + other.ticks, Math.max(longestTicks, other.longestTicks));
  }
}
