package io.ntrail.cli.text;

import io.ntrail.formats.bytes.CannotGoOn;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The two streams of a command: the answer goes to {@link #out()} and nothing else does; warnings,
 * hints and progress go to {@link #err()}.
 *
 * <p>Whether a stream is a terminal, the launcher tells in {@code NTRAIL_TTY} (the numbers of the
 * descriptors that are); started without it, neither counts as one.
 */
public final class Terminal implements AutoCloseable {
  private static final int DEFAULT_WIDTH = 100;
  private static final int PIPE_BUFFER = 1 << 16;

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
    public void close() throws IOException {
      target.close();
    }
  }

  private final Sink sink;
  private final PrintStream out;
  private final PrintStream err;
  private final boolean outIsTerminal;
  private final boolean errIsTerminal;
  private final int width;
  private final boolean closeOut;

  private Terminal(
      OutputStream out,
      OutputStream err,
      boolean outIsTerminal,
      boolean errIsTerminal,
      int width,
      boolean closeOut) {
    this.sink = new Sink(out);
    this.out =
        new PrintStream(new BufferedOutputStream(sink, PIPE_BUFFER), false, StandardCharsets.UTF_8);
    this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    this.outIsTerminal = outIsTerminal;
    this.errIsTerminal = errIsTerminal;
    this.width = width;
    this.closeOut = closeOut;
  }

  /** The process's own streams. */
  public static Terminal system() {
    String told = System.getenv("NTRAIL_TTY");
    return new Terminal(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        told != null && told.indexOf('1') >= 0,
        told != null && told.indexOf('2') >= 0,
        width(System.getenv("COLUMNS")),
        false);
  }

  /** Streams of a test: no terminal. */
  public static Terminal of(OutputStream out, OutputStream err) {
    return new Terminal(out, err, false, false, DEFAULT_WIDTH, false);
  }

  /**
   * The same with the answer going to a file; {@code -} is standard output.
   *
   * @throws IOException if the file cannot be written
   */
  public Terminal withOutput(Path file) throws IOException {
    if (file.toString().equals("-")) {
      return this;
    }
    return new Terminal(Files.newOutputStream(file), err, false, errIsTerminal, width, true);
  }

  private static int width(@Nullable String columns) {
    if (columns == null) {
      return DEFAULT_WIDTH;
    }
    try {
      return Math.clamp(Integer.parseInt(columns.strip()), 40, 1000);
    } catch (NumberFormatException e) {
      return DEFAULT_WIDTH;
    }
  }

  /** The answer. */
  public PrintStream out() {
    return out;
  }

  /** Everything that is not the answer. */
  public PrintStream err() {
    return err;
  }

  /** Whether a person reads the answer as it comes. */
  public boolean outIsTerminal() {
    return outIsTerminal;
  }

  /** Whether a person reads the messages as they come. */
  public boolean errIsTerminal() {
    return errIsTerminal;
  }

  /** Columns of the terminal. */
  public int width() {
    return width;
  }

  /** Whether the answer cannot be written any more: then there is no use in going on. */
  public boolean outClosed() {
    return sink.failure != null;
  }

  /**
   * Writes what is left and tells why the answer could not be written; null if it was, and also if
   * its reader went away, which is nobody's fault.
   */
  public @Nullable String failure() {
    out.flush();
    IOException failure = sink.failure;
    if (failure == null) {
      return null;
    }
    String message = String.valueOf(failure.getMessage());
    return message.toLowerCase(Locale.ROOT).contains("pipe") ? null : message;
  }

  @Override
  public void close() {
    String failure = failure();
    if (closeOut) {
      out.close();
      if (failure != null) {
        throw new CannotGoOn("the answer could not be written: " + failure, "");
      }
    }
  }
}
