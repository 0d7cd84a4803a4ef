package io.ntrail.cli.text;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
  private final CountDownLatch done = new CountDownLatch(1);
  private Runnable closing = () -> {};

  private Progress(Terminal terminal, Supplier<String> line, @Nullable Runnable stop) {
    this.terminal = terminal;
    this.line = line;
    terminal.interruption().begin(stop == null ? this::sayWhere : stop);
    this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::run);
  }

  /**
   * Starts to show work of which nothing is ready before its end.
   *
   * @param line supplies the current line; called by another thread
   */
  public static Progress start(Terminal terminal, boolean quiet, Supplier<String> line) {
    return shown(new Progress(terminal, line, null), quiet);
  }

  /**
   * Starts to show work that can be stopped.
   *
   * @param line supplies the current line; called by another thread
   * @param stop stops the work when Ctrl+C is pressed: there is an answer about what was done
   */
  public static Progress start(
      Terminal terminal, boolean quiet, Supplier<String> line, Runnable stop) {
    return shown(new Progress(terminal, line, stop), quiet);
  }

  /** Adds what is to be done when the work is over and its line is erased. */
  public Progress then(Runnable afterwards) {
    closing = afterwards;
    return this;
  }

  private static Progress shown(Progress progress, boolean quiet) {
    if (!quiet) {
      progress.thread.start();
    }
    return progress;
  }

  /** Ctrl+C before anything is ready. */
  private void sayWhere() {
    terminal.interruption().end();
    if (terminal.errIsTerminal()) {
      terminal.eraseLine();
    }
    terminal.err().println("ntrail: stopped before there was an answer, at: " + line.get());
  }

  private void run() {
    boolean rewrites = terminal.errIsTerminal();
    try {
      while (!done.await(rewrites ? REWRITE_MILLIS : LINE_MILLIS, TimeUnit.MILLISECONDS)) {
        if (rewrites) {
          terminal.rewriteLine(line.get());
        } else {
          terminal.err().println(line.get());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (rewrites) {
      terminal.eraseLine();
    }
  }

  @Override
  public void close() {
    terminal.interruption().end();
    done.countDown();
    if (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw CannotGoOn.interrupted();
      }
    }
    closing.run();
  }
}
