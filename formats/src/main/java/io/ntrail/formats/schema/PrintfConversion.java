package io.ntrail.formats.schema;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One conversion of printf as messages have it between exclamation marks: flags, width, precision,
 * a size that does not matter because fields know theirs, and a letter.
 *
 * @param left {@code -}: blanks go after
 * @param zeros {@code 0}: zeros in place of blanks
 * @param plus {@code +} or a blank before numbers that are not negative; empty for none
 * @param hash {@code #}: 0x or 0 before hexadecimal and octal numbers
 * @param width least number of characters
 * @param precision least number of digits, digits after the point, or most characters; -1 for none
 * @param letter which conversion
 */
record PrintfConversion(
    boolean left, boolean zeros, String plus, boolean hash, int width, int precision, char letter) {
  private static final int MOST = 256;

  /** Null if the text is not a conversion. */
  static @Nullable PrintfConversion parse(String text) {
    int at = 0;
    boolean left = false;
    boolean zeros = false;
    boolean hash = false;
    String plus = "";
    while (at < text.length() && "-+ #0".indexOf(text.charAt(at)) >= 0) {
      switch (text.charAt(at++)) {
        case '-' -> left = true;
        case '0' -> zeros = true;
        case '#' -> hash = true;
        case '+' -> plus = "+";
        default -> plus = plus.isEmpty() ? " " : plus;
      }
    }
    int width = 0;
    while (at < text.length() && isDigit(text.charAt(at))) {
      width = Math.min(MOST, 10 * width + text.charAt(at++) - '0');
    }
    int precision = -1;
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      precision = 0;
      while (at < text.length() && isDigit(text.charAt(at))) {
        precision = Math.min(MOST, 10 * precision + text.charAt(at++) - '0');
      }
    }
    String rest = text.substring(at);
    String size = rest.startsWith("I64") || rest.startsWith("I32") ? rest.substring(0, 3) : "";
    at += size.length();
    while (at + 1 < text.length() && "hlLwIzjt".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    boolean known = at + 1 == text.length() && "diuxXocCsSZpeEfgG".indexOf(text.charAt(at)) >= 0;
    return known
        ? new PrintfConversion(left, zeros, plus, hash, width, precision, text.charAt(at))
        : null;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** A value of a payload. Text and named values are not made numbers. */
  String text(Payload payload, int token) {
    ValueKind kind = payload.field(token).kind();
    boolean number = kind != ValueKind.TEXT && kind != ValueKind.BINARY;
    char asCharacter = Character.toLowerCase(letter);
    if (asCharacter == 'c' && isShort(payload.field(token).in())) {
      return padded("", String.valueOf((char) bits(payload, token)), false);
    }
    if (!number || asCharacter == 's' || asCharacter == 'z' || asCharacter == 'c') {
      String text = MessageText.valueText(payload, token);
      return padded("", precision >= 0 ? cut(text) : text, false);
    }
    return switch (letter) {
      case 'e', 'E', 'f', 'g', 'G' -> real(payload.real(token));
      default ->
          kind == ValueKind.REAL ? padded("", payload.text(token), zeros) : integer(payload, token);
    };
  }

  private static boolean isShort(InType in) {
    return switch (in) {
      case INT8, UINT8, INT16, UINT16, ANSI_CHAR, UNICODE_CHAR -> true;
      default -> false;
    };
  }

  private String cut(String text) {
    return text.substring(0, Math.min(precision, text.length()));
  }

  /** The value without a sign, in the width of its field. */
  private static long bits(Payload payload, int token) {
    long value = payload.integer(token);
    int bytes = payload.length(token);
    return bytes >= 8 ? value : value & (1L << 8 * bytes) - 1;
  }

  private String integer(Payload payload, int token) {
    long bits = bits(payload, token);
    int unused = Math.max(0, 64 - 8 * payload.length(token));
    long signed = unused == 64 ? 0 : bits << unused >> unused;
    boolean decimal = letter == 'd' || letter == 'i';
    String digits =
        switch (letter) {
          case 'x' -> Long.toHexString(bits);
          case 'X' -> Long.toHexString(bits).toUpperCase(Locale.ROOT);
          case 'o' -> Long.toOctalString(bits);
          case 'p' ->
              "0".repeat(Math.max(0, 2 * payload.length(token) - Long.toHexString(bits).length()))
                  + Long.toHexString(bits).toUpperCase(Locale.ROOT);
          default ->
              decimal && signed < 0
                  ? Long.toUnsignedString(-signed)
                  : Long.toUnsignedString(decimal ? signed : bits);
        };
    String sign = decimal ? signed < 0 ? "-" : plus : "";
    if (hash && bits != 0) {
      sign = letter == 'x' ? "0x" : letter == 'X' ? "0X" : letter == 'o' ? "0" : sign;
    }
    String least = "0".repeat(Math.max(0, precision - digits.length()));
    return padded(sign, least + digits, zeros && precision < 0);
  }

  private String real(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return padded("", Double.toString(value), false);
    }
    double size = Math.abs(value);
    String digits =
        letter == 'g' || letter == 'G'
            ? shortest(size)
            : String.format(Locale.ROOT, "%." + (precision < 0 ? 6 : precision) + letter, size);
    boolean negative = value < 0 || 1 / value < 0;
    return padded(negative ? "-" : plus, digits, zeros);
  }

  /**
   * {@code %g}: significant digits without zeros at their end, as an exponent where it is shorter.
   */
  private String shortest(double size) {
    int most = precision < 0 ? 6 : Math.max(1, precision);
    BigDecimal digits = new BigDecimal(size).round(new MathContext(most));
    int exponent = digits.signum() == 0 ? 0 : digits.precision() - digits.scale() - 1;
    if (exponent >= -4 && exponent < most) {
      return digits.signum() == 0 ? "0" : digits.stripTrailingZeros().toPlainString();
    }
    BigDecimal mantissa = digits.movePointLeft(exponent).stripTrailingZeros();
    return mantissa.toPlainString()
        + (letter == 'g' ? 'e' : 'E')
        + String.format(Locale.ROOT, "%+03d", exponent);
  }

  private String padded(String sign, String digits, boolean withZeros) {
    String fill = " ".repeat(Math.max(0, width - sign.length() - digits.length()));
    if (left) {
      return sign + digits + fill;
    }
    return withZeros ? sign + fill.replace(' ', '0') + digits : fill + sign + digits;
  }
}
