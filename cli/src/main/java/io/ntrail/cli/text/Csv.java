package io.ntrail.cli.text;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** Comma-separated values as RFC 4180 has them, but with the line end of this system's tools. */
public final class Csv {
  private final PrintStream out;

  /** Writes to {@code out}. */
  public Csv(PrintStream out) {
    this.out = out;
  }

  /** Writes a row. */
  public void row(String... cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      if (i > 0) {
        line.append(',');
      }
      cell(line, cells[i]);
    }
    out.append(line.append('\n'));
  }

  /** An unknown value is an empty cell. */
  public static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static void cell(StringBuilder line, String cell) {
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
}
