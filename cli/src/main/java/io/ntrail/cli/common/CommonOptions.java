package io.ntrail.cli.common;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.text.ColorUse;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** The options that mean the same in every command. */
public final class CommonOptions {
  /** Form of an answer. */
  public enum Format {
    TEXT,
    JSON,
    JSONL,
    CSV,
    /** Stacks, one line each; of profiles alone. */
    COLLAPSED
  }

  private static final OptionValues<ColorUse> COLORS =
      OptionValues.of("--color", List.of(ColorUse.values()));

  private static final List<String> FORMATS =
      OptionValues.of("--format", List.of(Format.TEXT, Format.JSON, Format.JSONL, Format.CSV))
          .words();

  /** Rows that a terminal shows unless told otherwise. */
  private static final long ROWS_OF_SCREEN = 20;

  private CommonOptions() {}

  public static CommandSpec command(String name, String purpose) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(null, new ListFactory()).name(name);
    spec.usageMessage().description(purpose);
    spec.addOption(flag("ASCII only", "--ascii"));
    spec.addOption(oneOf(COLORS.words(), "WHEN", "colour: auto, always or never", "--color"));
    spec.addOption(flag("never through a pager", "--no-pager"));
    spec.addOption(flag("no progress and no hints", "-q", "--quiet"));
    spec.addOption(flag("verbose; -vv: also internals", "-v", "--verbose"));
    return spec;
  }

  /**
   * Returns the parser of the words of a command, without what picocli makes ready for others:
   * short commands would wait for it.
   */
  public static CommandLine parser(CommandSpec spec) {
    System.setProperty("picocli.converters.excludes", "java.[st].*");
    CommandLine line = new CommandLine(spec, new ListFactory());
    line.setUnmatchedOptionsArePositionalParams(false);
    line.setOverwrittenOptionsAllowed(true);
    line.setExpandAtFiles(false);
    return line;
  }

  /**
   * Makes lists, for repeated options: commands are described without annotations, so that nothing
   * else is made. The factory of picocli looks for a class of Groovy and opens all jars for it.
   */
  private static final class ListFactory implements IFactory {
    @Override
    public <K> K create(Class<K> type) {
      return type.cast(new ArrayList<>());
    }
  }

  public static OptionSpec flag(String description, String... names) {
    return OptionSpec.builder(names)
        .arity("0")
        .type(boolean.class)
        .description(description)
        .build();
  }

  public static OptionSpec value(String label, String description, String... names) {
    return OptionSpec.builder(names)
        .arity("1")
        .type(String.class)
        .paramLabel(label)
        .description(description)
        .build();
  }

  /** An option that may have a value; without one its text is empty. */
  public static OptionSpec optional(String label, String description, String... names) {
    return OptionSpec.builder(names)
        .arity("0..1")
        .fallbackValue("")
        .type(String.class)
        .paramLabel(label)
        .description(description)
        .build();
  }

  /** An option that may be given several times. */
  public static OptionSpec values(String label, String description, String... names) {
    return OptionSpec.builder(names)
        .arity("1")
        .type(List.class)
        .auxiliaryTypes(String.class)
        .paramLabel(label)
        .description(description)
        .build();
  }

  /** All values of an option that may be given several times. */
  public static List<String> all(ParseResult parsed, String name) {
    return parsed.hasMatchedOption(name) ? parsed.matchedOption(name).stringValues() : List.of();
  }

  /** An option whose values are known, so that shells can offer them. */
  public static OptionSpec oneOf(
      List<String> values, String label, String description, String name) {
    return OptionSpec.builder(name)
        .arity("1")
        .type(String.class)
        .paramLabel(label)
        .completionCandidates(values)
        .description(description)
        .build();
  }

  /** Adds the option of commands that read several files as one recording. */
  public static void together(CommandSpec spec) {
    spec.addOption(
        flag(
            "read files of different machines, boots or times (over an hour apart) as one recording",
            "--together"));
  }

  /** Returns whether several files are one recording, whatever speaks against it. */
  public static boolean isTogether(ParseResult parsed) {
    return has(parsed, "--together");
  }

  /** One file of events or several. */
  public static PositionalParamSpec files() {
    return files("a recording: .etl, also inside .zip, .gz, .cab or .diagsession");
  }

  /** Files of events, or one call recording. */
  public static PositionalParamSpec recordings() {
    return files(
        "a recording: .etl, also inside .zip, .gz, .cab or .diagsession; or a call recording: .ntr, .jtrc");
  }

  public static PositionalParamSpec files(String description) {
    return PositionalParamSpec.builder()
        .index("0..*")
        .arity("0..*")
        .type(List.class)
        .auxiliaryTypes(String.class)
        .paramLabel("FILE")
        .description(description)
        .build();
  }

  /**
   * Adds an option whose values are not files.
   *
   * @param values what they can be, so that shells can offer them; empty if unknown
   */
  public static PositionalParamSpec words(String label, String description, List<String> values) {
    return PositionalParamSpec.builder()
        .completionCandidates(values)
        .index("0..*")
        .arity("0..*")
        .type(List.class)
        .auxiliaryTypes(String.class)
        .paramLabel(label)
        .description(description)
        .build();
  }

  /** The options about output that every command which prints data has. */
  public static void output(CommandSpec spec, String formats) {
    output(spec, formats, FORMATS);
  }

  /** Adds the options about output for a command that has formats of its own. */
  public static void output(CommandSpec spec, String formats, List<String> names) {
    String how = "output format: " + formats;
    spec.addOption(oneOf(names, "FORMAT", how, "--format"));
    spec.addOption(
        flag(
            "with --format csv: a quote (') before texts that begin with = + - @, a tab or a"
                + " carriage return, so that no spreadsheet runs them as formulas",
            "--csv-safe"));
    spec.addOption(flag("do not truncate to the terminal width", "--wide"));
    destination(spec);
  }

  /** Adds the options of where an answer goes and how it is made. */
  public static void destination(CommandSpec spec) {
    OutputOptions.add(spec, "output file; - is standard output", "-o", "--output");
    spec.addOption(flag("exit with 3 also for lost events and missing symbols", "--strict"));
    spec.addOption(value("N", "threads to use (default: all cores)", "--cores"));
  }

  /** Returns the columns of the terminal to which tables are cut; 0 to cut nothing. */
  public static int width(ParseResult parsed, Terminal terminal) {
    return has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
  }

  /** Returns whether the answer is text on a terminal, where a person reads it. */
  public static boolean isOnScreen(ParseResult parsed, Format format, Terminal terminal) {
    boolean toFile =
        parsed.commandSpec().findOption("-o") != null && terminal.outputs().of("-o").isPresent();
    return format == Format.TEXT && terminal.outIsTerminal() && !toFile;
  }

  /**
   * Returns how many rows the answer has at most, 0 for all: those of {@code -n}, else 20 on a
   * terminal. Text in a file or a pipe is whole.
   */
  public static long limit(ParseResult parsed, Format format, Terminal terminal) {
    return has(parsed, "-n")
        ? number(parsed, "-n", ROWS_OF_SCREEN)
        : isOnScreen(parsed, format, terminal) ? ROWS_OF_SCREEN : 0;
  }

  /** Follows the options that every command has. */
  public static void follow(ParseResult parsed, Terminal terminal) {
    terminal.useColors(COLORS.value(parsed, ColorUse.AUTO));
  }

  public static boolean has(ParseResult parsed, String name) {
    return parsed.hasMatchedOption(name);
  }

  public static String text(ParseResult parsed, String name, String otherwise) {
    return parsed.hasMatchedOption(name)
        ? String.valueOf((Object) parsed.matchedOptionValue(name, otherwise))
        : otherwise;
  }

  public static List<String> positionals(ParseResult parsed) {
    List<String> words = new ArrayList<>();
    // One that is in front of an option and after it is matched twice, each time with all.
    for (PositionalParamSpec positional : new LinkedHashSet<>(parsed.matchedPositionals())) {
      words.addAll(positional.stringValues());
    }
    return words;
  }

  /** Returns the values of an option of which one may name several, with commas between them. */
  public static List<String> names(ParseResult parsed, String name) {
    List<String> names = new ArrayList<>();
    for (String text : all(parsed, name)) {
      if (text.startsWith("/")) {
        names.add(text);
      } else {
        Arrays.stream(text.split(",", -1))
            .map(String::strip)
            .filter(part -> !part.isEmpty())
            .forEach(names::add);
      }
    }
    return names;
  }

  /**
   * Returns the patterns of an option of which one value may name several processes or threads.
   *
   * @param example of its value, for who gives a regular expression that is none
   */
  public static List<NamePattern> owners(ParseResult parsed, String name, String example) {
    return patterns(names(parsed, name), name, example);
  }

  /**
   * Returns the patterns of an option.
   *
   * @param example of its value, for who gives a regular expression that is none
   */
  public static List<NamePattern> patterns(ParseResult parsed, String name, String example) {
    return patterns(all(parsed, name), name, example);
  }

  private static List<NamePattern> patterns(List<String> texts, String name, String example) {
    return texts.stream().map(text -> pattern(text, name, example)).toList();
  }

  /**
   * Returns the pattern that a value of an option is.
   *
   * @param example of its value, for who gives a regular expression that is none
   */
  public static NamePattern pattern(String text, String name, String example) {
    try {
      return NamePattern.of(text);
    } catch (IllegalArgumentException e) {
      throw new UsageError(String.valueOf(e.getMessage()), name + " " + example);
    }
  }

  public static List<Path> paths(ParseResult parsed, String command) {
    List<String> words = positionals(parsed);
    if (words.isEmpty()) {
      throw new UsageError(command + " needs a file", "ntrail " + command + " recording.etl");
    }
    if (words.contains("-")) {
      throw new CannotGoOn(
          "a recording cannot be read from standard input: it needs random access",
          "ntrail " + command + " recording.etl");
    }
    return words.stream().map(CommonOptions::path).toList();
  }

  public static Path path(String word) {
    try {
      return Path.of(word);
    } catch (InvalidPathException e) {
      throw CannotGoOn.noSuchFile(word + " (" + e.getReason() + ")", "");
    }
  }

  /**
   * Returns the form that {@code --format} names.
   *
   * @param allowed those that a command has
   */
  public static Format format(ParseResult parsed, Format... allowed) {
    return OptionValues.of("--format", List.of(allowed))
        .ignoringCase()
        .example("json")
        .value(parsed, Format.TEXT);
  }

  public static int cores(ParseResult parsed) {
    if (!has(parsed, "--cores")) {
      return Runtime.getRuntime().availableProcessors();
    }
    return Math.clamp(number(parsed, "--cores", 1), 1, 256);
  }

  public static long number(ParseResult parsed, String name, long otherwise) {
    String text = text(parsed, name, Long.toString(otherwise));
    try {
      long number = Long.parseLong(text.replace(",", ""));
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageError(
        name + " takes a number, not " + text, name + " " + Math.max(1, otherwise));
  }

  /**
   * A size: a number of bytes, or one with K, M or G after it (1,024 and so on); 0 if not given.
   */
  public static long size(ParseResult parsed, String name) {
    if (!has(parsed, name)) {
      return 0;
    }
    String text = text(parsed, name, "");
    Matcher parts = Pattern.compile("(\\d{1,9})([KMGkmg]?)(i?[Bb])?").matcher(text);
    if (!parts.matches()) {
      throw new UsageError(name + " takes a size, not " + text, name + " 100M");
    }
    int shift = 10 * " KMG".indexOf((parts.group(2) + " ").toUpperCase(Locale.ROOT).charAt(0));
    return Long.parseLong(parts.group(1)) << Math.max(0, shift);
  }

  /** Adds options of another command, as they are there. */
  public static void like(CommandSpec spec, CommandSpec other, String... names) {
    for (String name : names) {
      spec.addOption(OptionSpec.builder(other.findOption(name)).build());
    }
  }

  /** Returns the terminal with the output of {@code -o}. */
  public static Terminal output(ParseResult parsed, Terminal terminal) {
    Terminal output =
        has(parsed, "-o")
            ? terminal.outputs().of("-o").map(terminal::withOutput).orElse(terminal)
            : has(parsed, "--no-pager") ? terminal : terminal.paged();
    if (has(parsed, "--csv-safe")) {
      output.makeCsvSafe();
    }
    if (!parsed.commandSpec().name().equals("export")
        && !has(parsed, "--to")
        && text(parsed, "--format", "text").equalsIgnoreCase(OptionValues.word(Format.TEXT))) {
      output.colorAnswer();
      if (!has(parsed, "--wide")) {
        output.wrapAnswer();
      }
    }
    return output;
  }
}
