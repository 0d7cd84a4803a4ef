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
 */
public record TracedProcess(
    long number, long pid, long began, long ended, long exitCode, String name, String commandLine) {
  /** A process that runs. */
  public static TracedProcess running(
      long number, long pid, long began, String name, String commandLine) {
    return new TracedProcess(number, pid, began, 0, 0, name, commandLine);
  }
}
