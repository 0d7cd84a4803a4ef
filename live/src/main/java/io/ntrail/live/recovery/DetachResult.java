package io.ntrail.live.recovery;

/**
 * Result of detaching from a program that continues to run.
 *
 * @param repairedFrames functions that were on their way and return to their true callers now
 * @param stopped how often the threads were stopped until none was inside of code of tracing
 * @param removed whether nothing of tracing is left in the program
 * @param blocksLeft of the blocks that were made for tracing, those that are left
 * @param left why something is left there, which does no harm; empty if nothing is
 */
public record DetachResult(
    int repairedFrames, int stopped, boolean removed, int blocksLeft, String left) {}
