package io.ntrail.cli;

import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.shell.CommandRunner;
import io.ntrail.cli.shell.WrittenAnswers;
import io.ntrail.cli.text.Terminal;
import java.util.Locale;

/**
 * The program: {@code ntrail COMMAND ...}. What needs no command ({@code --version}, {@code -h}) is
 * answered before anything else is loaded.
 */
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    // Digits are ASCII in all countries.
    Locale.setDefault(Locale.ROOT);
    int exitCode = run(args, Terminal.system());
    // An exit that is asked for looks for loggers first, which takes milliseconds.
    if (exitCode != ExitCode.DONE || othersRun()) {
      System.exit(exitCode);
    }
  }

  /** Returns whether threads run that the process would wait for. */
  private static boolean othersRun() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    Thread[] threads = new Thread[group.activeCount() + 1];
    int count = group.enumerate(threads);
    if (count == threads.length) {
      return true;
    }
    for (int i = 0; i < count; i++) {
      if (!threads[i].equals(Thread.currentThread()) && !threads[i].isDaemon()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Runs one command.
   *
   * @return the exit code
   */
  public static int run(String[] args, Terminal terminal) {
    try (terminal) {
      int exitCode = answer(args, terminal);
      String failure = terminal.failure();
      if (failure == null) {
        return exitCode;
      }
      terminal.err().println("ntrail: the output could not be written: " + failure);
      return ExitCode.FAILED;
    }
  }

  private static int answer(String[] args, Terminal terminal) {
    return WrittenAnswers.print(terminal, args) ? ExitCode.DONE : CommandRunner.run(args, terminal);
  }
}
