package io.ntrail.analysis.probe.compile;

import org.jspecify.annotations.Nullable;

/**
 * Value in a text in JSON, by a path as {@code a.b[0].c}. As in DTrace, a text is read only as far
 * as its value goes, and that closely: what is behind it may be anything, what is before it may
 * not.
 */
final class JsonPath {
  private final String text;
  private int at;

  private JsonPath(String text) {
    this.text = text;
  }

  /** Returns the value as a string; null if it is not there, or the text is no JSON. */
  static @Nullable String value(String text, String path) {
    String steps = (path.startsWith("[") ? path.substring(1) : path).replace("]", "");
    JsonPath json = new JsonPath(text);
    for (String step : steps.split("[.\\[]", -1)) {
      if (!json.enter(step)) {
        return null;
      }
    }
    return json.value();
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }

  /** Returns the next character; NUL at the end. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private void blanks() {
    while (at < text.length() && " \t\r\n\f".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean take(char c) {
    blanks();
    boolean isThere = peek() == c;
    at += isThere ? 1 : 0;
    return isThere;
  }

  /** Goes to a member or an element; false if there is none. */
  private boolean enter(String step) {
    if (take('{')) {
      do {
        blanks();
        String name = string();
        if (name == null || !take(':')) {
          return false;
        }
        if (name.equals(step)) {
          return true;
        }
      } while (value() != null && take(','));
      return false;
    }
    if (!take('[')) {
      return false;
    }
    // A step that is no number is 0.
    long wanted = Texts.parse(step, 10);
    for (long i = 0; i != wanted; i++) {
      if (value() == null || !take(',')) {
        return false;
      }
    }
    return true;
  }

  /** Takes a value; null if it is none. */
  private @Nullable String value() {
    blanks();
    char c = peek();
    if (c == '"') {
      return string();
    }
    if (c == '{' || c == '[') {
      return whole();
    }
    return isLower(c) ? word() : c == '-' || isDigit(c) ? number() : null;
  }

  /** Takes a string; returns what is between its quotes, where escapes stay. */
  private @Nullable String string() {
    if (peek() != '"') {
      return null;
    }
    int from = ++at;
    while (at < text.length() && peek() != '"') {
      if (peek() != '\\') {
        at++;
        continue;
      }
      boolean isCode = text.startsWith("u", at + 1);
      at += 2;
      for (int i = 0; isCode && i < 4; i++, at++) {
        if (Character.digit(peek(), 16) < 0) {
          return null;
        }
      }
    }
    return at < text.length() ? text.substring(from, at++) : null;
  }

  /** Takes an object or an array; its brackets have to be as many as end it, not to fit. */
  private @Nullable String whole() {
    int from = at;
    int braces = 0;
    int brackets = 0;
    do {
      switch (peek()) {
        case '\0' -> {
          return null;
        }
        case '"' -> {
          if (string() == null) {
            return null;
          }
          continue;
        }
        case '{' -> braces++;
        case '}' -> braces--;
        case '[' -> brackets++;
        case ']' -> brackets--;
        default -> {}
      }
      at++;
    } while (braces >= 0 && brackets >= 0 && braces + brackets > 0);
    return braces < 0 || brackets < 0 ? null : text.substring(from, at);
  }

  /** Takes true, false or null, which do not end the text. */
  private @Nullable String word() {
    int from = at;
    while (isLower(peek())) {
      at++;
    }
    String word = text.substring(from, at);
    boolean isKnown = word.equals("true") || word.equals("false") || word.equals("null");
    return isKnown && at < text.length() ? word : null;
  }

  /** Takes a number, which does not end the text; what is behind it may be anything but a base. */
  private @Nullable String number() {
    int from = at++;
    digits("");
    if (peek() == '.') {
      at++;
      digits("");
    } else if (peek() == 'x' || peek() == 'X') {
      return null;
    }
    if (peek() == 'e' || peek() == 'E') {
      at++;
      digits("+-");
    } else if (peek() == '+' || peek() == '-') {
      return null;
    }
    return at < text.length() ? text.substring(from, at) : null;
  }

  private void digits(String others) {
    while (at < text.length() && (isDigit(peek()) || others.indexOf(peek()) >= 0)) {
      at++;
    }
  }
}
