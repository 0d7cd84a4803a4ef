package io.ntrail.cli.text;

import java.io.PrintStream;

/**
 * Lines on their way to a stream that remembers failures, many of which are written in one piece:
 * calls of the stream for each of them, with two locks, took some 2 % of their time. One thread at
 * a time.
 */
public final class JsonLines implements AutoCloseable {
  /** Bytes that are written in one piece, and that streams do not copy once more. */
  private static final int PIECE = 1 << 16;

  private final PrintStream out;
  private final byte[] lines = new byte[2 * PIECE];
  private int size;

  /**
   * Makes an empty piece.
   *
   * @param out where lines go at last
   */
  public JsonLines(PrintStream out) {
    this.out = out;
  }

  /** Adds a line with its end. */
  void add(byte[] line, int length) {
    if (length > lines.length - size) {
      close();
    }
    if (length > lines.length) {
      out.write(line, 0, length);
      return;
    }
    System.arraycopy(line, 0, lines, size, length);
    size += length;
    if (size >= PIECE) {
      close();
    }
  }

  /** Writes what is left. */
  @Override
  public void close() {
    out.write(lines, 0, size);
    size = 0;
  }
}
