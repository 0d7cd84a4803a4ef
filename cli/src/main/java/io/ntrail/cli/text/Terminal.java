package io.ntrail.cli.text;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The two streams of a command: the answer goes to {@link #out()} and nothing else does; warnings,
 * hints and progress go to {@link #err()}.
 *
 * <p>The launcher says in {@code NTRAIL_TTY} whether a stream is a terminal (the numbers of the
 * descriptors that are); started without it, Linux is asked, and elsewhere neither counts as one.
 */
public final class Terminal implements AutoCloseable {
  private static final int PIPE_BUFFER = 1 << 16;

  /** The reader of a stream has closed it. */
  static final class ReaderGone extends IOException {
    private static final long serialVersionUID = 1;

    ReaderGone(IOException cause) {
      super("Broken pipe", cause);
    }

    /** Returns true if a write failed only because the reader has closed the stream. */
    static boolean is(IOException failure) {
      // Java has no type for the system's error, only its text: EPIPE, ERROR_BROKEN_PIPE.
      return failure instanceof ReaderGone
          || String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("pipe");
    }
  }

  /** Remembers that the reader went away, instead of failing once for every write after it. */
  private static final class Sink extends OutputStream {
    private final OutputStream target;
    private volatile @Nullable IOException failure;

    Sink(OutputStream target) {
      this.target = target;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      if (failure != null) {
        return;
      }
      try {
        target.write(bytes, from, length);
      } catch (IOException e) {
        failure = e;
      }
    }

    @Override
    public void flush() {
      if (failure != null) {
        return;
      }
      try {
        target.flush();
      } catch (IOException e) {
        failure = e;
      }
    }

    @Override
    public void close() {
      try {
        target.close();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
  }

  private final Sink sink;
  private final TextPrinter out;
  private final TextPrinter err;
  private final boolean outIsTerminal;
  private final boolean errIsTerminal;
  private final boolean closeOut;
  private final OutputFiles outputs;
  private final Interruption interruption;

  /** True if colours are used on a terminal unless told otherwise. */
  private final boolean mayColor;

  private ColorUse colors = ColorUse.AUTO;
  private String pager = Pager.USUAL;

  /** True if other characters than ASCII arrive unchanged: files and pipes take UTF-8. */
  private final boolean utf8;

  private final boolean errIsUtf8;
  private @Nullable TerminalSize screen;

  private Terminal(
      OutputStream out,
      OutputStream err,
      boolean outIsTerminal,
      boolean errIsTerminal,
      boolean utf8,
      boolean errIsUtf8,
      @Nullable TerminalSize screen,
      Interruption interruption,
      boolean mayColor,
      @Nullable OutputFiles outputsOfOutput) {
    this.sink = new Sink(out);
    this.out = new TextPrinter(new BufferedOutputStream(sink, PIPE_BUFFER), false, !utf8);
    this.err = new TextPrinter(err, true, !errIsUtf8);
    this.outIsTerminal = outIsTerminal;
    this.errIsTerminal = errIsTerminal;
    this.utf8 = utf8;
    this.errIsUtf8 = errIsUtf8;
    this.screen = screen;
    this.interruption = interruption;
    this.mayColor = mayColor;
    this.closeOut = outputsOfOutput != null;
    this.outputs = outputsOfOutput != null ? outputsOfOutput : new OutputFiles();
  }

  /**
   * Returns a stream that prints to a buffer what another one, of a terminal or any, would print:
   * so several threads can make parts of an answer.
   */
  public static PrintStream alike(PrintStream out, OutputStream buffer) {
    return TextPrinter.alike(out, buffer);
  }

  /** The process's own streams. */
  public static Terminal system() {
    String told = System.getenv("NTRAIL_TTY");
    boolean outIsTerminal = TerminalSize.isTerminal(told, 1);
    boolean errIsTerminal = TerminalSize.isTerminal(told, 2);
    return new Terminal(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        outIsTerminal,
        errIsTerminal,
        !outIsTerminal || TerminalSize.isUtf8(),
        !errIsTerminal || TerminalSize.isUtf8(),
        null,
        Interruption.ofProcess(),
        mayColor(System.getenv()),
        null);
  }

  /** Streams of a test: no terminal. */
  public static Terminal of(OutputStream out, OutputStream err) {
    return new Terminal(
        out,
        err,
        false,
        false,
        true,
        true,
        TerminalSize.DEFAULT,
        Interruption.called(),
        false,
        null);
  }

  /** Streams of a test that count as a terminal of this size. */
  public static Terminal of(OutputStream out, OutputStream err, int rows, int columns) {
    TerminalSize size = new TerminalSize(rows, columns);
    return new Terminal(out, err, true, true, true, true, size, Interruption.called(), false, null);
  }

  /** Streams of a test that count as a terminal of this size which shows colours. */
  public static Terminal colored(OutputStream out, OutputStream err, int rows, int columns) {
    TerminalSize size = new TerminalSize(rows, columns);
    return new Terminal(out, err, true, true, true, true, size, Interruption.called(), true, null);
  }

  /** Streams of a test that count as a terminal of this size which shows ASCII only. */
  public static Terminal ascii(OutputStream out, OutputStream err, int rows, int columns) {
    TerminalSize size = new TerminalSize(rows, columns);
    return new Terminal(
        out, err, true, true, false, false, size, Interruption.called(), false, null);
  }

  /** Ctrl+C while the command works. */
  public Interruption interruption() {
    return interruption;
  }

  /** Files that the command writes. */
  public OutputFiles outputs() {
    return outputs;
  }

  /**
   * Returns this terminal with the answer going to a file, which has to be {@link
   * OutputFile#complete completed}.
   *
   * @throws CannotGoOn if the file cannot be written
   */
  public Terminal withOutput(OutputFile file) {
    return with(
        new Terminal(
            file.open(),
            err,
            false,
            errIsTerminal,
            true,
            errIsUtf8,
            screen,
            interruption,
            mayColor,
            outputs));
  }

  /**
   * Returns this terminal with an answer that is longer than the screen going through the user's
   * pager.
   */
  public Terminal paged() {
    String term = System.getenv("TERM");
    return "dumb".equals(term) ? this : paged(Pager.command(pager));
  }

  /** Sets the pager of users whose environment names none; {@code none}: none. */
  public void usePager(String command) {
    pager = command.equals("none") ? "" : command;
  }

  /** Returns this terminal with the pager that a shell starts with this command; empty for none. */
  Terminal paged(String command) {
    if (!outIsTerminal || command.isEmpty()) {
      return this;
    }
    Pager pager = new Pager(sink, err, command, screen().rows());
    return with(
        new Terminal(
            pager,
            pager.messages(),
            true,
            errIsTerminal,
            utf8,
            errIsUtf8,
            screen(),
            interruption,
            mayColor,
            outputs));
  }

  private Terminal with(Terminal derived) {
    derived.useColors(colors);
    return derived;
  }

  /** Returns whether the environment of a user lets terminals show colours. */
  static boolean mayColor(Map<String, String> environment) {
    String term = environment.getOrDefault("TERM", "");
    boolean isWindows = environment.containsKey("SystemRoot");
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !term.equals("dumb")
        // Other windows there show the codes themselves.
        && (!isWindows || !term.isEmpty() || environment.containsKey("WT_SESSION"));
  }

  /**
   * Chooses when messages have colours, and answers that {@link #colorAnswer() may have them}.
   * Messages are broken at words from now on.
   */
  public void useColors(ColorUse use) {
    colors = use;
    err.color(isColored(errIsTerminal) ? LineColors.ofMessages() : null);
    if (errIsTerminal) {
      err.wrap(width());
    }
  }

  /** Gives the answer colours where they are used: it is text for people. */
  public void colorAnswer() {
    out.color(isColored(outIsTerminal) ? LineColors.ofAnswers() : null);
  }

  /** Breaks the lines of the answer at words where the terminal is narrower: it is text. */
  public void wrapAnswer() {
    if (outIsTerminal) {
      out.wrap(width());
    }
  }

  private boolean isColored(boolean isTerminal) {
    return switch (colors) {
      case AUTO -> isTerminal && mayColor;
      case ALWAYS -> true;
      case NEVER -> false;
    };
  }

  private TerminalSize screen() {
    TerminalSize known = screen;
    if (known == null) {
      known = outIsTerminal || errIsTerminal ? TerminalSize.ask() : TerminalSize.DEFAULT;
      screen = known;
    }
    return known;
  }

  /** The answer. */
  public PrintStream out() {
    return out;
  }

  /**
   * Returns the answer as a document of other programs, whose characters are as they are; on a
   * terminal it is text. Who writes it flushes it.
   */
  public PrintStream document() {
    return outIsTerminal ? out : out.unchanged();
  }

  /** Lets no cell of CSV in the answer begin like a formula of a spreadsheet. */
  public void makeCsvSafe() {
    out.makeCsvSafe();
  }

  /** Everything that is not the answer. */
  public PrintStream err() {
    return err;
  }

  /** Shows a line of messages in place of the one before, on a terminal. */
  public void rewriteLine(String line) {
    // A line that wraps cannot be rewritten.
    err.rewrite(Table.cut(TextSanitizer.one(line), width() - 1));
  }

  /** Removes the line that was {@link #rewriteLine rewritten}. */
  public void eraseLine() {
    err.rewrite("");
  }

  /**
   * Returns a stream to {@link #out} for bytes that are UTF-8 as a rule: files and pipes get them
   * as they are, a terminal as text that does not steer it. It is to be flushed.
   */
  public OutputStream bytes() {
    return outIsTerminal ? new TerminalBytes(out) : out;
  }

  /** Returns whether the answer goes to a terminal. */
  public boolean outIsTerminal() {
    return outIsTerminal;
  }

  /** Returns whether the messages go to a terminal. */
  public boolean errIsTerminal() {
    return errIsTerminal;
  }

  /** Returns whether the answer may have other characters than ASCII, such as lines of trees. */
  public boolean outIsUtf8() {
    return utf8;
  }

  /** Columns of the terminal. */
  public int width() {
    return screen().columns();
  }

  /** Returns whether the answer cannot be written any more: then the command can stop. */
  public boolean outClosed() {
    return sink.failure != null;
  }

  /**
   * Flushes the answer and returns why it could not be written; null if it was, and also if its
   * reader has closed the stream, which is not an error.
   */
  public @Nullable String failure() {
    out.flush();
    IOException failure = sink.failure;
    return failure == null || ReaderGone.is(failure) ? null : String.valueOf(failure.getMessage());
  }

  @Override
  public void close() {
    String failure = failure();
    if (closeOut) {
      out.close();
      failure = failure == null ? failure() : failure;
      if (failure != null) {
        throw new CannotGoOn("the output could not be written: " + failure, "");
      }
    } else {
      interruption.finished();
    }
  }
}
