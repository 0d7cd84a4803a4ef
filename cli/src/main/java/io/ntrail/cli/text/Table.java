package io.ntrail.cli.text;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writer of lists on the screen: numbers right, names left and last. On a terminal columns that
 * matter less are left out first. Then a name in the last column is cut in the middle to the
 * terminal's width, and names before it if they leave it no room; fields are left out from the end
 * on, and remarks go on below themselves, whole. Piped or with {@code --wide} nothing is cut or
 * left out.
 */
public final class Table {
  /** Alignment of a column. */
  public enum Align {
    /** Numbers. */
    RIGHT,
    /** Names. */
    LEFT
  }

  /** Ways to show a cell of the last column that has no room. */
  private enum Overflow {
    /** Names are cut in the middle. */
    CUT,
    /** Of several fields the last ones are left out. */
    SHORTEN,
    /** Words go on below. */
    BREAK
  }

  private record Column(String title, Align align) {}

  /** Text that follows the last cell of a row. */
  private record Detail(String text, String behind) {
    static final Detail NONE = new Detail("", "");

    String on(String cell) {
      return cell + text + behind;
    }

    /** Returns whether what comes behind stands in a line of its own. */
    boolean isBelow(String cell, int width) {
      return !behind.isEmpty() && cell.length() + behind.length() > width;
    }

    /** Returns as much of it as leaves the cell and the text after it whole. */
    String on(String cell, int width) {
      String after = isBelow(cell, width) ? "" : behind;
      if (cell.length() + text.length() + after.length() <= width) {
        return cell + text + after;
      }
      int left = width - cell.length() - after.length() - CUT.length();
      return left > 0 ? cell + text.substring(0, left) + CUT + after : cut(cell + after, width);
    }
  }

  private static final String CUT = "...";

  /** Marks cells of which the end is left out. */
  private static final String MORE = " " + CUT;

  /** Indentation of a remark below a name. */
  private static final int REMARK = 4;

  /** Parts of a line of a tree, and those that go on below them. */
  private static final String BRANCHES = " |-\\\u2502\u251C\u2514\u2500";

  private static final String BELOW_BRANCHES = " |  \u2502\u2502  ";

  private static final String GAP = "  ";

  /** Characters of lines that are printed in one piece. */
  private static final int PIECE = 8_192;

  /** Indentation of lines below a row. */
  public static final int BELOW = 8;

  /** Least width of the last column, or a third of the width, if the names can leave so much. */
  private static final int LEAST_LAST = 24;

  /** Least width of a last column of fields: the first one says most. */
  private static final int LEAST_FIELDS = 20;

  /** Width of the last column for which columns that matter less are left out. */
  private static final int ROOM = 60;

  /** Least width of names before the last column. */
  private static final int LEAST_NAME = 16;

  private final List<Column> columns = new ArrayList<>();
  private final List<String[]> rows = new ArrayList<>();

  /** Lines below a row, by its number. */
  private final Map<Integer, List<String>> below = new HashMap<>();

  private final Map<Integer, Detail> details = new HashMap<>();

  /** Columns that are left out where there is no room, by their numbers; the first goes first. */
  private final List<Integer> optional = new ArrayList<>();

  /** Columns that are left out before a name is cut. */
  private final List<Integer> spare = new ArrayList<>();

  private final BitSet leftOut = new BitSet();
  private Overflow overflow = Overflow.CUT;

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

  /** Adds the last column, with fields of which the last ones can be left out. */
  public Table fields(String title) {
    overflow = Overflow.SHORTEN;
    return name(title);
  }

  /** Adds the last column, with words that go on below where there is no room. */
  public Table remark(String title) {
    breakLast();
    return name(title);
  }

  /** Lets words of the last column go on below where there is no room. */
  public void breakLast() {
    overflow = Overflow.BREAK;
  }

  /** Lets a column be left out before a name is cut; the first of several goes first. */
  public Table spare(int column) {
    spare.add(column);
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
    rows.add(row);
  }

  /**
   * Adds a row; as many cells as columns.
   *
   * @param detail follows the last cell; where there is no room for all, its end is cut first
   * @param behind follows that, or stands below, whole
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
    for (String[] row : rows) {
      for (int c = 0; c < widths.length; c++) {
        widths[c] = Math.max(widths[c], row[c].length());
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
    if (width == 0 && details.isEmpty() && below.isEmpty()) {
      plain(out, indent);
    } else {
      cut(out, indent, width);
    }
    rows.clear();
    details.clear();
    below.clear();
  }

  /** Prints rows of which nothing is cut, many in one piece. */
  private void plain(PrintStream out, int indent) {
    StringBuilder lines = new StringBuilder(PIECE + 256);
    for (String[] row : rows) {
      line(lines, indent, 0, row, Detail.NONE);
      lines.append(System.lineSeparator());
      if (lines.length() >= PIECE) {
        rows(out, lines.toString());
        lines.setLength(0);
      }
    }
    rows(out, lines.toString());
  }

  private void cut(PrintStream out, int indent, int width) {
    for (int r = 0; r < rows.size(); r++) {
      lines(indent, width, rows.get(r), details.getOrDefault(r, Detail.NONE))
          .forEach(line -> {
            // A name that was cut may end with half a character.
            row(out, TextSanitizer.one(line));
          });
      for (String text : below.getOrDefault(r, List.of())) {
        String line = " ".repeat(indent + BELOW) + text;
        // The printer breaks it where the terminal is narrower.
        out.println(line);
      }
    }
  }

  private static void rows(PrintStream out, String lines) {
    if (out instanceof TextPrinter printer) {
      printer.rows(lines);
    } else {
      out.print(lines);
    }
  }

  private static void row(PrintStream out, String line) {
    if (out instanceof TextPrinter printer) {
      printer.row(line);
    } else {
      out.println(line);
    }
  }

  /** Returns the lines of a row: one, unless a remark goes on below. */
  private List<String> lines(int indent, int width, String[] cells, Detail detail) {
    int begin = begin(indent);
    int room = Math.max(LEAST_NAME, width - begin);
    String last = last(cells);
    if (width == 0
        || !detail.isBelow(last, room) && (overflow != Overflow.BREAK || last.length() <= room)) {
      return List.of(line(indent, width, cells, detail));
    }
    List<String> lines = new ArrayList<>();
    if (overflow == Overflow.BREAK) {
      List<String> parts = LineWrap.of(detail.on(last), room);
      String[] first = cells.clone();
      first[first.length - 1] = parts.getFirst();
      lines.add(line(indent, 0, first, Detail.NONE));
      parts.subList(1, parts.size()).forEach(part -> lines.add(" ".repeat(begin) + part.strip()));
      return lines;
    }
    lines.add(line(indent, width, cells, detail));
    String lead = " ".repeat(begin) + belowBranches(last) + " ".repeat(REMARK);
    LineWrap.of(detail.behind.strip(), Math.max(LEAST_NAME, width - lead.length()))
        .forEach(part -> lines.add(lead + part.strip()));
    return lines;
  }

  /** Returns what stands below the lines of a tree in front of a name. */
  private static String belowBranches(String cell) {
    StringBuilder below = new StringBuilder();
    for (int i = 0; i < cell.length() && BRANCHES.indexOf(cell.charAt(i)) >= 0; i++) {
      below.append(BELOW_BRANCHES.charAt(BRANCHES.indexOf(cell.charAt(i))));
    }
    return below.toString();
  }

  /** Returns where the last column begins. */
  private int begin(int indent) {
    int begin = indent;
    for (int c = 0; c < widths.length - 1; c++) {
      begin += leftOut.get(c) ? 0 : widths[c] + GAP.length();
    }
    return begin;
  }

  /** Returns the line of titles; the last title goes on below itself where it has no room. */
  private List<String> titles(int indent, int width) {
    List<String> titles = new ArrayList<>(columns.stream().map(Column::title).toList());
    int begin = begin(indent);
    int room = width - begin;
    String last = titles.removeLast();
    List<String> parts = width == 0 || room < LEAST_NAME ? List.of(last) : LineWrap.of(last, room);
    titles.add(parts.getFirst());
    String[] first = titles.toArray(String[]::new);
    List<String> lines = new ArrayList<>(List.of(line(indent, width, first, Detail.NONE)));
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
    int need = widths[widths.length - 1];
    for (Map.Entry<Integer, Detail> detail : details.entrySet()) {
      need =
          Math.max(
              need, last(rows.get(detail.getKey())).length() + detail.getValue().behind.length());
    }
    leaveOut(optional, Math.min(need, ROOM) - width);
    leaveOut(spare, leastLast(width) - width);
  }

  private void leaveOut(List<Integer> some, int roomLess) {
    int over = roomLess + begin(0);
    for (int column : some) {
      if (over > 0 && !leftOut.get(column)) {
        leftOut.set(column);
        over -= widths[column] + GAP.length();
      }
    }
  }

  /** Returns what the last column needs to be of any use. */
  private int leastLast(int width) {
    int least = overflow == Overflow.SHORTEN ? LEAST_FIELDS : Math.max(LEAST_LAST, width / 3);
    return Math.min(widths[widths.length - 1], least);
  }

  /** Takes from the names before the last column what that one needs. */
  private void narrow(int width) {
    int over = leastLast(width) - width + begin(0);
    for (int c = 0; c < widths.length - 1; c++) {
      int less = Math.min(over, widths[c] - LEAST_NAME);
      if (columns.get(c).align == Align.LEFT && less > 0) {
        widths[c] -= less;
        over -= less;
      }
    }
  }

  private String line(int indent, int width, String[] cells, Detail detail) {
    StringBuilder line = new StringBuilder(begin(indent) + last(cells).length());
    line(line, indent, width, cells, detail);
    return line.toString();
  }

  /** Appends a line, without blanks at its end. */
  private void line(StringBuilder line, int indent, int width, String[] cells, Detail detail) {
    int from = line.length();
    line.repeat(' ', indent);
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
      String cell = cells[c];
      if (last) {
        cell = last(cell, detail, width > 0 ? Math.max(8, width - (line.length() - from)) : 0);
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
    int end = line.length();
    while (end > from && Character.isWhitespace(line.charAt(end - 1))) {
      end--;
    }
    line.setLength(end);
  }

  private static String last(String[] cells) {
    return cells[cells.length - 1];
  }

  private String last(String cell, Detail detail, int room) {
    if (room == 0) {
      return detail.on(cell);
    }
    return overflow == Overflow.SHORTEN ? shorten(detail.on(cell), room) : detail.on(cell, room);
  }

  /** Leaves out the last words of a text that does not fit. */
  private static String shorten(String text, int room) {
    if (text.length() <= room) {
      return text;
    }
    int end = text.lastIndexOf(' ', room - MORE.length());
    return end > 0
        ? text.substring(0, end).stripTrailing() + MORE
        : cut(text.substring(0, (text + ' ').indexOf(' ')), room - MORE.length()) + MORE;
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
