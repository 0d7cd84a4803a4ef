package io.ntrail.cli.trace;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.UsageError;
import io.ntrail.live.session.RecorderState;
import io.ntrail.live.session.RecorderStatistics;
import java.util.OptionalInt;
import picocli.CommandLine.ParseResult;

/**
 * Exit code of a trace: that of the traced program, so that {@code ntrail trace} can stand in front
 * of any command of a script, or ntrail's own.
 *
 * @param ofProgram true if that of the program is wanted
 * @param strict true if losses give {@link ExitCode#INCOMPLETE}
 */
record TraceExitCode(boolean ofProgram, boolean strict) {
  /** Number of bits that a shell sees of an exit code. */
  private static final int BITS = 0xFF;

  static TraceExitCode of(ParseResult parsed) {
    String whose = CommonOptions.text(parsed, "--exit-code", "program");
    if (!whose.equals("program") && !whose.equals("ntrail")) {
      throw new UsageError(
          "--exit-code takes program or ntrail, not " + whose, "--exit-code ntrail");
    }
    return new TraceExitCode(whose.equals("program"), CommonOptions.has(parsed, "--strict"));
  }

  /**
   * Returns the exit code.
   *
   * @param isUntraced true if a library was not traced for some time
   * @param program exit code of a program that ntrail started; empty if it did not, or if the
   *     program is still running
   */
  int of(RecorderStatistics statistics, boolean isUntraced, OptionalInt program) {
    if (statistics.state() == RecorderState.FAILED) {
      return statistics.captured().events() == 0 ? ExitCode.FAILED : ExitCode.INCOMPLETE;
    }
    boolean isLossy = isUntraced || statistics.allDropped() + statistics.unrecorded() > 0;
    if (strict && isLossy) {
      return ExitCode.INCOMPLETE;
    }
    return ofProgram ? program.orElse(ExitCode.DONE) & BITS : ExitCode.DONE;
  }
}
