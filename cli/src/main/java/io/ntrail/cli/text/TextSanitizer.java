package io.ntrail.cli.text;

/** Keeps text of recordings on its line: they may hold anything, also what steers terminals. */
public final class TextSanitizer {
  private TextSanitizer() {}

  /** Returns whether a text has characters that leave their line or steer a terminal. */
  public static boolean steers(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (steers(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean steers(char c) {
    return c < ' '
        || c >= '\u007F' && c <= '\u009F'
        || c == '\u2028'
        || c == '\u2029'
        || c >= '\u202A' && c <= '\u202E'
        || c >= '\u2066' && c <= '\u2069';
  }

  /**
   * Returns a text on one line: {@code \\n \\r \\t} for what these are, else a replacement
   * character.
   */
  public static String one(String text) {
    if (!steers(text)) {
      return text;
    }
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> line.append(steers(c) ? '\uFFFD' : c);
      }
    }
    return line.toString();
  }
}
