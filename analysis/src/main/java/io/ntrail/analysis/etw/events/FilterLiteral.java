package io.ntrail.analysis.etw.events;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
  /** A number of bounded length with a unit of time. */
  private static final Pattern TIME =
      Pattern.compile(
          "(-?(?:\\d{1,40}\\.?\\d{0,40}|\\.\\d{1,40}))\\s*(ns|us|ms|s)", Pattern.CASE_INSENSITIVE);

  private static final BigDecimal LEAST = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

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
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      return text(text);
    }
    BigDecimal unit =
        switch (time.group(2).toLowerCase(Locale.ROOT)) {
          case "ns" -> BigDecimal.ONE;
          case "us" -> BigDecimal.valueOf(1_000);
          case "ms" -> BigDecimal.valueOf(1_000_000);
          default -> BigDecimal.valueOf(1_000_000_000);
        };
    BigDecimal nanos = new BigDecimal(time.group(1)).multiply(unit);
    long exact = nanos.setScale(0, RoundingMode.HALF_UP).max(LEAST).min(MOST).longValueExact();
    return new FilterLiteral(text, false, exact < 0, 0, false, 0, true, exact);
  }
}
