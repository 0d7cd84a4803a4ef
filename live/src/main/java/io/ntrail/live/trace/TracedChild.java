package io.ntrail.live.trace;

import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.session.RecorderStatistics;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Result of tracing a program that another one started; all numbers are of it alone.
 *
 * @param parent id of the process that created it
 * @param lateNanos how long it ran before it was traced; 0: it was traced from its first
 *     instruction on
 * @param exitCode empty if it is still running
 * @param matched number of selected functions
 * @param patched how many of them were traced
 * @param withExits how many of these with their exits
 */
public record TracedChild(
    int pid,
    int parent,
    String program,
    String commandLine,
    long lateNanos,
    OptionalInt exitCode,
    int matched,
    int patched,
    int withExits,
    UnwindSelfTest selfTest,
    RecorderStatistics statistics,
    long reentrant,
    Optional<DetachResult> detachment) {}
