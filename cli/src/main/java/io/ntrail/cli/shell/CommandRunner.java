package io.ntrail.cli.shell;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.shell.Settings.Setting;
import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.OutputFiles;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Finds the command, parses its words, runs it, and turns failures into messages. */
public final class CommandRunner {
  private CommandRunner() {}

  /**
   * Runs a command.
   *
   * @param typed its name, which may be one of two words, and the other words
   * @return the exit code
   */
  public static int run(String[] typed, Terminal terminal) {
    String[] args = Commands.withOwnName(typed);
    boolean internals = Arrays.asList(args).contains("-vv");
    try (OutputFiles outputs = terminal.outputs()) {
      int exitCode = runOrThrow(args, terminal);
      outputs.complete();
      return exitCode;
    } catch (UsageError e) {
      warn(e.gaps(), terminal);
      return fail(
          terminal, String.valueOf(e.getMessage()), e.excerpt(), e.nextStep(), ExitCode.USAGE);
    } catch (CannotGoOn e) {
      warn(e.gaps(), terminal);
      int exitCode = e.gaps().isEmpty() ? exitCode(e.reason()) : ExitCode.INCOMPLETE;
      return fail(terminal, e.message(), nextStep(e, args), exitCode);
    } catch (DamagedInput e) {
      return fail(terminal, String.valueOf(e.getMessage()), "", ExitCode.FAILED);
    } catch (OutOfMemoryError e) {
      if (internals) {
        return internals(terminal, e);
      }
      return fail(
          terminal,
          "not enough memory (" + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB)",
          "NTRAIL_JAVA_OPTS=-Xmx4g ntrail " + args[0] + " ...",
          ExitCode.FAILED);
    } catch (IOException | UncheckedIOException e) {
      return fail(terminal, String.valueOf(e.getMessage()), "", ExitCode.FAILED);
    } catch (InternalError e) {
      if (internals) {
        return internals(terminal, e);
      }
      return fail(
          terminal,
          "the file changed or shrank while it was read",
          "copy it first, then read the copy",
          ExitCode.FAILED);
    } catch (RuntimeException e) {
      if (internals) {
        return internals(terminal, e);
      }
      return fail(
          terminal,
          "internal error: " + e,
          "run again with -vv and report the output",
          ExitCode.FAILED);
    }
  }

  private static int runOrThrow(String[] args, Terminal terminal) throws IOException {
    Optional<Commands.Entry> found = Commands.named(args[0]);
    if (found.isEmpty() && isPath(args[0])) {
      List<String> words = new ArrayList<>(List.of("info"));
      words.addAll(Arrays.asList(args));
      return runOrThrow(words.toArray(String[]::new), terminal);
    }
    if (found.isEmpty()) {
      String nearest =
          SpellingSuggestion.of(
              args[0], Commands.listed().stream().map(Commands.Entry::name).toList());
      Optional<String> known = OtherWords.command(args[0], file(args));
      if (known.isPresent()) {
        throw new UsageError("unknown command " + args[0], known.get());
      }
      throw new UsageError(
          "unknown command " + args[0],
          nearest.isEmpty() ? "ntrail -h" : withWord(args, args[0], ShellWords.of(nearest)));
    }
    return run(found.get(), args, terminal);
  }

  /** Runs a command with the words behind its name. */
  static int run(Commands.Entry entry, String[] args, Terminal terminal) throws IOException {
    List<String> words = new ArrayList<>(Arrays.asList(args).subList(1, args.length));
    int end = words.indexOf("--");
    List<String> options = end < 0 ? words : words.subList(0, end);
    options.replaceAll(word -> word.equals("-vv") ? "-v" : word);
    if (options.contains("-h") && entry.listed()) {
      terminal.wrapAnswer();
      terminal.out().print(HelpTexts.page(entry.name()));
      return ExitCode.DONE;
    }
    Command command = entry.make().get();
    CommandSpec spec = command.spec();
    if (options.contains("--help") && entry.listed()) {
      try (Terminal paged = options.contains("--no-pager") ? terminal : terminal.paged()) {
        paged.wrapAnswer();
        paged.out().print(Manual.text(entry.name(), spec));
      }
      return ExitCode.DONE;
    }
    Settings settings = entry.listed() ? Settings.ofUser() : Settings.read(Optional.empty());
    settings.problems().forEach(why -> terminal.err().println("warning: " + why));
    ParseResult typed = parse(entry.name(), spec, words);
    List<String> settled = settings.options(spec, typed::hasMatchedOption);
    settled.addAll(words);
    ParseResult parsed =
        settled.size() == words.size()
            ? typed
            : parse(entry.name(), entry.make().get().spec(), settled);
    settings.value(Setting.PAGER).ifPresent(terminal::usePager);
    CommonOptions.follow(parsed, terminal);
    OutputOptions.reserve(parsed, terminal);
    SymbolSearchPath.warnOfMissing(parsed, terminal);
    return command.run(parsed, terminal);
  }

  /** Returns the first word that names a file, as it is typed; empty if none does. */
  private static String file(String[] words) {
    return Arrays.stream(words)
        .filter(CommandRunner::isFile)
        .findFirst()
        .map(ShellWords::file)
        .orElse("");
  }

  /**
   * Returns whether a word in place of a command names a file or folder, about which info tells.
   */
  private static boolean isPath(String word) {
    try {
      return isFile(word) || Files.isDirectory(Path.of(word));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static boolean isFile(String word) {
    try {
      return Files.isRegularFile(Path.of(word));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static ParseResult parse(String name, CommandSpec spec, List<String> words) {
    try {
      return CommonOptions.parser(spec).parseArgs(words.toArray(String[]::new));
    } catch (UnmatchedArgumentException e) {
      String wrong = e.getUnmatched().getFirst();
      if (!wrong.startsWith("-") || wrong.equals("-")) {
        throw new UsageError(name + " takes no arguments: " + wrong, "ntrail " + name);
      }
      int value = wrong.indexOf('=');
      String option = value < 0 ? wrong : wrong.substring(0, value);
      String file = file(words.toArray(String[]::new));
      throw new UsageError(
          "unknown option " + option + " for " + name,
          OtherWords.option(name, option, file)
              .map(meant -> meant.startsWith("ntrail ") ? meant : withHelp(meant, name))
              .orElseGet(() -> nearestOption(spec, option, name)));
    } catch (MissingParameterException e) {
      throw new UsageError(missing(e) + " needs a value", withHelp(example(e), name));
    } catch (ParameterException e) {
      for (String word : words) {
        String flag = word.substring(0, Math.max(0, word.indexOf('=')));
        OptionSpec option = spec.findOption(flag);
        if (option != null && option.arity().max() == 0) {
          throw new UsageError(flag + " takes no value", withHelp(flag, name));
        }
      }
      throw new UsageError(String.valueOf(e.getMessage()), "ntrail " + name + " -h");
    }
  }

  private static String missing(MissingParameterException e) {
    return e.getMissing().getFirst() instanceof OptionSpec option
        ? option.longestName()
        : String.valueOf(e.getMissing().getFirst().paramLabel());
  }

  private static String example(MissingParameterException e) {
    return missing(e) + " " + e.getMissing().getFirst().paramLabel();
  }

  /**
   * Returns the command with one word corrected.
   *
   * @param right as it is typed
   */
  private static String withWord(String[] args, String wrong, String right) {
    StringBuilder command = new StringBuilder("ntrail");
    for (String arg : args) {
      command.append(' ').append(arg.equals(wrong) ? right : ShellWords.of(arg));
    }
    return command.toString();
  }

  /** Warns of what could not be read, where something was not found in the rest. */
  private static void warn(List<Gap> gaps, Terminal terminal) {
    terminal.out().flush();
    Losses.warn(gaps, terminal);
  }

  private static int exitCode(CannotGoOn.Reason reason) {
    return switch (reason) {
      case NOT_POSSIBLE -> ExitCode.NOT_POSSIBLE;
      case TOO_MANY_FILES, NOT_TOGETHER, NOT_COMPARABLE, INPUT_AS_OUTPUT -> ExitCode.USAGE;
      default -> ExitCode.FAILED;
    };
  }

  /** Makes a next step that is only a file's name the whole command. */
  private static String nextStep(CannotGoOn e, String[] args) {
    String file = e.file();
    if (!Arrays.asList(args).contains(file)) {
      return e.nextStep();
    }
    return switch (e.reason()) {
      case NO_SUCH_FILE ->
          e.nextStep().isEmpty() ? "" : withWord(args, file, ShellWords.file(e.nextStep()));
      case FOLDER ->
          withWord(
              args,
              file,
              ShellWords.file(file.endsWith("/") ? file : file + "/")
                  + (args[0].equals("calls") ? "*.ntr" : "*.etl"));
      case TOO_MANY_FILES -> "ntrail " + args[0] + " " + ShellWords.file(file);
      default -> e.nextStep();
    };
  }

  private static String nearestOption(CommandSpec spec, String wrong, String command) {
    List<String> names =
        spec.options().stream().map(OptionSpec::names).flatMap(Arrays::stream).toList();
    String nearest = SpellingSuggestion.of(wrong, names);
    return nearest.isEmpty() ? "ntrail " + command + " -h" : withHelp(nearest, command);
  }

  /** Returns what was probably meant, and where to read more, in two columns. */
  private static String withHelp(String meant, String command) {
    return meant + " ".repeat(Math.max(2, 47 - meant.length())) + "help: ntrail " + command + " -h";
  }

  private static int internals(Terminal terminal, Throwable failure) {
    terminal.out().flush();
    failure.printStackTrace(terminal.err());
    return ExitCode.FAILED;
  }

  private static int fail(Terminal terminal, String message, String nextStep, int exitCode) {
    return fail(terminal, message, List.of(), nextStep, exitCode);
  }

  private static int fail(
      Terminal terminal, String message, List<String> excerpt, String nextStep, int exitCode) {
    terminal.out().flush();
    terminal.err().println("ntrail: " + message);
    excerpt.forEach(line -> terminal.err().println("  " + line));
    if (!nextStep.isEmpty()) {
      terminal.err().println((nextStep.startsWith("readable: ") ? "" : "try: ") + nextStep);
    }
    return exitCode;
  }
}
