package io.ntrail.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Breaks lines of text at words where a terminal is narrower. What follows stands below the text of
 * the line: behind its first gap of two blanks, as after the word that names it, else a little
 * further in. Words that are longer than the terminal stay whole.
 */
final class LineWrap {
  /** Columns that the text of a line needs behind its name, in per cent of the terminal. */
  private static final int ROOM = 34;

  private static final int FURTHER = 4;

  private LineWrap() {}

  /**
   * Breaks a line.
   *
   * @param width columns of the terminal; 0 to break nothing
   */
  static List<String> of(String line, int width) {
    // Commands that are proposed stay on one line, to be pasted.
    if (width <= 0
        || line.length() <= width
        || line.startsWith("try: ")
        || line.startsWith("hint: ")) {
      return List.of(line);
    }
    String hang = " ".repeat(hang(line, width));
    List<String> lines = new ArrayList<>();
    String rest = line;
    while (rest.length() > width) {
      int end = rest.lastIndexOf(' ', width);
      if (end < 0 || rest.substring(0, end).isBlank()) {
        end = rest.indexOf(' ', width);
      }
      if (end < 0) {
        break;
      }
      lines.add(rest.substring(0, end).stripTrailing());
      rest = hang + rest.substring(end).stripLeading();
    }
    if (!rest.isBlank()) {
      lines.add(rest);
    }
    return lines;
  }

  private static int hang(String line, int width) {
    int indent = 0;
    while (indent < line.length() && line.charAt(indent) == ' ') {
      indent++;
    }
    int gap = line.indexOf("  ", indent);
    int text = gap;
    while (text >= 0 && text < line.length() && line.charAt(text) == ' ') {
      text++;
    }
    boolean hasRoom = gap >= 0 && 100 * (width - text) >= ROOM * width;
    int further = Math.min(indent + FURTHER, width / 2);
    return hasRoom ? text : further;
  }
}
