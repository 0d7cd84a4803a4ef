package io.ntrail.analysis.probe.syntax;

import io.ntrail.analysis.probe.syntax.Token.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/** Cuts the text of a program into tokens, and into probe descriptions between clauses. */
final class Lexer {
  private static final String[] OPERATORS = {
    "<<=", ">>=", "...", "&&", "||", "^^", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "->",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "!",
    "~", "<", ">", "=", "?", ":", ",", ";", "(", ")", "[", "]", "{", "}", ".", "@"
  };

  private final String text;
  private final Macros macros;
  private final int[] lines;
  private int at;
  private boolean hasDefaults;

  Lexer(String text, Macros macros) {
    this.text = text;
    this.macros = macros;
    this.lines =
        IntStream.concat(
                IntStream.of(0),
                IntStream.range(0, text.length())
                    .filter(i -> text.charAt(i) == '\n')
                    .map(i -> i + 1))
            .toArray();
    if (text.startsWith("#!")) {
      skipLine();
    }
  }

  /** Takes macros without a value as nothing from now on. */
  void useDefaults() {
    hasDefaults = true;
  }

  int at() {
    return at;
  }

  void reset(int to) {
    at = to;
  }

  String text(int from, int to) {
    return text.substring(from, to);
  }

  Place place(int from, int to) {
    int found = Arrays.binarySearch(lines, from);
    int line = found < 0 ? -found - 2 : found;
    return new Place(line + 1, from - lines[line] + 1, to - from);
  }

  private CompileError error(String tag, int from, String message) {
    return new CompileError(
        tag, place(from, Math.min(text.length(), Math.max(at, from + 1))), message);
  }

  private char peek(int ahead) {
    return at + ahead < text.length() ? text.charAt(at + ahead) : '\0';
  }

  boolean isAtEnd() {
    skip();
    return at >= text.length();
  }

  /** Returns the next character that is no blank and no comment; NUL at the end. */
  char next() {
    skip();
    return peek(0);
  }

  private void skipLine() {
    while (at < text.length() && text.charAt(at) != '\n') {
      at++;
    }
  }

  private void skip() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (text.startsWith("//", at)) {
        skipLine();
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw error("D_SYNTAX", at, "a comment has no end");
        }
        at = end + 2;
      } else {
        return;
      }
    }
  }

  /** Returns the rest of a line that begins with a number sign; empty if none comes. */
  Optional<String> directive() {
    if (next() != '#') {
      return Optional.empty();
    }
    int from = at;
    skipLine();
    return Optional.of(text.substring(from + 1, at).strip());
  }

  /** Returns true if what comes is the end of a predicate. */
  boolean isPredicateEnd() {
    int before = at;
    try {
      if (next() != '/') {
        return false;
      }
      at++;
      char c = next();
      return c == '{' || c == ';' || c == '/' || c == '\0';
    } finally {
      at = before;
    }
  }

  /** Takes the text of a probe description, macros filled in. */
  String description() {
    skip();
    int from = at;
    StringBuilder description = new StringBuilder();
    int brackets = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean isEnd = c == '{' || c == ';' || c == ',' || c == '/' || Character.isWhitespace(c);
      if (isEnd && brackets == 0) {
        break;
      }
      if (c == '\\' && at + 1 < text.length()) {
        description.append(c).append(peek(1));
        at += 2;
      } else if (c == '$') {
        description.append(macro(from).orElse(""));
      } else {
        brackets += c == '[' ? 1 : c == ']' && brackets > 0 ? -1 : 0;
        description.append(c);
        at++;
      }
    }
    if (description.isEmpty()) {
      throw error("D_SYNTAX", from, "a probe description is missing");
    }
    return description.toString();
  }

  /** Takes the name of a macro; returns its value, empty if it has none and need not have one. */
  private Optional<String> macro(int from) {
    at++;
    boolean isString = peek(0) == '$';
    at += isString ? 1 : 0;
    String name = word();
    Optional<String> value = name.isEmpty() ? Optional.empty() : macros.text(name);
    if (name.isEmpty() || value.isEmpty() && !hasDefaults) {
      throw error(
          "D_MACRO_UNDEF", from, "the macro $%s has no value: give it an argument".formatted(name));
    }
    return value;
  }

  private String word() {
    int from = at;
    while (isWord(peek(0)) || peek(0) == '`') {
      at++;
    }
    return text.substring(from, at);
  }

  private static boolean isWord(char c) {
    return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Takes the next token. */
  Token token() {
    skip();
    int from = at;
    if (at >= text.length()) {
      return new Token(Kind.END, "", 0, 0, false, place(from, from));
    }
    char c = text.charAt(at);
    if (isDigit(c)) {
      return number(from, word());
    }
    if (isWord(c) || c == '`') {
      return new Token(Kind.NAME, word(), 0, 0, false, place(from, at));
    }
    return switch (c) {
      case '@' -> {
        at++;
        String name = isDigit(peek(0)) ? "" : word();
        yield new Token(Kind.AGGREGATION, name, 0, 0, false, place(from, at));
      }
      case '$' -> macroToken(from);
      case '"' -> new Token(Kind.STRING, quoted('"'), 0, 0, false, place(from, at));
      case '\'' -> character(from);
      default -> operator(from);
    };
  }

  private Token operator(int from) {
    String found =
        Arrays.stream(OPERATORS)
            .filter(one -> text.startsWith(one, from))
            .findFirst()
            .orElseThrow(() ->
                error("D_SYNTAX", from, "\"%c\" has no meaning here".formatted(text.charAt(from))));
    at += found.length();
    return new Token(Kind.OPERATOR, found, 0, 0, false, place(from, at));
  }

  private Token macroToken(int from) {
    boolean isString = text.startsWith("$$", at);
    Optional<String> given = macro(from);
    Place place = place(from, at);
    if (isString) {
      return new Token(Kind.STRING, unescaped(given.orElse("")), 0, 0, false, place);
    }
    if (given.isEmpty()) {
      return new Token(Kind.NUMBER, "0", 0, 4, true, place);
    }
    String value = given.get();
    boolean isNegative = value.startsWith("-");
    String bare = isNegative || value.startsWith("+") ? value.substring(1) : value;
    if (isDigit(bare.isEmpty() ? ' ' : bare.charAt(0))
        && bare.chars().allMatch(c -> isWord((char) c))) {
      Token number = number(from, bare);
      return isNegative
          ? new Token(Kind.NUMBER, value, -number.value(), number.size(), true, place)
          : number;
    }
    if (!value.isEmpty() && value.chars().allMatch(c -> isWord((char) c) || c == '`')) {
      return new Token(Kind.NAME, value, 0, 0, false, place);
    }
    boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
    String text = isQuoted ? value.substring(1, value.length() - 1) : value;
    return new Token(Kind.STRING, unescaped(text), 0, 0, false, place);
  }

  private Token number(int from, String word) {
    if (peek(0) == '.' && isDigit(peek(1))) {
      throw error("D_SYNTAX", from, "there are no floating-point constants");
    }
    int digits = word.length();
    while (digits > 0 && "uUlL".indexOf(word.charAt(digits - 1)) >= 0) {
      digits--;
    }
    String suffix = word.substring(digits).toLowerCase(Locale.ROOT);
    String unit = digits == word.length() ? unit(word) : "";
    String bare = word.substring(0, digits - unit.length());
    boolean isDecimal = !bare.startsWith("0") || bare.length() == 1;
    long value;
    try {
      value =
          bare.startsWith("0x") || bare.startsWith("0X")
              ? Long.parseUnsignedLong(bare.substring(2), 16)
              : isDecimal ? Long.parseUnsignedLong(bare) : Long.parseUnsignedLong(bare, 8);
      value = unit.isEmpty() ? value : Math.multiplyExact(value, nanos(unit));
    } catch (NumberFormatException | ArithmeticException e) {
      throw error("D_INT_OFLOW", from, "%s is no number that fits into 64 bits".formatted(word));
    }
    boolean isUnsigned = suffix.indexOf('u') >= 0;
    boolean isLong = suffix.contains("ll") || value >>> 32 != 0 || !unit.isEmpty();
    if (!isLong && !isUnsigned && value > Integer.MAX_VALUE) {
      // Written in hexadecimal or octal, it may be unsigned.
      isLong = isDecimal;
      isUnsigned = !isDecimal;
    }
    if (isLong && value < 0) {
      isUnsigned = true;
    }
    return new Token(Kind.NUMBER, word, value, isLong ? 8 : 4, !isUnsigned, place(from, at));
  }

  private static String unit(String word) {
    if (word.startsWith("0x") || word.startsWith("0X")) {
      return "";
    }
    int from = word.length();
    while (from > 0 && !isDigit(word.charAt(from - 1))) {
      from--;
    }
    String unit = word.substring(from);
    return nanos(unit) > 0 ? unit : "";
  }

  /** Returns the nanoseconds of a unit; 0 if it is none. */
  private static long nanos(String unit) {
    return switch (unit) {
      case "ns", "nsec" -> 1;
      case "us", "usec" -> 1_000;
      case "ms", "msec" -> 1_000_000;
      case "s", "sec" -> 1_000_000_000;
      case "m", "min" -> 60_000_000_000L;
      case "h", "hour" -> 3_600_000_000_000L;
      case "d", "day" -> 86_400_000_000_000L;
      default -> 0;
    };
  }

  private Token character(int from) {
    String all = quoted('\'');
    if (all.isEmpty()) {
      throw error("D_SYNTAX", from, "a character constant is empty");
    }
    if (all.length() > 8) {
      throw error("D_CHR_OFLOW", from, "a character constant has more than 8 characters");
    }
    long value = 0;
    for (int i = 0; i < all.length(); i++) {
      value = value << 8 | all.charAt(i);
    }
    return new Token(Kind.NUMBER, all, value, all.length() > 4 ? 8 : 4, true, place(from, at));
  }

  /** Returns the bytes of a text in UTF-8, a character for each. */
  static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private String quoted(char end) {
    int from = at++;
    while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != end) {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    if (peek(0) != end) {
      throw error(
          "D_SYNTAX", from, "a %s has no end".formatted(end == '"' ? "string" : "character"));
    }
    at++;
    return unescaped(text.substring(from + 1, at - 1));
  }

  /**
   * Returns the bytes of a text, a character for each, with what its escape sequences stand for.
   */
  private static String unescaped(String text) {
    StringBuilder all = new StringBuilder();
    StringBuilder plain = new StringBuilder();
    for (int at = 0; at < text.length(); at++) {
      if (text.charAt(at) != '\\') {
        plain.append(text.charAt(at));
        continue;
      }
      all.append(bytes(plain.toString()));
      plain.setLength(0);
      int size = escape(text, at + 1, all);
      if (size == 0 && at + 1 < text.length()) {
        // Its backslash is a character then.
        plain.append('\\').append(text.charAt(at + 1));
        size = 1;
      }
      at += size;
    }
    return all.append(bytes(plain.toString())).toString();
  }

  /**
   * Appends what an escape sequence stands for.
   *
   * @param at what is behind its backslash
   * @return how many characters that takes; 0 if it is no escape sequence
   */
  private static int escape(String text, int at, StringBuilder to) {
    int known = at < text.length() ? "abfnrtv\"\\".indexOf(text.charAt(at)) : -1;
    if (known >= 0) {
      to.append("\007\b\f\n\r\t\013\"\\".charAt(known));
      return 1;
    }
    boolean isHex = text.startsWith("x", at);
    int begin = isHex ? at + 1 : at;
    int most = isHex ? text.length() : Math.min(text.length(), at + 3);
    int end = begin;
    int value = 0;
    while (end < most && (isHex ? HexFormat.isHexDigit(text.charAt(end)) : isOctal(text, end))) {
      value = value * (isHex ? 16 : 8) + HexFormat.fromHexDigit(text.charAt(end++)) & 0xFF;
    }
    if (end == begin) {
      return 0;
    }
    to.append((char) value);
    return end - at;
  }

  private static boolean isOctal(String text, int at) {
    return text.charAt(at) >= '0' && text.charAt(at) <= '7';
  }
}
