package io.ntrail.cli.text;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The one way of text to a terminal, a file or a pipe: nothing that is printed can steer a
 * terminal, whatever it holds. What is printed as a line is one line; text that is printed without
 * an end of its own may have several, and tabs. Only bytes are written as they are: JSON, which has
 * escapes of its own.
 */
final class TextPrinter extends PrintStream {
  /** Begins what steers a terminal. */
  static final String ESCAPE = "\u001b[";

  private final boolean isAscii;
  private boolean isCsvSafe;
  private @Nullable LineColors colors;

  /** Columns at which lines are broken; 0: nowhere. */
  private int columns;

  /**
   * @param isAscii whether other characters than ASCII would not arrive
   */
  TextPrinter(OutputStream out, boolean autoFlush, boolean isAscii) {
    super(out, autoFlush, StandardCharsets.UTF_8);
    this.isAscii = isAscii;
  }

  /** Returns a stream that prints as another one does, to another place. */
  static PrintStream alike(PrintStream like, OutputStream other) {
    if (!(like instanceof TextPrinter its)) {
      return new PrintStream(other, false, StandardCharsets.UTF_8);
    }
    TextPrinter printer = new TextPrinter(other, false, its.isAscii);
    printer.isCsvSafe = its.isCsvSafe;
    printer.colors = its.colors;
    printer.columns = its.columns;
    return printer;
  }

  /** Returns whether other characters than ASCII would not arrive. */
  boolean isAscii() {
    return isAscii;
  }

  /** Returns a stream to the same place for text that has to arrive as it is. */
  PrintStream unchanged() {
    return new PrintStream(this, false, StandardCharsets.UTF_8);
  }

  /** Returns whether cells of CSV are to be kept from being formulas. */
  boolean isCsvSafe() {
    return isCsvSafe;
  }

  /** Lets no cell of CSV begin like a formula. */
  void makeCsvSafe() {
    isCsvSafe = true;
  }

  /** Shows lines in colours from now on; null for none. */
  void color(@Nullable LineColors lineColors) {
    colors = lineColors;
  }

  /** Breaks lines of text at words from now on; 0: nowhere. */
  void wrap(int width) {
    columns = width;
  }

  /** Prints a line of a table, in which nothing steers, and which is not broken. */
  void row(String line) {
    line(colored(shown(line)));
  }

  /** Prints lines of a table, each with its end, as {@link #row} would. */
  void rows(String lines) {
    if (colors == null) {
      byte[] bytes = shown(lines).getBytes(StandardCharsets.UTF_8);
      write(bytes, 0, bytes.length);
    } else {
      lines.lines().forEach(this::row);
    }
  }

  /** Prints a line in one piece. */
  private void line(String line) {
    byte[] bytes = (line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    write(bytes, 0, bytes.length);
  }

  /** Prints the line of titles above a table. */
  void title(String line) {
    String text = shown(TextSanitizer.one(line));
    LineColors paint = colors;
    line(paint == null ? text : paint.title(text));
  }

  private String colored(String line) {
    LineColors paint = colors;
    return paint == null ? line : paint.of(line);
  }

  /** Returns a line as it is shown: broken, and each part in its colours. */
  private String laidOut(String line) {
    boolean fits = columns == 0 || line.length() <= columns;
    List<String> parts =
        fits
            ? List.of(line)
            : LineWrap.of(LineColors.joined(line), columns).stream()
                .map(LineColors::parted)
                .toList();
    LineColors paint = colors;
    StringBuilder all = new StringBuilder(colored(parts.getFirst()));
    for (String part : parts.subList(1, parts.size())) {
      all.append(System.lineSeparator()).append(paint == null ? part : paint.further(part));
    }
    return all.toString();
  }

  private String shown(String text) {
    return isAscii ? TextSanitizer.ascii(text) : text;
  }

  /** Replaces the line at the cursor of a terminal; the end of the line is not printed. */
  void rewrite(String line) {
    super.print("\r" + shown(TextSanitizer.one(line)) + ESCAPE + "K");
    flush();
  }

  @Override
  public void print(@Nullable String text) {
    String shown = shown(TextSanitizer.lines(String.valueOf(text)));
    if (colors == null && columns == 0 || !shown.endsWith("\n")) {
      super.print(shown);
      return;
    }
    StringBuilder lines = new StringBuilder();
    shown.lines().forEach(line -> lines.append(laidOut(line)).append('\n'));
    super.print(lines.toString());
  }

  @Override
  public void print(char c) {
    print(String.valueOf(c));
  }

  @Override
  public void print(char[] text) {
    print(String.valueOf(text));
  }

  @Override
  public void print(@Nullable Object value) {
    print(String.valueOf(value));
  }

  @Override
  public void println(@Nullable String line) {
    line(laidOut(shown(TextSanitizer.one(String.valueOf(line)))));
  }

  @Override
  public void println(char c) {
    println(String.valueOf(c));
  }

  @Override
  public void println(char[] line) {
    println(String.valueOf(line));
  }

  @Override
  public void println(@Nullable Object value) {
    println(String.valueOf(value));
  }

  @Override
  @SuppressWarnings(
      "AnnotateFormatMethod") // An override: callers are checked where it is declared.
  public PrintStream format(String format, @Nullable Object... values) {
    return format(Locale.ROOT, format, values);
  }

  /** Only the format has ends of lines. */
  @Override
  @SuppressWarnings(
      "AnnotateFormatMethod") // An override: callers are checked where it is declared.
  public PrintStream format(@Nullable Locale locale, String format, @Nullable Object... values) {
    Object[] shown = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      shown[i] =
          value instanceof Number || value instanceof Character || value instanceof Boolean
              ? value
              : TextSanitizer.one(String.valueOf(value));
    }
    print(String.format(locale, format, shown));
    return this;
  }
}
