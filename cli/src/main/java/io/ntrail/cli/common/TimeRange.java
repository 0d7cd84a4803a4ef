package io.ntrail.cli.common;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.model.WrittenTime;
import io.ntrail.cli.text.Numbers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code --time FROM..TO}: seconds since the start, either end may be left out; a unit (ns us ms s)
 * may follow a number, and one at the end is that of both. Where a recording knows its clock,
 * either may be a time of day in UTC, {@code 00:07:05.25}.
 *
 * @param fromNanos the first nanosecond
 * @param toNanos the nanosecond before which it ends
 * @param isFromClock whether the first is of the day, until the recording is known
 * @param isToClock whether the other is of the day, until the recording is known
 */
public record TimeRange(long fromNanos, long toNanos, boolean isFromClock, boolean isToClock) {
  private static final Pattern CLOCK =
      Pattern.compile("([01]?\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d)(?:\\.(\\d{1,9}))?)?");

  private static final Pattern UNIT = Pattern.compile(".*?\\d\\s*(ns|us|ms|s)");

  private static final long SECOND = 1_000_000_000L;
  private static final long DAY = 86_400 * SECOND;

  /** A range of seconds since the start. */
  public TimeRange(long fromNanos, long toNanos) {
    this(fromNanos, toNanos, false, false);
  }

  /** Reads a range of seconds since the start. */
  public static TimeRange parse(String text) {
    TimeRange range = withClock(text);
    if (range.isFromClock || range.isToClock) {
      throw new UsageError(
          "--time takes seconds since the start here, not times of day", "--time 1.5..2");
    }
    return range;
  }

  /** Reads a range that may have times of day, which {@link #in} turns into seconds. */
  public static TimeRange withClock(String text) {
    int dots = text.indexOf("..");
    if (dots < 0) {
      throw new UsageError("--time takes FROM..TO, not " + text, "--time 1.5..2");
    }
    String from = text.substring(0, dots);
    String to = text.substring(dots + 2);
    boolean isFromClock = CLOCK.matcher(from).matches();
    boolean isToClock = CLOCK.matcher(to).matches();
    Matcher unit = UNIT.matcher(to);
    boolean hasUnit = UNIT.matcher(from).matches();
    String shared = !from.isEmpty() && !hasUnit && unit.matches() ? unit.group(1) : "";
    TimeRange range =
        new TimeRange(
            from.isEmpty()
                ? Long.MIN_VALUE
                : isFromClock ? ofDay(from) : nanos(from, from + shared),
            to.isEmpty() ? Long.MAX_VALUE : isToClock ? ofDay(to) : nanos(to, to),
            isFromClock,
            isToClock);
    if (isFromClock == isToClock && !isFromClock && range.fromNanos > range.toNanos) {
      throw new UsageError(
          "--time " + text + " ends before it begins", "--time " + to + ".." + from);
    }
    return range;
  }

  /**
   * Returns the range with times of day as seconds since the start of a recording: those nearest to
   * its start.
   */
  public TimeRange in(EtwRecording recording) {
    if (!isFromClock && !isToClock) {
      return this;
    }
    long start = recording.files().getFirst().clock().startFileTime();
    if (start == 0) {
      throw new UsageError(
          "the recording does not say when it began, so that times of day mean nothing in it",
          "--time 1.5..2");
    }
    long ofDay = Math.floorMod(start, DAY / 100) * 100;
    long from = isFromClock ? since(ofDay, fromNanos) : fromNanos;
    long to = isToClock ? since(ofDay, toNanos) : toNanos;
    if (isFromClock && isToClock && to < from) {
      // Midnight lies between them.
      to += DAY;
    }
    if (from > to) {
      throw new UsageError("--time ends before it begins", "--time 1.5..2");
    }
    return new TimeRange(from, to);
  }

  private static long since(long start, long time) {
    long nanos = time - start;
    return nanos < -DAY / 2 ? nanos + DAY : nanos > DAY / 2 ? nanos - DAY : nanos;
  }

  private static long ofDay(String text) {
    Matcher parts = CLOCK.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(text);
    }
    long seconds = Long.parseLong(parts.group(1)) * 3600 + Long.parseLong(parts.group(2)) * 60;
    String second = parts.group(3);
    String part = parts.group(4);
    seconds += second == null ? 0 : Long.parseLong(second);
    return seconds * SECOND
        + (part == null ? 0 : Long.parseLong(part + "0".repeat(9 - part.length())));
  }

  /** Returns whether it is all of a recording. */
  public boolean whole() {
    return fromNanos == Long.MIN_VALUE && toNanos == Long.MAX_VALUE;
  }

  /** Returns whether a time lies in it, in nanoseconds since the start. */
  public boolean contains(long nanos) {
    return whole() || nanos >= fromNanos && nanos < toNanos;
  }

  /** Returns the range as the first line of an answer repeats it. */
  public String text() {
    if (whole()) {
      return "whole recording";
    }
    if (fromNanos == Long.MIN_VALUE) {
      return "before " + Numbers.seconds(toNanos) + " s";
    }
    String from = Numbers.seconds(fromNanos);
    return toNanos == Long.MAX_VALUE
        ? "from " + from + " s"
        : from + " .. " + Numbers.seconds(toNanos) + " s";
  }

  private static long nanos(String typed, String text) {
    try {
      return WrittenTime.parse(text).nanos();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new UsageError(
          "not a time: " + typed,
          "--time 1.5..2 or --time 10ms..20ms or --time 09:30:05..09:30:06");
    }
  }
}
