package io.ntrail.cli.export;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfileCommand;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.export.flamegraph.FlameGraph;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail export FILE... --to FORMAT}: a profile in the format of another tool. */
public final class ExportCommand implements Command {
  /** Percent of the total below which a page has no frame. */
  static final String LEAST = "0.01";

  private static final String[] OF_PROFILE = {
    "--metric",
    "--wait",
    "--unit",
    "--source",
    "-e",
    "-p",
    "-t",
    "--time",
    "--kernel",
    "--user",
    "--idle",
    "--just-my-code",
    "--fold",
    "--group",
    "--no-inline",
    "--only",
    "--hide",
    "--image-path",
    "--retpoline",
    "-y",
    "--server",
    "--symbols-wait"
  };

  public ExportCommand() {}

  /** Adds the options that choose what a profile adds up. */
  static void addChoice(CommandSpec spec) {
    CommonOptions.like(spec, new ProfileCommand().spec(), OF_PROFILE);
    spec.addOption(
        CommonOptions.value("KEY", "frames are functions (default), lines or modules", "--by"));
  }

  /**
   * Adds the options of the formats of other tools.
   *
   * @param formats those that {@code --to} takes
   */
  static void addFormat(CommandSpec spec, List<ExportFormat> formats) {
    OptionValues<ExportFormat> values = OptionValues.of("--to", formats);
    spec.addOption(
        CommonOptions.oneOf(values.words(), "FORMAT", "output format: " + values.listed(), "--to"));
    spec.addOption(
        CommonOptions.value(
            "PERCENT",
            "merge flame graph frames below this percentage into their callers (default: 0.01)",
            "--min"));
    spec.addOption(
        CommonOptions.flag(
            "annotate frame names of collapsed stacks: _[k] kernel, _[i] inlined,"
                + " _[j] JIT-compiled",
            "--annotate"));
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("export", "A profile in the format of another tool.");
    addFormat(spec, ExportFormat.all());
    spec.addOption(CommonOptions.flag("list the formats", "--list"));
    addChoice(spec);
    CommonOptions.together(spec);
    CommonOptions.destination(spec);
    spec.addPositional(
        CommonOptions.files(
            "a recording: .etl, also inside .zip, .gz, .cab or .diagsession; or a call recording: .ntr,"
                + " .jtrc; or collapsed stacks"));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    if (CommonOptions.has(parsed, "--list")) {
      list(terminal);
      return ExitCode.DONE;
    }
    List<Path> paths = CommonOptions.paths(parsed, "export");
    ExportFormat format = format(parsed);
    sensible(parsed, format);
    ExportFile target = ExportFile.of(terminal);
    double least = ProfileShape.percent(parsed, LEAST);
    ProfileShape shape = ProfileShape.tree(parsed);
    try (StackInput input = StackInput.open(paths, shape, parsed, terminal)) {
      StackTree tree = new StackTree(1);
      input.addTo(tree, 0, FrameNameOptions.WHOLE);
      tree.settle();
      List<String> lines = input.told();
      target.write(
          terminal,
          told(input.page(), tree),
          out ->
              format.write(
                  tree,
                  new ExportFormat.Page(
                      heading(paths, lines, input.page().unitOfWeights()),
                      new FlameGraph.Options(least, 0),
                      CommonOptions.has(parsed, "--annotate")),
                  out));
      input.closing().forEach(line -> terminal.err().println("warning: " + line));
      return input.finish(true);
    }
  }

  /** Refuses options that would have no effect. */
  static void sensible(ParseResult parsed, ExportFormat format) {
    format.mustTake("--min", "--min 1%", parsed);
    format.mustTake("--annotate", "--annotate", parsed);
  }

  /** Returns the format of {@code --to}, or else of the file's name. */
  private static ExportFormat format(ParseResult parsed) {
    if (CommonOptions.has(parsed, "--to")) {
      return ExportFormat.named(CommonOptions.text(parsed, "--to", ""), ExportFormat.all());
    }
    return ExportFormat.ofFile(CommonOptions.text(parsed, "-o", ""), ExportFormat.all())
        .orElseThrow(() ->
            new UsageError(
                "export needs a format: "
                    + String.join(", ", ExportFormat.words(ExportFormat.all())),
                "--to " + ExportFormat.FLAMEGRAPH.text() + " -o profile.html"));
  }

  static FlameGraph.Heading heading(List<Path> paths, List<String> lines, String unit) {
    String title = String.join(", ", paths.stream().map(path -> path.getFileName() + "").toList());
    return new FlameGraph.Heading(title, lines, unit, "ntrail " + Version.NUMBER);
  }

  private static String told(ProfilePage page, StackTree tree) {
    return page.weight(tree.total(0))
        + " "
        + page.unit()
        + " in "
        + Numbers.counted(tree.stacks(), "stack");
  }

  private static void list(Terminal terminal) {
    Table table = new Table().name("format").name("name of file").name("what").remark("read by");
    for (ExportFormat format : ExportFormat.values()) {
      table.row(format.text(), format.suffix(), format.what(), format.reader());
    }
    table.print(terminal.out(), 0, 0);
  }
}
