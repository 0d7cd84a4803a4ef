package io.ntrail.cli.text;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The one way of text to a terminal, a file or a pipe: nothing that is printed can steer a
 * terminal, whatever it holds. What is printed as a line is one line; text that is printed without
 * an end of its own may have several, and tabs. Only bytes are written as they are: JSON, which has
 * escapes of its own.
 */
final class TextPrinter extends PrintStream {
  private final boolean isAscii;
  private boolean isCsvSafe;

  /**
   * @param isAscii whether other characters than ASCII would not arrive
   */
  TextPrinter(OutputStream out, boolean autoFlush, boolean isAscii) {
    super(out, autoFlush, StandardCharsets.UTF_8);
    this.isAscii = isAscii;
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

  private String shown(String text) {
    return isAscii ? TextSanitizer.ascii(text) : text;
  }

  /** Replaces the line at the cursor of a terminal; the end of the line is not printed. */
  void rewrite(String line) {
    super.print("\r" + shown(TextSanitizer.one(line)) + "\u001b[K");
    flush();
  }

  @Override
  public void print(@Nullable String text) {
    super.print(shown(TextSanitizer.lines(String.valueOf(text))));
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
    synchronized (this) {
      super.print(shown(TextSanitizer.one(String.valueOf(line))));
      println();
    }
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
