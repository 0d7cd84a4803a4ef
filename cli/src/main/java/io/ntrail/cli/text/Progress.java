package io.ntrail.cli.text;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Shows on standard error how far a long job is: on a terminal one line, rewritten ten times a
 * second and removed at the end; else a line every 30 seconds, so that short work prints nothing.
 */
public final class Progress implements AutoCloseable {
  private static final long REWRITE_MILLIS = 100;
  private static final long LINE_MILLIS = 30_000;

  private final Terminal terminal;
  private final Supplier<String> line;
  private final Thread thread;

  private Progress(Terminal terminal, Supplier<String> line) {
    this.terminal = terminal;
    this.line = line;
    this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::run);
  }

  /**
   * Starts to show.
   *
   * @param done bytes read so far; may run over {@code total} when a job reads twice
   */
  public static Progress start(
      Terminal terminal, boolean quiet, String label, LongSupplier done, long total) {
    return start(terminal, quiet, reading(label, done, total));
  }

  /** Returns a supplier of progress lines. */
  public static Supplier<String> reading(String label, LongSupplier done, long total) {
    long start = System.nanoTime();
    return () -> line(label, done.getAsLong(), total, (System.nanoTime() - start) / 1e9);
  }

  /**
   * Starts to show.
   *
   * @param line supplies the current line; called by another thread
   */
  public static Progress start(Terminal terminal, boolean quiet, Supplier<String> line) {
    Progress progress = new Progress(terminal, line);
    if (!quiet) {
      progress.thread.start();
    }
    return progress;
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(terminal.errIsTerminal() ? REWRITE_MILLIS : LINE_MILLIS);
        if (terminal.errIsTerminal()) {
          terminal.rewriteLine(line.get());
        } else {
          terminal.err().println(line.get());
        }
      }
    } catch (InterruptedException e) {
      // The job is done.
      if (terminal.errIsTerminal()) {
        terminal.eraseLine();
      }
    }
  }

  static String line(String label, long done, long total, double seconds) {
    long pass = total == 0 || done == 0 ? 0 : (done - 1) / total;
    long read = done - pass * total;
    return "reading "
        + label
        + (pass == 0 ? "" : ", pass " + (pass + 1))
        + "  "
        + (total == 0 ? 0 : 100 * read / total)
        + " %   "
        + Numbers.bytes(read)
        + " of "
        + Numbers.bytes(total)
        + "   "
        + Numbers.bytes((long) (done / Math.max(0.001, seconds)))
        + "/s";
  }

  @Override
  public void close() {
    if (!thread.isAlive()) {
      return;
    }
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }
}
