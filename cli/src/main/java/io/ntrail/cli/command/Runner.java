package io.ntrail.cli.command;

import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Nearest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Finds the command, parses its words, runs it, and turns failures into messages. */
public final class Runner {
  private Runner() {}

  /**
   * Runs {@code args[0]} with the other words.
   *
   * @return the exit code
   */
  public static int run(String[] args, Terminal terminal) {
    boolean internals = Arrays.asList(args).contains("-vv");
    try {
      return runOrThrow(args, terminal);
    } catch (UsageError e) {
      return fail(terminal, String.valueOf(e.getMessage()), e.nextStep(), ExitCode.USAGE);
    } catch (CannotGoOn e) {
      return fail(terminal, e.message(), e.nextStep(), ExitCode.FAILED);
    } catch (DamagedInput e) {
      return fail(terminal, String.valueOf(e.getMessage()), "", ExitCode.FAILED);
    } catch (OutOfMemoryError e) {
      return fail(
          terminal,
          "not enough memory (" + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB)",
          "NTRAIL_JAVA_OPTS=-Xmx4g ntrail " + args[0] + " ...",
          ExitCode.FAILED);
    } catch (IOException | UncheckedIOException e) {
      return fail(terminal, String.valueOf(e.getMessage()), "", ExitCode.FAILED);
    } catch (InternalError e) {
      if (internals) {
        throw e;
      }
      return fail(
          terminal,
          "the file changed or shrank while it was read",
          "copy it first, then read the copy",
          ExitCode.FAILED);
    } catch (RuntimeException e) {
      if (internals) {
        throw e;
      }
      return fail(
          terminal,
          "a defect of ntrail: " + e,
          "the same command with -vv, and report what it prints",
          ExitCode.FAILED);
    }
  }

  private static int runOrThrow(String[] args, Terminal terminal) throws IOException {
    Optional<Commands.Entry> found = Commands.named(args[0]);
    if (found.isEmpty()) {
      String nearest =
          Nearest.of(args[0], Commands.listed().stream().map(Commands.Entry::name).toList());
      throw new UsageError(
          "unknown command " + args[0], nearest.isEmpty() ? "ntrail -h" : "ntrail " + nearest);
    }
    Commands.Entry entry = found.get();
    List<String> words = new ArrayList<>(Arrays.asList(args).subList(1, args.length));
    words.remove("-vv");
    if (words.contains("-h") && entry.listed()) {
      terminal.out().print(HelpTexts.page(entry.name()));
      return ExitCode.DONE;
    }
    Command command = entry.make().get();
    CommandSpec spec = command.spec();
    if (words.contains("--help")) {
      terminal.out().print(Manual.text(entry.name(), spec));
      return ExitCode.DONE;
    }
    return command.run(parse(entry.name(), spec, words), terminal);
  }

  private static ParseResult parse(String name, CommandSpec spec, List<String> words) {
    try {
      CommandLine line = new CommandLine(spec);
      line.setUnmatchedOptionsArePositionalParams(false);
      return line.parseArgs(words.toArray(String[]::new));
    } catch (UnmatchedArgumentException e) {
      String wrong = e.getUnmatched().getFirst();
      throw new UsageError(
          "unknown option " + wrong + " for " + name, nearestOption(spec, wrong, name));
    } catch (ParameterException e) {
      throw new UsageError(String.valueOf(e.getMessage()), "ntrail " + name + " -h");
    }
  }

  private static String nearestOption(CommandSpec spec, String wrong, String command) {
    List<String> names =
        spec.options().stream().map(OptionSpec::names).flatMap(Arrays::stream).toList();
    String nearest = Nearest.of(wrong, names);
    String help = "help: ntrail " + command + " -h";
    return nearest.isEmpty() ? "ntrail " + command + " -h" : nearest + "          " + help;
  }

  private static int fail(Terminal terminal, String message, String nextStep, int exitCode) {
    terminal.out().flush();
    terminal.err().println("ntrail: " + message);
    if (!nextStep.isEmpty()) {
      terminal.err().println((nextStep.startsWith("readable: ") ? "" : "try: ") + nextStep);
    }
    return exitCode;
  }
}
