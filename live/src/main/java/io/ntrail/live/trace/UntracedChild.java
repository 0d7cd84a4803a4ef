package io.ntrail.live.trace;

/**
 * A program that another one started and that could not be traced.
 *
 * @param parent id of the process that created it
 * @param why a clause
 */
public record UntracedChild(int pid, int parent, String program, String why) {}
