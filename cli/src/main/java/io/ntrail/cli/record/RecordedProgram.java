package io.ntrail.cli.record;

import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Program during whose run is recorded.
 *
 * @param words its file and arguments
 * @param isApart whether its output goes where messages go, since a report is on the other
 */
record RecordedProgram(List<String> words, boolean isApart, Terminal terminal) {
  private static final int STEP_MILLIS = 100;
  private static final int STEPS = 10;

  /** Keeps the list from changes. */
  RecordedProgram {
    words = List.copyOf(words);
  }

  /**
   * Runs it until it ends, or Ctrl+C.
   *
   * @param look is called every second
   * @return its exit code; empty if it still runs
   * @throws CannotGoOn if it cannot be started
   */
  OptionalInt run(Runnable look) {
    CountDownLatch interrupted = new CountDownLatch(1);
    terminal.out().flush();
    ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
    if (isApart) {
      builder.redirectOutput(ProcessBuilder.Redirect.PIPE);
    }
    try {
      Process process = builder.start();
      if (isApart) {
        Thread.ofPlatform().daemon().name("output").start(() -> forward(process));
      }
      terminal.interruption().begin(interrupted::countDown);
      for (int step = 1; !process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS); step++) {
        if (interrupted.getCount() == 0) {
          return OptionalInt.empty();
        }
        if (step % STEPS == 0) {
          look.run();
        }
      }
      return OptionalInt.of(process.exitValue());
    } catch (IOException e) {
      throw new CannotGoOn("cannot start %s: %s".formatted(words.getFirst(), e.getMessage()), "");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    } finally {
      terminal.interruption().end();
    }
  }

  private void forward(Process process) {
    try {
      process.getInputStream().transferTo(terminal.err());
    } catch (IOException e) {
      terminal.err().println("warning: output of the program is cut off: " + e.getMessage());
    }
  }
}
