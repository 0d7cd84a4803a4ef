package io.ntrail.formats.ntr;

/**
 * A thread of a recording.
 *
 * @param number its id in this file; 0 is none
 * @param process the number of its process
 * @param tid the system's id
 * @param began ticks, 0 if unknown
 * @param ended ticks, 0 if it did not end in the recording
 * @param name empty if it has none
 */
public record TracedThread(
    long number, long process, long tid, long began, long ended, String name) {
  /** A thread that runs. */
  public static TracedThread running(long number, long process, long tid, long began, String name) {
    return new TracedThread(number, process, tid, began, 0, name);
  }
}
