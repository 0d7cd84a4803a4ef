package io.ntrail.cli.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Colours of the lines of text: headings, losses, warnings, the lines of trees. They are added to
 * lines that have their final width, and mean nothing that the words do not say.
 */
final class LineColors {
  private static final String PLAIN = TextPrinter.ESCAPE + "0m";
  private static final String BOLD = TextPrinter.ESCAPE + "1m";
  private static final String FAINT = TextPrinter.ESCAPE + "2m";
  private static final String RED = TextPrinter.ESCAPE + "1;31m";
  private static final String YELLOW = TextPrinter.ESCAPE + "1;33m";
  private static final String CYAN = TextPrinter.ESCAPE + "36m";

  /** Losses in the words of a first line. */
  private static final Pattern LOSS =
      Pattern.compile(
          "stopped at \\d+ %|never finalised|[\\d,]+ places? could not be read"
              + "|[\\d,]+ files? never finalised|[\\d,]+ modules? not traced for some time"
              + "|(?<![\\d,])(?:[1-9][\\d,]* (?:event|record)s?(?: and [\\d,]+ buffers?)?"
              + "|0 (?:event|record)s? and [1-9][\\d,]* buffers?) lost");

  private static final char NO_BREAK = '\u00A0';

  private static final Pattern TREE = Pattern.compile("[├└│][├└│─ ]*");

  private static final Pattern MESSAGE = Pattern.compile("^(ntrail|warning|try|hint|readable): ");

  private final boolean isAnswer;
  private boolean isFirst = true;
  private boolean isHeading;

  private LineColors(boolean isAnswer) {
    this.isAnswer = isAnswer;
  }

  /** Returns the colours of answers, whose first line is a heading. */
  static LineColors ofAnswers() {
    return new LineColors(true);
  }

  /** Returns the colours of messages. */
  static LineColors ofMessages() {
    return new LineColors(false);
  }

  /** Returns a line whose words about losses hold together when it is broken. */
  static String joined(String line) {
    return LOSS.matcher(line).replaceAll(found -> found.group().replace(' ', NO_BREAK));
  }

  /** Returns a part of a line that was {@link #joined} with its blanks. */
  static String parted(String part) {
    return part.replace(NO_BREAK, ' ');
  }

  /** Returns the line of titles above a table. */
  String title(String line) {
    isFirst = false;
    return BOLD + line + PLAIN;
  }

  /** Returns a line as it is shown. */
  String of(String line) {
    if (!isAnswer) {
      return message(line);
    }
    isHeading = isFirst && !line.isEmpty();
    if (isHeading) {
      isFirst = false;
      return heading(line);
    }
    return painted(line, TREE, FAINT, PLAIN);
  }

  /** Returns what follows on another line, as the first part did not hold all. */
  String further(String part) {
    return isAnswer && isHeading ? heading(part) : part;
  }

  private static String heading(String line) {
    return BOLD + painted(line, LOSS, PLAIN + RED, PLAIN + BOLD) + PLAIN;
  }

  private static String message(String line) {
    Matcher start = MESSAGE.matcher(line);
    if (!start.find()) {
      return line;
    }
    String color =
        switch (start.group(1)) {
          case "ntrail" -> RED;
          case "warning" -> YELLOW;
          default -> CYAN;
        };
    int end = start.end() - 1;
    return color + line.substring(0, end) + PLAIN + line.substring(end);
  }

  private static String painted(String line, Pattern pattern, String before, String after) {
    return pattern.matcher(line).replaceAll(found -> before + found.group() + after);
  }
}
