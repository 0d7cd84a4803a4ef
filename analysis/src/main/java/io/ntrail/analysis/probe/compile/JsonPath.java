package io.ntrail.analysis.probe.compile;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Value in a text in JSON, by a path as {@code a.b[0].c}. */
final class JsonPath {
  private static final int MOST_DEPTH = 64;

  private final String text;
  private int at;

  private JsonPath(String text) {
    this.text = text;
  }

  /** Returns the value as a string; null if it is not there, or the text is no JSON. */
  static @Nullable String value(String text, String path) {
    List<String> steps = new ArrayList<>();
    for (String part : path.split("[.\\[]", -1)) {
      if (!part.isEmpty()) {
        steps.add(part.endsWith("]") ? part.substring(0, part.length() - 1) : part);
      }
    }
    JsonPath json = new JsonPath(text);
    for (String step : steps) {
      if (!json.enter(step)) {
        return null;
      }
    }
    json.blanks();
    int from = json.at;
    if (!json.skip(0)) {
      return null;
    }
    String found = text.substring(from, json.at);
    return found.startsWith("\"") ? unquoted(found) : found;
  }

  /** Returns what is between quotes; escapes stay, as DTrace leaves them. */
  private static String unquoted(String quoted) {
    return quoted.substring(1, Math.max(1, quoted.length() - 1));
  }

  private void blanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean take(char c) {
    blanks();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  /** Goes to a member or an element; false if there is none. */
  private boolean enter(String step) {
    if (take('{')) {
      while (!take('}')) {
        blanks();
        int from = at;
        if (!string()) {
          return false;
        }
        String name = unquoted(text.substring(from, at));
        if (!take(':')) {
          return false;
        }
        if (name.equals(step)) {
          return true;
        }
        if (!skip(0)) {
          return false;
        }
        take(',');
      }
      return false;
    }
    if (!take('[') || step.isEmpty() || !step.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return false;
    }
    for (int i = 0; !take(']'); i++) {
      if (Integer.toString(i).equals(step)) {
        return true;
      }
      if (!skip(0)) {
        return false;
      }
      take(',');
    }
    return false;
  }

  private boolean string() {
    if (at >= text.length() || text.charAt(at) != '"') {
      return false;
    }
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '\\') {
        at++;
      } else if (c == '"') {
        at++;
        return true;
      }
    }
    return false;
  }

  /** Goes behind a value; false if there is none. */
  private boolean skip(int depth) {
    blanks();
    if (at >= text.length() || depth > MOST_DEPTH) {
      return false;
    }
    char c = text.charAt(at);
    if (c == '"') {
      return string();
    }
    if (c == '{' || c == '[') {
      char end = c == '{' ? '}' : ']';
      at++;
      while (!take(end)) {
        if (c == '{') {
          blanks();
          if (!string() || !take(':')) {
            return false;
          }
        }
        if (!skip(depth + 1)) {
          return false;
        }
        take(',');
      }
      return true;
    }
    int from = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return at > from;
  }
}
