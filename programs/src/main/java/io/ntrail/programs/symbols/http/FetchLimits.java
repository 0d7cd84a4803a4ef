package io.ntrail.programs.symbols.http;

import java.time.Duration;

/**
 * Limits of requests to servers: times and sizes.
 *
 * @param connect time for a connection
 * @param firstByte time until an answer starts
 * @param stall time between one byte of an answer and the next, and for a few kilobytes of it
 * @param tries number of attempts of a request that a server is too busy for, or that breaks
 * @param backOff time before the second one; twice as long before each one after it
 * @param mostBytes of a file, compressed or not
 * @param remembered lifetime of a server's answer that it does not have a file
 */
public record FetchLimits(
    Duration connect,
    Duration firstByte,
    Duration stall,
    int tries,
    Duration backOff,
    long mostBytes,
    Duration remembered) {
  /** The limits for servers on the internet. */
  public static final FetchLimits USUAL =
      new FetchLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          3,
          Duration.ofMillis(500),
          8L << 30,
          Duration.ofHours(24));

  /** Returns the limits with another lifetime of negative answers. */
  public FetchLimits remembering(Duration time) {
    return new FetchLimits(connect, firstByte, stall, tries, backOff, mostBytes, time);
  }
}
