package io.ntrail.cli.text;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Bytes in UTF-8 to a terminal, as text: a line at a time, or what there is when it is flushed. */
final class TerminalBytes extends OutputStream {
  /** A line that is longer is printed in parts. */
  private static final int MOST_BYTES = 1 << 16;

  private final PrintStream to;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  TerminalBytes(PrintStream to) {
    this.to = to;
  }

  @Override
  public void write(int b) {
    line.write(b);
    if (b == '\n' || line.size() >= MOST_BYTES) {
      print();
    }
  }

  private void print() {
    if (line.size() > 0) {
      to.print(line.toString(StandardCharsets.UTF_8));
      line.reset();
    }
  }

  @Override
  public void flush() {
    print();
    to.flush();
  }

  @Override
  public void close() {
    flush();
  }
}
