package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.events.FilterExpression.All;
import io.ntrail.analysis.etw.events.FilterExpression.Any;
import io.ntrail.analysis.etw.events.FilterExpression.Comparison;
import io.ntrail.analysis.etw.events.FilterExpression.Literal;
import io.ntrail.analysis.etw.events.FilterExpression.Node;
import io.ntrail.analysis.etw.events.FilterExpression.Not;
import io.ntrail.analysis.etw.events.FilterExpression.Operator;
import io.ntrail.analysis.naming.NamePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Reads the text of a condition; failures say at which character. */
final class FilterParser {
  private static final int MAX_DEPTH = 64;
  private static final int SHOWN = 200;

  private final String text;
  private final TreeSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private int at;

  FilterParser(String text) {
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

  /** Returns the field names so far, in order. */
  List<String> names() {
    return List.copyOf(names);
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
    if (takeWord("not") || !text.startsWith("!=", at) && !text.startsWith("!~", at) && take("!")) {
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
    return new Comparison(name, operator, Literal.of(value), pattern);
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
