package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.aggregation.Aggregate;
import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.aggregation.Aggregation.Entry;
import io.ntrail.analysis.probe.aggregation.BarStyle;
import io.ntrail.analysis.probe.aggregation.Buckets;
import io.ntrail.analysis.probe.aggregation.Distribution;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** Format of printf() and printa(), taken apart. */
final class FormatString implements AggregationPrinter.Format {
  private static final DateTimeFormatter MAIL =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);

  /** Blanks before a frame of a stack. */
  private static final int INDENT = 14;

  private static final int MOST_WIDTH = 1 << 15;
  private static final int MOST_PARTS = 1000;

  private final List<Part> parts = new ArrayList<>();
  private int arguments;

  /**
   * A literal, or a conversion.
   *
   * @param literal text that is printed as it is, if {@code conversion} is NUL
   * @param width -1: none, -2: an argument
   * @param precision -1: none, -2: an argument
   */
  private record Part(
      String literal,
      char conversion,
      String flags,
      int width,
      int precision,
      boolean isAggregation) {
    boolean has(char flag) {
      return flags.indexOf(flag) >= 0;
    }
  }

  /**
   * Takes a format apart.
   *
   * @throws CompileError if it is none
   */
  FormatString(String format, Place place) {
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < format.length()) {
      char c = format.charAt(at++);
      if (c != '%') {
        literal.append(c);
      } else if (at < format.length() && format.charAt(at) == '%') {
        literal.append('%');
        at++;
      } else {
        if (!literal.isEmpty()) {
          parts.add(new Part(literal.toString(), '\0', "", -1, -1, false));
          literal.setLength(0);
        }
        at = conversion(format, at, place);
      }
    }
    if (!literal.isEmpty()) {
      parts.add(new Part(literal.toString(), '\0', "", -1, -1, false));
    }
  }

  private int conversion(String format, int from, Place place) {
    int at = from;
    StringBuilder flags = new StringBuilder();
    boolean isAggregation = false;
    int width = -1;
    int precision = -1;
    while (at < format.length() && "-+ #0'@?".indexOf(format.charAt(at)) >= 0) {
      char flag = format.charAt(at++);
      isAggregation |= flag == '@';
      width = flag == '?' ? 16 : width;
      flags.append(flag);
    }
    if (at < format.length() && format.charAt(at) == '*') {
      width = -2;
      arguments++;
      at++;
    } else {
      int begin = at;
      at = digits(format, at);
      width = at > begin ? number(format, begin, at) : width;
    }
    if (at < format.length() && format.charAt(at) == '.') {
      at++;
      if (at < format.length() && format.charAt(at) == '*') {
        precision = -2;
        arguments++;
        at++;
      } else {
        int begin = at;
        at = digits(format, at);
        precision = number(format, begin, at);
      }
    }
    if (at < format.length() && format.charAt(at) == '@') {
      isAggregation = true;
      at++;
    }
    while (at < format.length() && "hlLjzqtw".indexOf(format.charAt(at)) >= 0) {
      at++;
    }
    if (at >= format.length() || "aAcCdiouxXeEfgGkIpPsSTY".indexOf(format.charAt(at)) < 0) {
      throw new CompileError(
          "D_PRINTF_FMT_BAD", place, "the format has no conversion at character " + from);
    }
    if (!isAggregation) {
      arguments++;
    }
    if (width > MOST_WIDTH || precision > MOST_WIDTH || parts.size() > MOST_PARTS) {
      throw new CompileError(
          "D_PRINTF_FMT_BAD",
          place,
          "a format has at most %d conversions, and none is wider than %d"
              .formatted(MOST_PARTS / 2, MOST_WIDTH));
    }
    parts.add(new Part("", format.charAt(at), flags.toString(), width, precision, isAggregation));
    return at + 1;
  }

  private static int digits(String format, int from) {
    int at = from;
    while (at < format.length() && Character.isDigit(format.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int number(String format, int from, int to) {
    return to == from ? 0 : Integer.parseInt(format.substring(from, Math.min(to, from + 9)));
  }

  /** Returns how many arguments it takes, without aggregations. */
  int arguments() {
    return arguments;
  }

  /** Returns the conversions of its arguments in order; those of widths are stars. */
  String conversions() {
    StringBuilder all = new StringBuilder();
    for (Part part : parts) {
      all.append(part.width == -2 ? "*" : "").append(part.precision == -2 ? "*" : "");
      if (part.conversion != '\0' && !part.isAggregation) {
        all.append(part.conversion);
      }
    }
    return all.toString();
  }

  /** Returns true if it has a conversion of an aggregation. */
  boolean hasAggregation() {
    return parts.stream().anyMatch(Part::isAggregation);
  }

  /** Checks the types of keys; a format may have fewer of them than there are. */
  void checkKeys(List<Type> types, Place place) {
    if (types.size() < arguments) {
      throw new CompileError(
          "D_PRINTF_ARG_PROTO",
          place,
          "the format takes %d keys, and there are %d".formatted(arguments, types.size()));
    }
    checkTypes(types, place);
  }

  /** Checks the types of arguments. */
  void check(List<Type> types, Place place) {
    if (types.size() != arguments) {
      throw new CompileError(
          "D_PRINTF_ARG_PROTO",
          place,
          "the format takes %d arguments, and %d are given".formatted(arguments, types.size()));
    }
    checkTypes(types, place);
  }

  private void checkTypes(List<Type> types, Place place) {
    int next = 0;
    for (Part part : parts) {
      int stars = (part.width == -2 ? 1 : 0) + (part.precision == -2 ? 1 : 0);
      for (int i = 0; i < stars; i++) {
        number(types.get(next), next + 1, '*', place);
        next++;
      }
      if (part.conversion == '\0' || part.isAggregation) {
        continue;
      }
      Type type = types.get(next++);
      switch (part.conversion) {
        case 's', 'S' -> {
          boolean isText =
              type instanceof Type.Text
                  || type instanceof Type.Code code && !code.isStack()
                  || type instanceof Type.Array array && array.of().size() == 1;
          if (!isText) {
            throw misfit(type, next, part.conversion, place);
          }
        }
        case 'k' -> {
          if (!(type instanceof Type.Code code) || !code.isStack()) {
            throw misfit(type, next, part.conversion, place);
          }
        }
        case 'a', 'A' -> {
          if (!type.isNumber() && !(type instanceof Type.Code)) {
            throw misfit(type, next, part.conversion, place);
          }
        }
        case 'e', 'E', 'f', 'g', 'G' ->
            throw new CompileError(
                "D_PRINTF_ARG_TYPE", place, "%" + part.conversion + " has no numbers to print");
        default -> number(type, next, part.conversion, place);
      }
    }
  }

  private static void number(Type type, int argument, char conversion, Place place) {
    if (!type.isNumber()) {
      throw misfit(type, argument, conversion, place);
    }
  }

  private static CompileError misfit(Type type, int argument, char conversion, Place place) {
    return new CompileError(
        "D_PRINTF_ARG_TYPE",
        place,
        "argument %d is a %s, which %%%c does not print"
            .formatted(argument, type.text(), conversion));
  }

  /** Returns the text with arguments. */
  String text(List<Argument> values) {
    return text(values.iterator(), List.of(), List.of(), BarStyle.PLAIN);
  }

  @Override
  public String text(List<Aggregation> aggregations, List<Entry> row, BarStyle bars) {
    List<Argument> keys = new ArrayList<>();
    List<Type> types = aggregations.getFirst().keyTypes();
    for (int i = 0; i < types.size(); i++) {
      keys.add(new Argument(types.get(i), row.getFirst().keys()[i]));
    }
    return text(keys.iterator(), aggregations, row, bars);
  }

  private String text(
      Iterator<Argument> values, List<Aggregation> all, List<Entry> row, BarStyle bars) {
    StringBuilder text = new StringBuilder();
    int aggregation = 0;
    for (Part part : parts) {
      if (part.conversion == '\0') {
        text.append(part.literal);
        continue;
      }
      long width = part.width == -2 ? values.next().number() : part.width;
      long precision = part.precision == -2 ? values.next().number() : part.precision;
      boolean isLeft = part.has('-') || part.width == -2 && width < 0;
      int least = Math.clamp(Math.abs(part.width == -1 ? 0 : width), 0, MOST_WIDTH);
      String value;
      if (part.isAggregation) {
        int at = Math.min(aggregation++, all.size() - 1);
        value = aggregated(part, all.get(at), row.get(at), (int) precision, bars);
      } else {
        Argument argument = values.next();
        if (part.conversion == 'k' && argument.value() instanceof List<?> frames) {
          text.append(StackText.of(frames, part.width == -1 ? INDENT : Math.abs(width)));
          continue;
        }
        value = converted(part, argument, (int) precision);
      }
      boolean isZero =
          part.has('0') && !isLeft && precision < 0 && "diouxXp".indexOf(part.conversion) >= 0;
      text.append(padded(value, least, isLeft, isZero));
    }
    return text.toString();
  }

  private static String padded(String value, int least, boolean isLeft, boolean isZero) {
    int missing = least - value.length();
    if (missing <= 0) {
      return value;
    }
    if (isLeft) {
      return value + " ".repeat(missing);
    }
    if (!isZero) {
      return " ".repeat(missing) + value;
    }
    boolean hasPrefix = value.startsWith("0x") || value.startsWith("0X");
    boolean hasSign = !value.isEmpty() && "-+ ".indexOf(value.charAt(0)) >= 0;
    int sign = hasPrefix ? 2 : hasSign ? 1 : 0;
    return value.substring(0, sign) + "0".repeat(missing) + value.substring(sign);
  }

  private static String aggregated(
      Part part, Aggregation of, Entry entry, int precision, BarStyle bars) {
    return switch (of.function()) {
      case Aggregate.Scalar scalar ->
          converted(
              part, new Argument(Types.INT64, scalar.value(entry.state(), of.normal())), precision);
      case Buckets buckets -> Distribution.text(buckets, entry.state(), of.normal(), bars);
    };
  }

  private static String converted(Part part, Argument value, int precision) {
    return switch (part.conversion) {
      case 'd', 'i' ->
          value.type().isUnsigned()
              ? filled(Long.toUnsignedString(value.unsigned()), precision)
              : signed(Long.toString(value.number()), precision, part);
      case 'u' -> filled(Long.toUnsignedString(value.unsigned()), precision);
      case 'o' -> {
        String digits = Long.toOctalString(value.unsigned());
        boolean hasZero = part.has('#') && !digits.equals("0");
        yield filled((hasZero ? "0" : "") + digits, precision);
      }
      case 'x', 'p' ->
          (part.has('#') && value.unsigned() != 0 ? "0x" : "")
              + filled(Long.toHexString(value.unsigned()), precision);
      case 'X' ->
          (part.has('#') && value.unsigned() != 0 ? "0X" : "")
              + filled(Long.toHexString(value.unsigned()).toUpperCase(Locale.ROOT), precision);
      case 'c' -> String.valueOf((char) (value.number() & 0xFF));
      case 'C' -> escaped(String.valueOf((char) (value.number() & 0xFF)));
      case 'S' -> cut(escaped(String.valueOf(value.value())), precision);
      case 'T' -> MAIL.format(time(value));
      case 'Y' -> year(time(value));
      case 'a', 'A' ->
          value.value() instanceof Long number
              ? "0x" + Long.toHexString(number)
              : String.valueOf(value.value());
      default -> cut(String.valueOf(value.value()), precision);
    };
  }

  private static ZonedDateTime time(Argument value) {
    return Instant.ofEpochSecond(0, value.number()).atZone(ZoneOffset.UTC);
  }

  private static String year(ZonedDateTime time) {
    return "%s %2d %s"
        .formatted(
            DateTimeFormatter.ofPattern("yyyy MMM", Locale.ROOT).format(time),
            time.getDayOfMonth(),
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).format(time));
  }

  /** Returns a number with at least as many digits as the precision says. */
  private static String filled(String number, int precision) {
    return "0".repeat(Math.clamp(precision - number.length(), 0, MOST_WIDTH)) + number;
  }

  private static String signed(String number, int precision, Part part) {
    return number.startsWith("-")
        ? "-" + filled(number.substring(1), precision)
        : (part.has('+') ? "+" : part.has(' ') ? " " : "") + filled(number, precision);
  }

  /** Returns the begin of a text; a precision of 0 counts as none. */
  private static String cut(String text, int precision) {
    return precision > 0 && precision < text.length() ? text.substring(0, precision) : text;
  }

  private static String escaped(String text) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int known = "\0\007\b\f\n\r\t\013\"\\".indexOf(c);
      if (known >= 0) {
        all.append('\\').append("0abfnrtv\"\\".charAt(known));
      } else if (c < ' ' || c >= 0x7F) {
        all.append("\\%03o".formatted((int) c));
      } else {
        all.append(c);
      }
    }
    return all.toString();
  }
}
