package io.ntrail.cli.common;

import io.ntrail.cli.text.Numbers;
import java.math.BigDecimal;

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
    String number = text;
    long unit = 1_000_000_000L;
    String[] names = {"ns", "us", "ms", "s"};
    long[] units = {1, 1_000, 1_000_000, 1_000_000_000L};
    for (int i = 0; i < names.length; i++) {
      if (text.endsWith(names[i])) {
        number = text.substring(0, text.length() - names[i].length());
        unit = units[i];
        break;
      }
    }
    try {
      BigDecimal exact = new BigDecimal(number.strip());
      // 9e99999999 is a number too, but writing it out takes a minute.
      if (exact.precision() - (long) exact.scale() > 20) {
        throw new ArithmeticException("out of range");
      }
      return exact.multiply(BigDecimal.valueOf(unit)).toBigInteger().longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new UsageError("not a time: " + text, "--time 1.5..2 or --time 10ms..20ms");
    }
  }
}
