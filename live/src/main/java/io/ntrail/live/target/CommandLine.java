package io.ntrail.live.target;

import java.util.List;

/** Command lines as Windows programs parse them. */
public final class CommandLine {
  private CommandLine() {}

  /**
   * Joins words, quoted so that the C runtime finds the same words again.
   *
   * <p>Source: "Parsing C command-line arguments" of Microsoft's documentation.
   */
  public static String of(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      if (!line.isEmpty()) {
        line.append(' ');
      }
      append(line, word);
    }
    return line.toString();
  }

  /** Returns the first word of a command line: the program, as CreateProcess finds it. */
  static String program(String line) {
    boolean isQuoted = line.startsWith("\"");
    int end = isQuoted ? line.indexOf('"', 1) : line.indexOf(' ');
    return line.substring(isQuoted ? 1 : 0, end < 0 ? line.length() : end);
  }

  private static void append(StringBuilder line, String word) {
    boolean plain = !word.isEmpty() && word.chars().noneMatch(c -> c <= ' ' || c == '"');
    if (plain) {
      line.append(word);
      return;
    }
    line.append('"');
    int backslashes = 0;
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (c == '"') {
        // Backslashes count only in front of a quotation mark.
        line.repeat('\\', backslashes + 1);
      }
      backslashes = c == '\\' ? backslashes + 1 : 0;
      line.append(c);
    }
    line.repeat('\\', backslashes).append('"');
  }
}
