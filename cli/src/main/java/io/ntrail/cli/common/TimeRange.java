package io.ntrail.cli.common;

import io.ntrail.analysis.model.WrittenTime;
import io.ntrail.cli.text.Numbers;

/**
 * {@code --time FROM..TO}: seconds since the start, either end may be left out; a unit (ns us ms s)
 * may follow a number.
 *
 * @param fromNanos the first nanosecond
 * @param toNanos the nanosecond before which it ends
 */
public record TimeRange(long fromNanos, long toNanos) {

  public static TimeRange parse(String text) {
    int dots = text.indexOf("..");
    if (dots < 0) {
      throw new UsageError("--time takes FROM..TO, not " + text, "--time 1.5..2");
    }
    String from = text.substring(0, dots);
    String to = text.substring(dots + 2);
    TimeRange range =
        new TimeRange(
            from.isEmpty() ? Long.MIN_VALUE : nanos(from),
            to.isEmpty() ? Long.MAX_VALUE : nanos(to));
    if (range.fromNanos > range.toNanos) {
      throw new UsageError(
          "--time " + text + " ends before it begins", "--time " + to + ".." + from);
    }
    return range;
  }

  public boolean whole() {
    return fromNanos == Long.MIN_VALUE && toNanos == Long.MAX_VALUE;
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

  private static long nanos(String text) {
    try {
      return WrittenTime.parse(text).nanos();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new UsageError("not a time: " + text, "--time 1.5..2 or --time 10ms..20ms");
    }
  }
}
