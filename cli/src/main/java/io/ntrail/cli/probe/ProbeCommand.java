package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.sources.ProbeCatalog;
import io.ntrail.analysis.probe.sources.ProbeRun;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail probe 'PROGRAM' FILE}: runs a program in the D language over a recording, or over a
 * program that runs.
 */
public final class ProbeCommand implements Command {
  private static final String EXAMPLE =
      "ntrail probe 'kernel::FileIo:Read { @[execname] = count(); }' recording.etl";

  private static final String LIVE_EXAMPLE =
      "ntrail probe 'shopcore!Stock::Match:entry { @ = count(); }' -- shopd.exe";

  public ProbeCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command(
            "probe", "Programs in the D language over recordings and running programs.");
    spec.addOption(CommonOptions.value("FILE.d", "the program of this file", "-s", "--script"));
    spec.addOption(CommonOptions.flag("the probes of the recording", "-l", "--list"));
    spec.addOption(
        CommonOptions.values("NAME[=VALUE]", "an option of the language: quiet, strsize=1k", "-x"));
    spec.addOption(CommonOptions.value("NAME|PID", "watches a running program", "-p", "--process"));
    LiveRequest.options(spec);
    SymbolSearchPath.optionsWithWait(spec);
    spec.addOption(
        CommonOptions.values(
            "FILE", "an instrumentation manifest that describes events", "--manifest"));
    spec.addOption(CommonOptions.values("FILE", "a TMF file that describes WPP messages", "--tmf"));
    CommonOptions.output(spec, "text, json or csv", List.of("text", "json", "csv"));
    CommonOptions.together(spec);
    spec.addPositional(
        CommonOptions.files(
            "the program, then a recording: .etl, .ntr, .jtrc, then $1, $2 ...;"
                + " or -- and a program to start, with its arguments"));
    return spec;
  }

  /** Sets the options of the command line. */
  static Options options(ParseResult parsed) {
    Options options = new Options();
    for (String word : CommonOptions.all(parsed, "-x")) {
      set(options, word);
    }
    return options;
  }

  /** Sets an option: {@code name} or {@code name=value}. */
  static void set(Options options, String word) {
    int equals = word.indexOf('=');
    Optional<String> value =
        equals < 0 ? Optional.empty() : Optional.of(word.substring(equals + 1));
    options
        .set(equals < 0 ? word : word.substring(0, equals), value)
        .ifPresent(why -> {
          throw new UsageError("-x " + word + ": " + why, "-x quiet");
        });
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<String> words = new ArrayList<>(CommonOptions.positionals(parsed));
    List<String> started = started(parsed);
    words.subList(words.size() - started.size(), words.size()).clear();
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.CSV);
    boolean isList = CommonOptions.has(parsed, "-l");
    Options options = options(parsed);
    if (isList) {
      return list(words, format, parsed, system);
    }
    ProbeProgram program =
        CommonOptions.has(parsed, "-s")
            ? ProbeProgram.ofFile(CommonOptions.path(CommonOptions.text(parsed, "-s", "")))
            : first(words);
    Optional<LiveRequest> live = LiveRequest.of(started, parsed, LIVE_EXAMPLE);
    List<Path> paths =
        words.isEmpty() || live.isPresent()
            ? List.of()
            : List.of(CommonOptions.path(words.removeFirst()));
    words.addFirst(program.name().isEmpty() ? "probe" : program.name());
    ProbePreparation preparation = new ProbePreparation(List.of(program), words, options, false);
    try (Terminal terminal = CommonOptions.output(parsed, system);
        ProbeInput input = preparation.open(paths, live, parsed, terminal)) {
      ProbeRun run = preparation.compile(input, parsed, terminal);
      ProbeAnswer answer = new ProbeAnswer(input, options, run, parsed, terminal);
      switch (format) {
        case JSON -> answer.json();
        case CSV -> answer.csv();
        default -> answer.text();
      }
      return input.finish(parsed, terminal);
    }
  }

  /** Returns the words behind {@code --}: a program and its arguments. */
  private static List<String> started(ParseResult parsed) {
    List<String> all = parsed.originalArgs();
    int mark = all.indexOf("--");
    return mark < 0 ? List.of() : all.subList(mark + 1, all.size());
  }

  private static ProbeProgram first(List<String> words) {
    if (words.isEmpty()) {
      throw new UsageError("probe needs a program", EXAMPLE);
    }
    return ProbeProgram.ofCommandLine(words.removeFirst());
  }

  private static int list(List<String> words, Format format, ParseResult parsed, Terminal system) {
    if (format != Format.TEXT) {
      throw new UsageError("the list of probes is text", "ntrail probe -l recording.etl");
    }
    if (words.isEmpty()) {
      throw new UsageError("-l needs a recording", "ntrail probe -l recording.etl");
    }
    List<Path> paths = List.of(CommonOptions.path(words.getFirst()));
    try (Terminal terminal = CommonOptions.output(parsed, system);
        ProbeInput input = ProbeInput.open(paths, false, parsed, terminal)) {
      ProbeList.print(
          new ProbeCatalog(input.source()).all(), CommonOptions.has(parsed, "-v"), terminal.out());
      return input.finish(parsed, terminal);
    }
  }
}
