package io.ntrail.testkit.pe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON of known origin into maps, lists, texts, {@link Double}s, {@link Boolean}s and {@link
 * #NULL}; what is not JSON throws {@link IllegalArgumentException}.
 */
final class JsonText {
  /** Stand-in for {@code null}. */
  static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  /** The one value of a text. */
  static Object parse(String text) {
    JsonText json = new JsonText(text);
    Object value = json.value();
    if (json.peek() != 0) {
      throw json.bad();
    }
    return value;
  }

  private IllegalArgumentException bad() {
    return new IllegalArgumentException("not JSON at " + at);
  }

  /** The next character that is not a space, or 0 at the end. */
  private char peek() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean take(char wanted) {
    if (peek() != wanted) {
      return false;
    }
    at++;
    return true;
  }

  private void need(char wanted) {
    if (!take(wanted)) {
      throw bad();
    }
  }

  private Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", NULL);
      default -> number();
    };
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw bad();
    }
    at += word.length();
    return value;
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    need('{');
    if (take('}')) {
      return object;
    }
    do {
      peek();
      String key = string();
      need(':');
      if (object.put(key, value()) != null) {
        throw new IllegalArgumentException("twice in one object: " + key);
      }
    } while (take(','));
    need('}');
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    need('[');
    if (take(']')) {
      return array;
    }
    do {
      array.add(value());
    } while (take(','));
    need(']');
    return array;
  }

  private String string() {
    need('"');
    StringBuilder string = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return string.toString();
      }
      if (c != '\\') {
        string.append(c);
        continue;
      }
      char escape = text.charAt(at++);
      switch (escape) {
        case 'n' -> string.append('\n');
        case 't' -> string.append('\t');
        case 'r' -> string.append('\r');
        case 'b' -> string.append('\b');
        case 'f' -> string.append('\f');
        case 'u' -> {
          string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        default -> string.append(escape);
      }
    }
    throw bad();
  }

  private Object number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw bad();
    }
    return Double.valueOf(text.substring(start, at));
  }
}
