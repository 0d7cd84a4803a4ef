package io.ntrail.live.trace;

/**
 * Counts of the callers of sampled calls in a recording.
 *
 * @param recorded calls whose callers are in the recording
 * @param incomplete of them, those whose outermost callers are missing
 * @param missed calls whose callers were to be recorded and are not
 */
public record CallerCounts(long recorded, long incomplete, long missed) {}
