package io.ntrail.formats.ntr;

/**
 * Time in which calls of selected functions of a module were not recorded, because they were
 * patched late or not at all (docs/ntr.md section 4).
 *
 * @param number its id in this file; 0 is none
 * @param process the number of its process; 0 if it is in all of them
 * @param from ticks; 0 if since before the recording
 * @param to ticks; 0 if until the module was unloaded, its process ended or the recording did
 * @param module its path as the system has it, or its address where that is unknown
 * @param why a clause for people
 */
public record UntracedModule(
    long number, long process, long from, long to, String module, String why) {}
