package io.ntrail.live.session;

/**
 * Settings of a {@link Recorder}.
 *
 * @param process the number of the target in the {@code .ntr}
 * @param began ticks at which the recording began
 * @param maxBytes recording stops when the {@code .ntr} has so many; 0 = never. What the recorder
 *     holds at that moment still comes into the file
 * @param arguments of each entry, the first so many come into the file, or all that its record has
 * @param throttle calls of a function in a second from which on it is counted only; 0 = never
 * @param ticksPerSecond rate of the clock; 0 = unknown
 */
public record RecorderSettings(
    long process, long began, long maxBytes, int arguments, long throttle, long ticksPerSecond) {
  /** Creates settings that record all calls. */
  public RecorderSettings(long process, long began, long maxBytes, int arguments) {
    this(process, began, maxBytes, arguments, 0, 0);
  }

  /** Creates settings that record all arguments of records. */
  public RecorderSettings(long process, long began, long maxBytes) {
    this(process, began, maxBytes, Integer.MAX_VALUE);
  }

  /** Returns these settings for another process. */
  RecorderSettings of(long other) {
    return new RecorderSettings(other, began, maxBytes, arguments, throttle, ticksPerSecond);
  }
}
