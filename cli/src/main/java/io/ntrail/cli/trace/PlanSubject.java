package io.ntrail.cli.trace;

import io.ntrail.live.trace.TraceTarget;
import java.util.OptionalLong;

/**
 * Program or library that a plan is for.
 *
 * @param program its name
 * @param architecture name of the architecture of its code
 * @param pid process id; empty: it was not started
 * @param commandLine as the program sees it, or the path of a file that was not started
 */
record PlanSubject(String program, String architecture, OptionalLong pid, String commandLine) {
  static PlanSubject of(TraceTarget target) {
    return new PlanSubject(
        target.program(),
        target.architecture(),
        OptionalLong.of(target.process().pid()),
        target.commandLine());
  }
}
