package io.ntrail.live.session;

/**
 * How a {@link Recorder} works.
 *
 * @param process the number of the target in the {@code .ntr}
 * @param began ticks at which the recording began
 * @param maxBytes recording stops when the {@code .ntr} has so many; 0 = never. What the recorder
 *     holds at that moment still comes into the file
 */
public record RecorderSettings(long process, long began, long maxBytes) {}
