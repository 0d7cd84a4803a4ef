package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.NamePattern;
import java.util.List;

/**
 * Part of a recording that a profile is about.
 *
 * @param processes names or ids; all if empty
 * @param threads ids; all if empty
 * @param events names; all if empty
 * @param fromNanos the first time
 * @param toNanos the time before which it ends
 * @param mode whose code the innermost frame must be
 * @param idle whether what is idle counts like the rest
 * @param stacks which stacks count
 */
public record ProfileScope(
    List<NamePattern> processes,
    List<NamePattern> threads,
    List<NamePattern> events,
    long fromNanos,
    long toNanos,
    Mode mode,
    boolean idle,
    StackFilter stacks) {
  /** Kind of code that runs. */
  public enum Mode {
    ALL,
    KERNEL,
    USER
  }

  /** The whole recording. */
  public static final ProfileScope ALL =
      new ProfileScope(
          List.of(),
          List.of(),
          List.of(),
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          Mode.ALL,
          false,
          StackFilter.ALL);

  /** Returns the same part, of another time. */
  public ProfileScope during(long from, long to) {
    return new ProfileScope(processes, threads, events, from, to, mode, idle, stacks);
  }

  boolean inRange(long nanos) {
    return nanos >= fromNanos && (nanos < toNanos || toNanos == Long.MAX_VALUE);
  }
}
