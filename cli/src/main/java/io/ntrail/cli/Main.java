package io.ntrail.cli;

import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.shell.CommandRunner;
import io.ntrail.cli.shell.Commands;
import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;

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
    boolean isHelp = args.length > 0 && (args[0].equals("-h") || args[0].equals("--help"));
    if (isHelp && args.length > 1 && Commands.isListed(args[1])) {
      return CommandRunner.run(new String[] {args[1], args[0]}, terminal);
    }
    if (args.length == 0 || isHelp) {
      terminal.wrapAnswer();
      terminal.out().print(HelpTexts.page("ntrail").replace("{version}", Version.NUMBER));
      return ExitCode.DONE;
    }
    if (args[0].equals("--version") || args[0].equals("-V")) {
      terminal.out().println("ntrail " + Version.NUMBER);
      return ExitCode.DONE;
    }
    if (args.length == 2 && args[1].equals("-h") && Commands.isListed(args[0])) {
      terminal.wrapAnswer();
      terminal.out().print(HelpTexts.page(args[0]));
      return ExitCode.DONE;
    }
    return CommandRunner.run(args, terminal);
  }
}
