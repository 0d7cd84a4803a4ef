package io.ntrail.testkit.probe;

import java.math.BigInteger;
import java.util.Locale;

/**
 * Conversion of a format.
 *
 * @param flags some of {@code -0+ #}
 * @param width 0: none
 * @param precision 0: none
 * @param letter {@code d i u x X o s}
 */
record SlowConversion(String flags, int width, int precision, char letter) {
  String format() {
    return "%" + flags + (width > 0 ? width : "") + (precision > 0 ? "." + precision : "") + letter;
  }

  private boolean has(char flag) {
    return flags.indexOf(flag) >= 0;
  }

  /** Returns a string as it is printed. */
  String text(String value) {
    String cut = precision > 0 ? value.substring(0, Math.min(precision, value.length())) : value;
    String blanks = " ".repeat(Math.max(0, width - cut.length()));
    return has('-') ? cut + blanks : blanks + cut;
  }

  /** Returns a number as it is printed, which its type keeps. */
  String text(BigInteger value, SlowType type) {
    BigInteger unsigned = value.mod(BigInteger.ONE.shiftLeft(8 * type.bytes()));
    boolean isSigned = (letter == 'd' || letter == 'i') && type.isSigned();
    String sign = "";
    String digits =
        switch (letter) {
          case 'x' -> unsigned.toString(16);
          case 'X' -> unsigned.toString(16).toUpperCase(Locale.ROOT);
          case 'o' -> unsigned.toString(8);
          default -> isSigned ? value.abs().toString() : unsigned.toString();
        };
    if (isSigned) {
      sign = value.signum() < 0 ? "-" : has('+') ? "+" : has(' ') ? " " : "";
    }
    if (has('#') && value.signum() != 0) {
      sign = letter == 'x' ? "0x" : letter == 'X' ? "0X" : sign;
      digits = letter == 'o' ? "0" + digits : digits;
    }
    digits = "0".repeat(Math.max(0, precision - digits.length())) + digits;
    int missing = Math.max(0, width - sign.length() - digits.length());
    if (has('-')) {
      return sign + digits + " ".repeat(missing);
    }
    return has('0') && precision == 0
        ? sign + "0".repeat(missing) + digits
        : " ".repeat(missing) + sign + digits;
  }
}
