package io.ntrail.cli.text;

/**
 * Keeps text of recordings, files, archives and paths on its line: it may hold anything, also what
 * steers terminals or reverses the order of what is shown.
 */
public final class TextSanitizer {
  private static final char REPLACEMENT = '\uFFFD';

  private TextSanitizer() {}

  /** Returns whether a text has characters that leave their line or steer a terminal. */
  public static boolean steers(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isPlain = c >= ' ' && c < '\u007F';
      if (!isPlain && steersAt(text, i)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the character at a place steers; half a character does, too. */
  static boolean steersAt(String text, int i) {
    char c = text.charAt(i);
    if (c < '\u061C') {
      return c < ' ' || c >= '\u007F' && c <= '\u009F';
    }
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
    }
    return steers(c);
  }

  /** Returns whether a character that is whole steers: controls, marks and ends of lines. */
  static boolean steers(char c) {
    return c < ' '
        || c >= '\u007F' && c <= '\u009F'
        || c == '\u061C'
        || c == '\u200E'
        || c == '\u200F'
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
    return steers(text) ? replaced(text, false) : text;
  }

  /** Returns a text whose ends of lines and tabs stay, without anything else that steers. */
  static String lines(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isPlain = c >= ' ' && c < '\u007F' || c == '\t' || isEnd(text, i);
      if (!isPlain && steersAt(text, i)) {
        return replaced(text, true);
      }
    }
    return text;
  }

  private static boolean isEnd(String text, int i) {
    char c = text.charAt(i);
    return c == '\n' || c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
  }

  private static String replaced(String text, boolean isLines) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!steersAt(text, i) || isLines && (c == '\t' || isEnd(text, i))) {
        line.append(c);
      } else {
        switch (c) {
          case '\n' -> line.append("\\n");
          case '\r' -> line.append("\\r");
          case '\t' -> line.append("\\t");
          default -> line.append(REPLACEMENT);
        }
      }
    }
    return line.toString();
  }

  /** Returns a text in ASCII, for terminals that show nothing else. */
  static String ascii(String text) {
    StringBuilder ascii = new StringBuilder();
    text.codePoints().forEach(c -> ascii.append(c < 0x80 ? (char) c : '?'));
    return ascii.toString();
  }
}
