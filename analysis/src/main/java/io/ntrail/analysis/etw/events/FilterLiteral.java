package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.model.WrittenTime;
import java.util.Locale;

/**
 * Literal of a condition, understood once in every way that it can be.
 *
 * @param isTime whether it has a unit of time
 * @param nanos the nanoseconds of a time
 */
record FilterLiteral(
    String text,
    boolean integer,
    boolean negative,
    long bits,
    boolean real,
    double value,
    boolean isTime,
    long nanos) {
  static FilterLiteral text(String text) {
    return new FilterLiteral(text, false, false, 0, false, 0, false, 0);
  }

  static FilterLiteral real(String text, double value) {
    return new FilterLiteral(text, false, value < 0, 0, true, value, false, 0);
  }

  boolean isNumber() {
    return integer || real;
  }

  static FilterLiteral of(String text) {
    String digits = text.replace(",", "");
    long unit = 1;
    String[] units = {"KiB", "MiB", "GiB", "TiB"};
    for (int i = 0; i < units.length; i++) {
      if (digits.toLowerCase(Locale.ROOT).endsWith(units[i].toLowerCase(Locale.ROOT))) {
        digits = digits.substring(0, digits.length() - 3).strip();
        unit = 1L << 10 * (i + 1);
      }
    }
    try {
      boolean negative = digits.startsWith("-");
      String bare = negative ? digits.substring(1) : digits;
      long bits =
          bare.startsWith("0x") || bare.startsWith("0X")
              ? Long.parseUnsignedLong(bare.substring(2), 16)
              : Long.parseUnsignedLong(bare);
      boolean fits = unit == 1 || bits >= 0 && bits <= Long.MAX_VALUE / unit;
      if (fits) {
        bits *= unit;
        double value = negative || bits >= 0 ? (double) bits : bits + 0x1p64;
        return new FilterLiteral(
            text,
            true,
            negative && bits != 0,
            negative ? -bits : bits,
            true,
            negative ? -value : value,
            false,
            0);
      }
    } catch (NumberFormatException e) {
      // Perhaps a fraction.
    }
    try {
      char first = digits.isEmpty() ? 'x' : digits.charAt(0);
      if (Character.isDigit(first) || first == '-' || first == '.') {
        double value = Double.parseDouble(digits) * unit;
        return real(text, value);
      }
    } catch (NumberFormatException e) {
      // A text.
    }
    return timeOrText(text);
  }

  private static FilterLiteral timeOrText(String text) {
    try {
      WrittenTime time = WrittenTime.parse(text.toLowerCase(Locale.ROOT));
      if (time.hasUnit()) {
        long nanos = nanos(time);
        return new FilterLiteral(text, false, nanos < 0, 0, false, 0, true, nanos);
      }
    } catch (NumberFormatException e) {
      // A text.
    }
    return text(text);
  }

  /** Returns the nanoseconds of a time; of one that is out of range the nearest that is not. */
  private static long nanos(WrittenTime time) {
    try {
      return time.nanos();
    } catch (ArithmeticException e) {
      return time.number().signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }
}
