package io.ntrail.cli.common;

import io.ntrail.cli.text.OutputFiles;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The options that name a file to be written, and what they must not name. */
public final class OutputOptions {
  /** Mark of such an option. */
  private static final String WRITTEN = "written";

  /** Labels of options that name a file to be read, unless they have the mark. */
  private static final Set<String> READ = Set.of("FILE", "PATH", "FOLDER", "DIR");

  private OutputOptions() {}

  /** Returns an option that names a file to be written. */
  static OptionSpec file(String description, String... names) {
    return OptionSpec.builder(CommonOptions.value("FILE", description, names))
        .userObject(WRITTEN)
        .build();
  }

  /** Adds an option that names a file to be written. */
  public static void add(CommandSpec spec, String description, String... names) {
    spec.addOption(file(description, names));
  }

  /** Returns the options of a command that name a file to be written, by their first names. */
  public static List<String> of(CommandSpec spec) {
    return spec.options().stream()
        .filter(OutputOptions::isWritten)
        .map(option -> option.names()[0])
        .toList();
  }

  private static boolean isWritten(OptionSpec option) {
    return WRITTEN.equals(option.userObject());
  }

  /**
   * Reserves the files that a command is to write, before it reads any.
   *
   * @throws UsageError if one is an input file, another output, or of a symbol store
   */
  public static void reserve(ParseResult parsed, Terminal terminal) {
    OutputFiles outputs = terminal.outputs();
    List<OutputFile> files = new ArrayList<>();
    for (String option : of(parsed.commandSpec())) {
      String name = CommonOptions.text(parsed, option, "-");
      if (!name.equals("-")) {
        outputs.reserve(option, CommonOptions.path(name));
        OutputFile file = outputs.of(option).orElseThrow();
        check(parsed, option, name, file, files);
        files.add(file);
      }
    }
  }

  private static void check(
      ParseResult parsed, String option, String name, OutputFile file, List<OutputFile> others) {
    String next = option + " another.file";
    if (Files.isDirectory(file.place())) {
      throw new UsageError(option + " " + name + " is a folder", next);
    }
    if (file.isDirect()) {
      return;
    }
    if (read(parsed).stream().anyMatch(file::isAt)) {
      throw new UsageError(option + " " + name + " would overwrite an input file", next);
    }
    for (OutputFile other : others) {
      if (file.isPlaceOf(other)) {
        throw new UsageError(option + " " + name + " is named by another option, too", next);
      }
    }
    for (Path store : SymbolSearchPath.localStores(parsed)) {
      if (file.isIn(store)) {
        throw new UsageError(
            option + " " + name + " would overwrite a file of the symbol store " + store, next);
      }
    }
  }

  /** Returns the files that the words name and that are read. */
  private static List<Path> read(ParseResult parsed) {
    List<String> words = new ArrayList<>(CommonOptions.positionals(parsed));
    if (parsed.commandSpec().name().equals("trace")) {
      // The others are the program's.
      words.subList(Math.min(1, words.size()), words.size()).clear();
    }
    for (OptionSpec option : parsed.matchedOptionsSet()) {
      if (READ.contains(option.paramLabel()) && !isWritten(option)) {
        words.addAll(CommonOptions.all(parsed, option.longestName()));
      }
    }
    return words.stream()
        .filter(SymbolSearchPath::isPlace)
        .map(CommonOptions::path)
        .filter(Files::isRegularFile)
        .toList();
  }
}
