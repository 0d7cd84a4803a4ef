package io.ntrail.live.trace;

/**
 * A program that another one started and that could not be traced.
 *
 * @param parent id of the process that created it
 * @param program name of its file; empty if the system does not say
 * @param why a clause
 */
public record UntracedChild(int pid, int parent, String program, String why) {}
