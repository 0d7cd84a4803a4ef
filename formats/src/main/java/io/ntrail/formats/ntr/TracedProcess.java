package io.ntrail.formats.ntr;

/**
 * A process of a recording.
 *
 * @param number its id in this file; 0 is none
 * @param pid the system's id
 * @param began ticks, 0 if unknown
 * @param ended ticks, 0 if it did not end in the recording
 * @param exitCode 0 if it did not end
 * @param name of its program
 * @param commandLine empty if unknown
 * @param machine as in PE files; 0 if it is the recording's
 */
public record TracedProcess(
    long number,
    long pid,
    long began,
    long ended,
    long exitCode,
    String name,
    String commandLine,
    int machine) {
  /** Creates one of the recording's machine type. */
  public TracedProcess(
      long number,
      long pid,
      long began,
      long ended,
      long exitCode,
      String name,
      String commandLine) {
    this(number, pid, began, ended, exitCode, name, commandLine, 0);
  }

  /** A process that runs. */
  public static TracedProcess running(
      long number, long pid, long began, String name, String commandLine) {
    return new TracedProcess(number, pid, began, 0, 0, name, commandLine);
  }

  /** Returns this process as one of a machine type. */
  public TracedProcess of(int itsMachine) {
    return new TracedProcess(number, pid, began, ended, exitCode, name, commandLine, itsMachine);
  }

  /** Returns this process with its end. */
  TracedProcess until(long its, long code) {
    return new TracedProcess(number, pid, began, its, code, name, commandLine, machine);
  }

  /**
   * Time in which the tracer held a process: a thread that loads a library waited until that was
   * patched, or all threads were suspended (docs/ntr.md section 4).
   *
   * @param number its id in this file; 0 is none
   * @param process the number of the process
   * @param from ticks
   * @param to ticks
   * @param why a clause for people
   */
  public record Hold(long number, long process, long from, long to, String why) {}
}
