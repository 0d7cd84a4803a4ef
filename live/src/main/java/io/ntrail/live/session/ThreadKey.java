package io.ntrail.live.session;

/**
 * Identity of a thread of the target: its id, which may be reused, and when it began to be
 * recorded.
 *
 * @param tid the system's id
 * @param began ticks
 */
public record ThreadKey(int tid, long began) {}
