package io.ntrail.analysis.model;

import java.math.BigDecimal;

/**
 * Time as people write it, in time ranges and in conditions: {@code 1.5}, {@code 10ms}.
 *
 * @param unitNanos nanoseconds of its unit; 0 if it has none
 */
public record WrittenTime(BigDecimal number, long unitNanos) {
  private static final String[] UNITS = {"ns", "us", "ms", "s"};
  private static final long[] NANOS = {1, 1_000, 1_000_000, 1_000_000_000};

  /**
   * Reads a number with a unit (ns us ms s) or without.
   *
   * @throws NumberFormatException if it is none
   */
  public static WrittenTime parse(String text) {
    for (int i = 0; i < UNITS.length; i++) {
      if (text.endsWith(UNITS[i])) {
        String number = text.substring(0, text.length() - UNITS[i].length());
        return new WrittenTime(new BigDecimal(number.strip()), NANOS[i]);
      }
    }
    return new WrittenTime(new BigDecimal(text.strip()), 0);
  }

  /** Returns true if a unit is written. */
  public boolean hasUnit() {
    return unitNanos != 0;
  }

  /**
   * Returns it in whole nanoseconds, of a number without a unit as seconds.
   *
   * @throws ArithmeticException if it does not fit
   */
  public long nanos() {
    // 9e99999999 is a number too, as is 9e-99999999, but writing them out takes a minute.
    long digits = number.precision() - (long) number.scale();
    if (digits > 20) {
      throw new ArithmeticException("out of range");
    }
    if (digits < -20) {
      return 0;
    }
    BigDecimal unit = BigDecimal.valueOf(hasUnit() ? unitNanos : NANOS[NANOS.length - 1]);
    return number.multiply(unit).toBigInteger().longValueExact();
  }
}
