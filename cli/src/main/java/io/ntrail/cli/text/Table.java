package io.ntrail.cli.text;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writer of lists on the screen: numbers right, names left and last. On a terminal the last column
 * is cut in the middle to the terminal's width, and names before it if they leave it no room;
 * columns that matter less are left out before. Piped or with {@code --wide} nothing is cut or left
 * out.
 */
public final class Table {
  /** Alignment of a column. */
  public enum Align {
    /** Numbers. */
    RIGHT,
    /** Names. */
    LEFT
  }

  private record Column(String title, Align align) {}

  /** Text that follows the last cell of a row. */
  private record Detail(String text, String behind) {
    static final Detail NONE = new Detail("", "");

    String on(String cell) {
      return cell + text + behind;
    }

    /** Returns as much of it as leaves the cell and the text after it whole. */
    String on(String cell, int width) {
      String whole = on(cell);
      int left = width - cell.length() - behind.length() - CUT.length();
      if (whole.length() <= width) {
        return whole;
      }
      return left > 0 ? cell + text.substring(0, left) + CUT + behind : cut(cell + behind, width);
    }
  }

  private static final String CUT = "...";

  private static final String GAP = "  ";

  /** Indentation of lines below a row. */
  public static final int BELOW = 8;

  /** Least width of the last column, or a third of the width, if the names can leave so much. */
  private static final int LEAST_LAST = 24;

  /** Width of the last column for which columns that matter less are left out. */
  private static final int ROOM = 60;

  /** Least width of names before the last column. */
  private static final int LEAST_NAME = 16;

  private final List<Column> columns = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  /** Lines below a row, by its number. */
  private final Map<Integer, List<String>> below = new HashMap<>();

  private final Map<Integer, Detail> details = new HashMap<>();

  /** Columns that are left out where there is no room, by their numbers; the first goes first. */
  private final List<Integer> optional = new ArrayList<>();

  private final BitSet leftOut = new BitSet();

  private int[] widths = {};

  /** An empty table. */
  public Table() {}

  /** Adds a column of numbers. */
  public Table number(String title) {
    columns.add(new Column(title, Align.RIGHT));
    return this;
  }

  /** Adds a column of names. */
  public Table name(String title) {
    columns.add(new Column(title, Align.LEFT));
    return this;
  }

  /** Lets a column be left out where there is no room; the first of several goes first. */
  public void optional(int column) {
    optional.add(column);
  }

  /** Adds a row; as many cells as columns. */
  public void row(String... cells) {
    row(List.of(cells));
  }

  /** Adds a row; as many cells as columns. */
  public void row(List<String> cells) {
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(cells.size() + " cells in " + columns.size() + " columns");
    }
    String[] row = new String[cells.size()];
    for (int c = 0; c < row.length; c++) {
      row[c] = TextSanitizer.one(cells.get(c));
    }
    rows.add(List.of(row));
  }

  /**
   * Adds a row; as many cells as columns.
   *
   * @param detail follows the last cell; where there is no room for all, its end is cut first
   * @param behind follows that
   */
  public void row(List<String> cells, String detail, String behind) {
    row(cells);
    details.put(rows.size() - 1, new Detail(TextSanitizer.one(detail), TextSanitizer.one(behind)));
  }

  /** Lines that stand, indented, below the row that was added last. */
  public void below(List<String> lines) {
    if (!lines.isEmpty()) {
      below.put(rows.size() - 1, lines.stream().map(TextSanitizer::one).toList());
    }
  }

  /** Rows that are not printed yet. */
  public int waiting() {
    return rows.size();
  }

  /**
   * Prints the rows, and forgets them: a long table is printed in parts. The first part has the
   * titles and decides how wide columns are at least.
   *
   * @param indent blanks before each line
   * @param width columns of the terminal; 0 to cut nothing
   */
  public void print(PrintStream out, int indent, int width) {
    boolean first = widths.length == 0;
    if (first) {
      widths = columns.stream().mapToInt(column -> column.title.length()).toArray();
    }
    for (int c = 0; c < widths.length; c++) {
      for (List<String> row : rows) {
        widths[c] = Math.max(widths[c], row.get(c).length());
      }
    }
    if (width > 0) {
      if (first) {
        leaveOut(width - indent);
      }
      narrow(width - indent);
    }
    if (first) {
      titles(indent, width).forEach(line -> title(out, line));
    }
    for (int r = 0; r < rows.size(); r++) {
      String row = line(indent, width, rows.get(r), details.getOrDefault(r, Detail.NONE));
      if (out instanceof TextPrinter printer) {
        printer.row(row);
      } else {
        out.println(row);
      }
      for (String text : below.getOrDefault(r, List.of())) {
        String line = " ".repeat(indent + BELOW) + text;
        // The printer breaks it where the terminal is narrower.
        out.println(line);
      }
    }
    rows.clear();
    details.clear();
    below.clear();
  }

  /** Returns the line of titles; the last title goes on below itself where it has no room. */
  private List<String> titles(int indent, int width) {
    List<String> titles = new ArrayList<>(columns.stream().map(Column::title).toList());
    int begin = indent;
    for (int c = 0; c < widths.length - 1; c++) {
      begin += leftOut.get(c) ? 0 : widths[c] + GAP.length();
    }
    int room = width - begin;
    String last = titles.removeLast();
    List<String> parts = width == 0 || room < LEAST_NAME ? List.of(last) : LineWrap.of(last, room);
    titles.add(parts.getFirst());
    List<String> lines = new ArrayList<>(List.of(line(indent, width, titles, Detail.NONE)));
    for (String part : parts.subList(1, parts.size())) {
      lines.add(" ".repeat(begin) + part);
    }
    return lines;
  }

  private static void title(PrintStream out, String line) {
    if (out instanceof TextPrinter printer) {
      printer.title(line);
    } else {
      out.println(line);
    }
  }

  /** Leaves out columns until the last one has room for what it shows. */
  private void leaveOut(int width) {
    int last = widths.length - 1;
    int over = Math.min(widths[last], ROOM) - width;
    for (int c = 0; c < last; c++) {
      over += widths[c] + GAP.length();
    }
    for (int column : optional) {
      if (over <= 0) {
        return;
      }
      leftOut.set(column);
      over -= widths[column] + GAP.length();
    }
  }

  /** Takes from the names before the last column what that one needs to be of any use. */
  private void narrow(int width) {
    int over = Math.max(LEAST_LAST, width / 3) - width;
    for (int c = 0; c < widths.length - 1; c++) {
      over += leftOut.get(c) ? 0 : widths[c] + GAP.length();
    }
    for (int c = 0; c < widths.length - 1; c++) {
      int less = Math.min(over, widths[c] - LEAST_NAME);
      if (columns.get(c).align == Align.LEFT && less > 0) {
        widths[c] -= less;
        over -= less;
      }
    }
  }

  private String line(int indent, int width, List<String> cells, Detail detail) {
    StringBuilder line = new StringBuilder(" ".repeat(indent));
    boolean begun = false;
    for (int c = 0; c < widths.length; c++) {
      if (leftOut.get(c)) {
        continue;
      }
      if (begun) {
        line.append(GAP);
      }
      begun = true;
      boolean last = c == widths.length - 1;
      String cell = cells.get(c);
      if (last) {
        cell = width > 0 ? detail.on(cell, Math.max(8, width - line.length())) : detail.on(cell);
      } else if (width > 0) {
        cell = cut(cell, Math.max(widths[c], 8));
      }
      int padding = Math.max(0, widths[c] - cell.length());
      if (columns.get(c).align == Align.RIGHT) {
        line.repeat(' ', padding).append(cell);
      } else {
        line.append(cell).repeat(' ', last ? 0 : padding);
      }
    }
    return line.toString().stripTrailing();
  }

  /** Cuts a text in the middle. */
  public static String cut(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int head = (width - CUT.length() + 1) / 2;
    int tail = width - CUT.length() - head;
    return text.substring(0, head) + CUT + text.substring(text.length() - tail);
  }
}
