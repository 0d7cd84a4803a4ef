package io.ntrail.cli.text;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/**
 * Comma-separated values as RFC 4180 has them, but with the line end of this system's tools. Cells
 * keep their line ends and tabs, in quotes; other characters that steer terminals are replaced, as
 * in tables.
 */
public final class Csv {
  private final PrintStream out;
  private final boolean isSafe;
  private final StringBuilder line = new StringBuilder();
  private boolean begun;

  /** Writes to {@code out}, which says whether cells are kept from being formulas. */
  public Csv(PrintStream out) {
    this.out = out;
    this.isSafe = out instanceof TextPrinter printer && printer.isCsvSafe();
  }

  /** Writes a row. */
  public void row(String... cells) {
    for (String cell : cells) {
      cell(cell);
    }
    end();
  }

  /** Adds a cell to the row that is being written. */
  public void cell(String text) {
    separate();
    String cell = isSafe && begins(text) ? "'" + text : text;
    boolean plain = true;
    for (int i = 0; i < cell.length() && plain; i++) {
      char c = cell.charAt(i);
      plain = c != ',' && c != '"' && c != '\n' && c != '\r';
    }
    if (plain) {
      line.append(cell);
    } else {
      line.append('"').append(cell.replace("\"", "\"\"")).append('"');
    }
  }

  /** Returns whether a spreadsheet may take a text for a formula. */
  private static boolean begins(String text) {
    return !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0;
  }

  /** Adds a number, as a text, to the row that is being written. */
  public void number(String value) {
    separate();
    line.append(value);
  }

  /** Adds a number to the row that is being written. */
  public void cell(long value) {
    separate();
    line.append(value);
  }

  private void separate() {
    if (begun) {
      line.append(',');
    }
    begun = true;
  }

  /** Ends the row. */
  public void end() {
    out.append(line.append('\n'));
    line.setLength(0);
    begun = false;
  }

  /** Returns a cell of a text; that of an unknown value is empty. */
  public static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
