package io.ntrail.live.target;

/**
 * Thread of a running program.
 *
 * @param tid the system's id
 * @param created when it began, FILETIME; with the id it says which thread it is, since ids are
 *     used again
 */
public record TargetThread(int tid, long created) {}
