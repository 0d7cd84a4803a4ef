package io.ntrail.programs.symbols.http;

import java.time.Duration;

/**
 * How long servers are waited for, and how much is taken from them.
 *
 * @param connect until a connection stands
 * @param firstByte until an answer begins
 * @param stall between one byte of an answer and the next, and for a few kilobytes of it
 * @param tries how often a request is made that a server is too busy for, or that breaks
 * @param backOff before the second one; twice as long before each one after it
 * @param mostBytes of a file, packed or not
 * @param remembered how long it is believed that a server does not have a file
 */
public record FetchLimits(
    Duration connect,
    Duration firstByte,
    Duration stall,
    int tries,
    Duration backOff,
    long mostBytes,
    Duration remembered) {
  /** What is right for servers on the internet. */
  public static final FetchLimits USUAL =
      new FetchLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          3,
          Duration.ofMillis(500),
          8L << 30,
          Duration.ofHours(24));

  /** The same with another time for which a missing file is believed to be missing. */
  public FetchLimits remembering(Duration time) {
    return new FetchLimits(connect, firstByte, stall, tries, backOff, mostBytes, time);
  }
}
