package io.ntrail.live.session;

/**
 * Which thread of the target: ids are used again, so the time at which it began to be recorded
 * belongs to it.
 *
 * @param tid the system's id
 * @param began ticks
 */
public record ThreadKey(int tid, long began) {}
