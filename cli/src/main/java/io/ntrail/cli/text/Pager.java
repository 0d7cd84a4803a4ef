package io.ntrail.cli.text;

import io.ntrail.formats.bytes.UserEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Holds an answer back until it is longer than the screen, then hands it to a program that shows it
 * page by page; a shorter one goes to the screen as it is. Messages on standard error after the
 * start of the answer come after its end.
 */
final class Pager extends OutputStream {
  private final OutputStream screen;
  private final OutputStream err;
  private final int rows;
  private final String command;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private final ByteArrayOutputStream messages = new ByteArrayOutputStream();
  private int lines;
  private @Nullable OutputStream target;
  private @Nullable Process process;

  /**
   * @param command for the shell
   * @param rows of the screen
   */
  Pager(OutputStream screen, OutputStream err, String command, int rows) {
    this.screen = screen;
    this.err = err;
    this.command = command;
    this.rows = rows;
  }

  /** The pager of users who have chosen none. */
  static final String USUAL = "less -FIRX";

  /** Returns the pager of the user's environment, else another one; empty for none. */
  static String command(String otherwise) {
    for (String name : new String[] {"NTRAIL_PAGER", "PAGER"}) {
      String value = System.getenv(name);
      if (value != null) {
        return value.strip();
      }
    }
    return otherwise;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    OutputStream open = target;
    if (open == null) {
      held.write(bytes, from, length);
      for (int i = from; i < from + length; i++) {
        lines += bytes[i] == '\n' ? 1 : 0;
      }
      if (lines >= rows) {
        start();
      }
      return;
    }
    send(open, bytes, from, length);
  }

  private void start() throws IOException {
    boolean windows = System.getProperty("os.name", "").startsWith("Windows");
    ProcessBuilder shell =
        windows
            ? new ProcessBuilder("cmd", "/c", command)
            : new ProcessBuilder("sh", "-c", command);
    UserEnvironment.restore(shell.environment());
    OutputStream open;
    try {
      Process started =
          shell
              .redirectOutput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      process = started;
      open = started.getOutputStream();
    } catch (IOException e) {
      // No shell: the answer is worth more than its pages.
      open = screen;
    }
    target = open;
    byte[] first = held.toByteArray();
    send(open, first, 0, first.length);
  }

  private void send(OutputStream open, byte[] bytes, int from, int length) throws IOException {
    try {
      open.write(bytes, from, length);
    } catch (IOException e) {
      if (process == null) {
        throw e;
      }
      throw new Terminal.ReaderGone(e);
    }
  }

  @Override
  public void flush() throws IOException {
    OutputStream open = target;
    if (open != null) {
      send(open, new byte[0], 0, 0);
      open.flush();
    }
  }

  @Override
  public void close() throws IOException {
    OutputStream open = target;
    Process started = process;
    if (open == null) {
      held.writeTo(screen);
    } else if (started != null) {
      try {
        open.close();
      } catch (IOException e) {
        // Left before the end.
      }
      try {
        started.waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    target = screen;
    process = null;
    held.reset();
    screen.flush();
    synchronized (messages) {
      messages.writeTo(err);
      messages.reset();
    }
  }

  /** Standard error as it is to be used beside this. */
  OutputStream messages() {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        synchronized (messages) {
          if (target != null || held.size() > 0) {
            messages.write(bytes, from, length);
          } else {
            err.write(bytes, from, length);
          }
        }
      }
    };
  }
}
