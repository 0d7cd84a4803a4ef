package io.ntrail.cli;

import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.shell.CommandRunner;
import io.ntrail.cli.shell.WrittenAnswers;
import io.ntrail.cli.text.Terminal;

/**
 * The program: {@code ntrail COMMAND ...}. What needs no command ({@code --version}, {@code -h}) is
 * answered before anything else is loaded.
 */
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(run(args, Terminal.system()));
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
