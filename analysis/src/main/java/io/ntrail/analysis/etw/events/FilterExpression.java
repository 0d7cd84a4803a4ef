package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.naming.NamePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the fields of an event: {@code size > 65536 and path =~ '*.db'}.
 *
 * <p>Comparisons are {@code == != < <= > >=} and {@code =~ !~} (glob or {@code /expression/}); they
 * are put together with {@code and or not} (or {@code && || !}) and parentheses. Numbers may be
 * decimal or {@code 0x} hexadecimal, with a unit ({@code KiB MiB GiB} for sizes); texts are in
 * quotes where they have blanks. A name is that of a field, in any case; {@code a.b} is a member of
 * a structure; {@code pid tid cpu time process provider event id level opcode version dataLength}
 * mean the event itself unless it has such a field. Numbers compare with {@code <} as numbers,
 * texts as texts; {@code ==} also takes the text of a value ({@code ExitStatus == STATUS_SUCCESS}).
 * What an event does not have, meets no condition.
 *
 * <p>Immutable.
 */
public final class FilterExpression {
  /** Values of the fields of one event. */
  public interface Values {
    /** The value of a name; null if the event has none. */
    @Nullable Value value(String name);
  }

  /**
   * A value to compare with.
   *
   * @param text as text
   * @param meaning the text of the value where it has one beside the number, such as a status name
   * @param number whether it is a number
   * @param bits the number
   * @param unsigned whether it has no sign
   * @param real the number with its fraction
   */
  public record Value(
      String text,
      @Nullable String meaning,
      boolean number,
      long bits,
      boolean unsigned,
      double real) {}

  private sealed interface Node {
    boolean holds(Values values);
  }

  private record Not(Node of) implements Node {
    @Override
    public boolean holds(Values values) {
      return !of.holds(values);
    }
  }

  private record All(List<Node> of) implements Node {
    @Override
    public boolean holds(Values values) {
      for (Node node : of) {
        if (!node.holds(values)) {
          return false;
        }
      }
      return true;
    }
  }

  private record Any(List<Node> of) implements Node {
    @Override
    public boolean holds(Values values) {
      for (Node node : of) {
        if (node.holds(values)) {
          return true;
        }
      }
      return false;
    }
  }

  private enum Operator {
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    MATCHES,
    MATCHES_NOT
  }

  /** A literal, understood once in every way that it can be. */
  private record Literal(
      String text, boolean integer, boolean negative, long bits, boolean real, double value) {}

  private record Comparison(String name, Operator operator, Literal literal, NamePattern pattern)
      implements Node {
    @Override
    public boolean holds(Values values) {
      Value value = values.value(name);
      if (value == null) {
        return false;
      }
      return switch (operator) {
        case MATCHES -> matches(value);
        case MATCHES_NOT -> !matches(value);
        case EQUAL -> equal(value);
        case NOT_EQUAL -> !equal(value);
        case LESS -> comparable(value) && order(value) < 0;
        case LESS_OR_EQUAL -> comparable(value) && order(value) <= 0;
        case GREATER -> comparable(value) && order(value) > 0;
        case GREATER_OR_EQUAL -> comparable(value) && order(value) >= 0;
      };
    }

    private boolean matches(Value value) {
      return pattern.matches(value.text) || pattern.matches(value.meaning);
    }

    private boolean equal(Value value) {
      if (value.number && (literal.integer || literal.real)) {
        return order(value) == 0;
      }
      return literal.text.equalsIgnoreCase(value.text)
          || literal.text.equalsIgnoreCase(value.meaning);
    }

    private boolean comparable(Value value) {
      // What is not a number (NaN) is neither less nor greater than one.
      return !value.number || (literal.integer || literal.real) && !Double.isNaN(value.real);
    }

    private int order(Value value) {
      if (!value.number) {
        return value.text.compareToIgnoreCase(literal.text);
      }
      if (literal.integer && value.real == (double) value.bits
          || literal.integer && value.unsigned) {
        return whole(value);
      }
      return value.real < literal.value ? -1 : value.real == literal.value ? 0 : 1;
    }

    private int whole(Value value) {
      boolean valueNegative = !value.unsigned && value.bits < 0;
      if (valueNegative != literal.negative) {
        return valueNegative ? -1 : 1;
      }
      return valueNegative
          ? Long.compare(value.bits, literal.bits)
          : Long.compareUnsigned(value.bits, literal.bits);
    }
  }

  private final String text;
  private final Node root;
  private final List<String> names;

  private FilterExpression(String text, Node root, List<String> names) {
    this.text = text;
    this.root = root;
    this.names = List.copyOf(names);
  }

  /**
   * Reads a condition.
   *
   * @throws IllegalArgumentException if it is none; the message says where
   */
  public static FilterExpression parse(String text) {
    Parser parser = new Parser(text);
    Node root = parser.any(0);
    parser.end();
    return new FilterExpression(text, root, List.copyOf(parser.names));
  }

  /** Returns true if an event meets the condition. */
  public boolean holds(Values values) {
    return root.holds(values);
  }

  /** Returns the field names in the condition. */
  public List<String> names() {
    return names;
  }

  @Override
  public String toString() {
    return text;
  }

  private static final class Parser {
    private static final int MAX_DEPTH = 64;
    private static final int SHOWN = 200;

    private final String text;
    private final TreeSet<String> names = new TreeSet<>();
    private int at;

    Parser(String text) {
      this.text = text;
    }

    IllegalArgumentException wrong(String what) {
      return new IllegalArgumentException(
          "--where: " + what + " at character " + (at + 1) + " of: " + around());
    }

    /** The condition; of a long one what stands around the place. */
    private String around() {
      int from = Math.max(0, at - SHOWN);
      int to = Math.min(text.length(), at + SHOWN);
      return (from > 0 ? "..." : "") + text.substring(from, to) + (to < text.length() ? "..." : "");
    }

    void end() {
      blanks();
      if (at < text.length()) {
        throw wrong("unexpected text after the condition");
      }
    }

    private void blanks() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }

    private boolean take(String symbol) {
      blanks();
      if (text.startsWith(symbol, at)) {
        at += symbol.length();
        return true;
      }
      return false;
    }

    private boolean takeWord(String word) {
      blanks();
      int end = at + word.length();
      if (text.regionMatches(true, at, word, 0, word.length())
          && (end == text.length() || !isName(text.charAt(end)))) {
        at = end;
        return true;
      }
      return false;
    }

    private static boolean isName(char c) {
      return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '-' || c == '#';
    }

    Node any(int depth) {
      if (depth > MAX_DEPTH) {
        throw wrong("too many parentheses");
      }
      List<Node> nodes = new ArrayList<>();
      do {
        nodes.add(all(depth));
      } while (take("||") || takeWord("or"));
      return nodes.size() == 1 ? nodes.getFirst() : new Any(List.copyOf(nodes));
    }

    private Node all(int depth) {
      List<Node> nodes = new ArrayList<>();
      do {
        nodes.add(one(depth));
      } while (take("&&") || takeWord("and"));
      return nodes.size() == 1 ? nodes.getFirst() : new All(List.copyOf(nodes));
    }

    private Node one(int depth) {
      if (takeWord("not")
          || !text.startsWith("!=", at) && !text.startsWith("!~", at) && take("!")) {
        if (depth > MAX_DEPTH) {
          throw wrong("too many negations");
        }
        return new Not(one(depth + 1));
      }
      if (take("(")) {
        Node node = any(depth + 1);
        if (!take(")")) {
          throw wrong("a ) is missing");
        }
        return node;
      }
      return comparison();
    }

    private Node comparison() {
      String name = word("the name of a field");
      names.add(name);
      Operator operator = operator();
      String value = word("a value");
      NamePattern pattern;
      try {
        pattern = NamePattern.of(value);
      } catch (IllegalArgumentException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
      return new Comparison(name, operator, literal(value), pattern);
    }

    private Operator operator() {
      String[] symbols = {"==", "!=", "<=", ">=", "=~", "!~", "<", ">", "="};
      Operator[] operators = {
        Operator.EQUAL,
        Operator.NOT_EQUAL,
        Operator.LESS_OR_EQUAL,
        Operator.GREATER_OR_EQUAL,
        Operator.MATCHES,
        Operator.MATCHES_NOT,
        Operator.LESS,
        Operator.GREATER,
        Operator.EQUAL
      };
      for (int i = 0; i < symbols.length; i++) {
        if (take(symbols[i])) {
          return operators[i];
        }
      }
      throw wrong("a comparison (== != < <= > >= =~ !~) is missing");
    }

    private String word(String what) {
      blanks();
      if (at == text.length()) {
        throw wrong(what + " is missing");
      }
      char quote = text.charAt(at);
      if (quote == '\'' || quote == '"') {
        int end = text.indexOf(quote, at + 1);
        if (end < 0) {
          throw wrong("the closing " + quote + " is missing");
        }
        String quoted = text.substring(at + 1, end);
        at = end + 1;
        return quoted;
      }
      if (quote == '/') {
        int end = text.indexOf('/', at + 1);
        if (end < 0) {
          throw wrong("the closing / is missing");
        }
        String expression = text.substring(at, end + 1);
        at = end + 1;
        return expression;
      }
      int from = at;
      while (at < text.length() && isBare(text.charAt(at))) {
        at++;
      }
      if (from == at) {
        throw wrong(what + " is missing");
      }
      return text.substring(from, at);
    }

    private static boolean isBare(char c) {
      return !Character.isWhitespace(c) && "()=!<>&|~'\"".indexOf(c) < 0;
    }
  }

  private static Literal literal(String text) {
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
        return new Literal(
            text,
            true,
            negative && bits != 0,
            negative ? -bits : bits,
            true,
            negative ? -value : value);
      }
    } catch (NumberFormatException e) {
      // Perhaps a fraction.
    }
    try {
      char first = digits.isEmpty() ? 'x' : digits.charAt(0);
      if (Character.isDigit(first) || first == '-' || first == '.') {
        double value = Double.parseDouble(digits) * unit;
        return new Literal(text, false, value < 0, 0, true, value);
      }
    } catch (NumberFormatException e) {
      // A text.
    }
    return new Literal(text, false, false, 0, false, 0);
  }
}
