package io.ntrail.formats.decoration;

/** The characters of a decorated name, from the front. Mutable. */
final class DecoratedNameCursor {
  private final String text;
  private int at;

  DecoratedNameCursor(String text) {
    this.text = text;
  }

  /** Thrown if a name is not a decorated name, or uses an unknown encoding. */
  static final class Undecipherable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Undecipherable() {
      super(null, null, false, false);
    }
  }

  static Undecipherable wrong() {
    return new Undecipherable();
  }

  boolean isEmpty() {
    return at == text.length();
  }

  int position() {
    return at;
  }

  /** The next character; 0 at the end. */
  char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  char next() {
    if (isEmpty()) {
      throw wrong();
    }
    return text.charAt(at++);
  }

  boolean starts(String what) {
    return text.startsWith(what, at);
  }

  boolean startsWithDigit() {
    return peek() >= '0' && peek() <= '9';
  }

  boolean take(String what) {
    boolean is = starts(what);
    at += is ? what.length() : 0;
    return is;
  }

  boolean take(char what) {
    boolean is = !isEmpty() && peek() == what;
    at += is ? 1 : 0;
    return is;
  }

  void must(char what) {
    if (!take(what)) {
      throw wrong();
    }
  }

  /** Reads what comes before a character, which is skipped; not empty. */
  String until(char end) {
    int found = text.indexOf(end, at);
    if (found <= at) {
      throw wrong();
    }
    String before = text.substring(at, found);
    at = found + 1;
    return before;
  }

  /** A number with its sign. */
  long number() {
    boolean negative = take('?');
    long number = 0;
    if (startsWithDigit()) {
      number = next() - '0' + 1L;
      return negative ? -number : number;
    }
    while (true) {
      char digit = next();
      if (digit == '@') {
        return negative ? -number : number;
      }
      if (digit < 'A' || digit > 'P') {
        throw wrong();
      }
      number = number << 4 | digit - 'A';
    }
  }

  /** A number that has no sign. */
  long unsigned() {
    long number = number();
    if (number < 0) {
      throw wrong();
    }
    return number;
  }

  /** Returns true if {@code ?} number {@code ?} comes next: a scope inside a function. */
  boolean startsLocalScope() {
    if (peek() != '?') {
      return false;
    }
    int end = text.indexOf('?', at + 1);
    if (end <= at + 1) {
      return false;
    }
    String between = text.substring(at + 1, end);
    if (between.length() == 1) {
      char only = between.charAt(0);
      return only == '@' || only >= '0' && only <= '9';
    }
    if (!between.endsWith("@") || between.charAt(0) < 'B') {
      return false;
    }
    return between.substring(0, between.length() - 1).chars().allMatch(c -> c >= 'A' && c <= 'P');
  }
}
