package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.sources.ProbeCatalog;
import io.ntrail.analysis.probe.sources.ProbeRun;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.syntax.ProbeDescription.Field;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail dtrace --recording FILE ...}: dtrace's own letters over a recording, for scripts
 * and for who has them in the fingers. Ends with the status of exit().
 */
public final class DtraceCommand implements Command {
  private static final String EXAMPLE =
      "ntrail dtrace --recording recording.etl -n 'kernel:::Read { @[execname] = count(); }'";

  private static final String LIVE_EXAMPLE =
      "ntrail dtrace -n 'pid$target::ReadFile:entry { @ = count(); }' -c shopd.exe";

  /** Word of a command line, which may have quotes. */
  private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\")+");

  /** Letters that enable probes, and the field that a word without colons stands for. */
  private static final Map<String, ProbeDescription.Field> FIELDS = fields();

  public DtraceCommand() {}

  private static Map<String, ProbeDescription.Field> fields() {
    Map<String, ProbeDescription.Field> fields = new LinkedHashMap<>();
    fields.put("-n", ProbeDescription.Field.NAME);
    fields.put("-f", ProbeDescription.Field.FUNCTION);
    fields.put("-m", ProbeDescription.Field.MODULE);
    fields.put("-P", ProbeDescription.Field.PROVIDER);
    // A number is one in any field.
    fields.put("-i", ProbeDescription.Field.NAME);
    return fields;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("dtrace", "DTrace's command line over a recording.");
    spec.remove(spec.findOption("-q"));
    spec.addOption(CommonOptions.flag("prints only what the program prints", "-q", "--quiet"));
    spec.addOption(CommonOptions.values("FILE", "the recording: .etl, .ntr, .jtrc", "--recording"));
    for (Map.Entry<String, ProbeDescription.Field> field : FIELDS.entrySet()) {
      String what =
          field.getKey().equals("-i") ? "number" : field.getValue().name().toLowerCase(Locale.ROOT);
      spec.addOption(
          CommonOptions.values(
              "PROBE", "probes by their " + what + ", with actions behind them", field.getKey()));
    }
    spec.addOption(CommonOptions.values("FILE.d", "the program of a file", "-s"));
    spec.addOption(CommonOptions.flag("lists probes", "-l"));
    spec.addOption(CommonOptions.flag("indents by the depth of calls", "-F"));
    spec.addOption(CommonOptions.flag("a description may match no probe", "-Z"));
    spec.addOption(CommonOptions.values("NAME[=VALUE]", "an option of the language", "-x"));
    spec.addOption(CommonOptions.value("SIZE", "size of buffers, which grow as they need", "-b"));
    spec.addOption(CommonOptions.value("COMMAND", "runs a program and watches it", "-c"));
    spec.addOption(CommonOptions.value("PID", "watches a running program", "-p"));
    LiveRequest.options(spec);
    SymbolSearchPath.optionsWithWait(spec);
    spec.addOption(
        CommonOptions.values(
            "FILE", "an instrumentation manifest that describes events", "--manifest"));
    spec.addOption(CommonOptions.values("FILE", "a TMF file that describes WPP messages", "--tmf"));
    CommonOptions.destination(spec);
    CommonOptions.together(spec);
    spec.addPositional(CommonOptions.words("ARGUMENT", "$1, $2 ...", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    boolean isList = CommonOptions.has(parsed, "-l");
    List<ProbeProgram> programs = programs(parsed);
    if (programs.isEmpty() && !isList) {
      throw new UsageError("dtrace needs a program", EXAMPLE);
    }
    Options options = ProbeCommand.options(parsed);
    set(options, "quiet", CommonOptions.has(parsed, "-q"));
    set(options, "flowindent", CommonOptions.has(parsed, "-F"));
    if (CommonOptions.has(parsed, "-b")) {
      ProbeCommand.set(options, "bufsize=" + CommonOptions.text(parsed, "-b", ""));
    }
    List<Path> paths =
        CommonOptions.all(parsed, "--recording").stream().map(CommonOptions::path).toList();
    Optional<LiveRequest> live = live(parsed);
    List<String> arguments = new ArrayList<>(CommonOptions.positionals(parsed));
    String name = programs.isEmpty() ? "" : programs.getFirst().name();
    arguments.addFirst(name.isEmpty() ? "dtrace" : name);
    ProbePreparation preparation =
        new ProbePreparation(programs, arguments, options, CommonOptions.has(parsed, "-Z"));
    try (Terminal terminal = CommonOptions.output(parsed, system);
        ProbeInput input = preparation.open(paths, live, parsed, terminal)) {
      if (isList) {
        return list(preparation, input, parsed, terminal);
      }
      return run(preparation, input, parsed, terminal);
    }
  }

  private static Optional<LiveRequest> live(ParseResult parsed) {
    if (CommonOptions.has(parsed, "-c") && CommonOptions.has(parsed, "--recording")
        || CommonOptions.has(parsed, "-p") && CommonOptions.has(parsed, "--recording")) {
      throw new UsageError("--recording and a program that runs exclude each other", EXAMPLE);
    }
    List<String> words = new ArrayList<>();
    for (Matcher matcher = WORD.matcher(CommonOptions.text(parsed, "-c", "")); matcher.find(); ) {
      words.add(matcher.group().replace("\"", ""));
    }
    return LiveRequest.of(words, parsed, LIVE_EXAMPLE);
  }

  private static void set(Options options, String name, boolean isSet) {
    if (isSet) {
      ProbeCommand.set(options, name);
    }
  }

  /** Returns the programs in the order of the command line. */
  private static List<ProbeProgram> programs(ParseResult parsed) {
    List<ProbeProgram> programs = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (OptionSpec option : parsed.matchedOptions()) {
      String letter = option.shortestName();
      boolean isFile = letter.equals("-s");
      if (!isFile && !FIELDS.containsKey(letter)) {
        continue;
      }
      List<String> values = CommonOptions.all(parsed, letter);
      int from = seen.getOrDefault(letter, 0);
      // One that stands there several times may be told once, with all its values.
      int times = (int) parsed.matchedOptions().stream().filter(one -> one.equals(option)).count();
      int to = times == values.size() ? from + 1 : values.size();
      for (String value : values.subList(Math.min(from, to), to)) {
        programs.add(
            isFile
                ? ProbeProgram.ofFile(CommonOptions.path(value))
                : new ProbeProgram(value, "", FIELDS.getOrDefault(letter, Field.NAME)));
      }
      seen.put(letter, to);
    }
    return programs;
  }

  private static int run(
      ProbePreparation preparation, ProbeInput input, ParseResult parsed, Terminal terminal) {
    Options options = preparation.options();
    ProbeRun run = preparation.compile(input, parsed, terminal);
    ProbeProgram first = preparation.programs().getFirst();
    if (!options.is("quiet")) {
      terminal
          .err()
          .println(
              "dtrace: %s matched %s"
                  .formatted(
                      first.name().isEmpty()
                          ? "description '" + first.description() + "'"
                          : "script '" + first.name() + "'",
                      Numbers.counted(run.matched(), "probe")));
    }
    ProbeRun.Outcome outcome = new ProbeAnswer(input, options, run, parsed, terminal).text();
    if (!options.is("quiet")) {
      input
          .live()
          .filter(its -> its.hasEnded())
          .ifPresent(
              its -> terminal.err().println("dtrace: pid %d has exited".formatted(its.pid())));
    }
    int code = input.finish(parsed, terminal);
    return outcome.isExited() ? outcome.status() & 0xFF : code;
  }

  private static int list(
      ProbePreparation preparation, ProbeInput input, ParseResult parsed, Terminal terminal) {
    List<ProbeProgram> programs = preparation.programs();
    if (input.live().isPresent()) {
      preparation.compile(input, parsed, terminal);
    }
    ProbeCatalog catalog = new ProbeCatalog(input.source());
    List<Probe> probes = new ArrayList<>();
    if (programs.isEmpty()) {
      probes.addAll(catalog.all());
    }
    for (ProbeProgram program : programs) {
      try {
        Program read =
            Parser.parse(
                program.text(), new Macros(List.of("dtrace"), Map.of()), program.lastField(), true);
        for (Program.Item item : read.items()) {
          if (item instanceof Program.Clause clause) {
            clause.probes().forEach(one -> probes.addAll(catalog.matching(one, false)));
          }
        }
      } catch (CompileError e) {
        throw program.refusal(e);
      }
    }
    ProbeList.print(probes, CommonOptions.has(parsed, "-v"), terminal.out());
    return input.finish(parsed, terminal);
  }
}
