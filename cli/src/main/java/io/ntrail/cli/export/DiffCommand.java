package io.ntrail.cli.export;

import io.ntrail.analysis.naming.ModuleBuilds.Difference;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.flamegraph.FlameGraph;
import io.ntrail.export.stacks.FlatStacks;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.FrameNames;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail diff BEFORE AFTER}: what changed from one profile to another. */
public final class DiffCommand implements Command {
  public DiffCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("diff", "What changed from one profile to another.");
    ExportCommand.addChoice(spec);
    spec.addOption(
        CommonOptions.value(
            "self|incl", "compare self or inclusive weights (default: self)", "-s", "--sort"));
    spec.addOption(
        CommonOptions.value(
            "N",
            "at most N rows; 0 for all (default: 20 on a terminal, else all)",
            "-n",
            "--limit"));
    spec.addOption(
        CommonOptions.flag("treat hexadecimal numbers in names as equal", "--strip-hex"));
    spec.addOption(
        CommonOptions.flag(
            "strip process ids from collapsed stacks, as for recordings", "--strip-pid"));
    ExportCommand.addFormat(spec, ExportFormat.allComparing());
    spec.addOption(
        CommonOptions.flag(
            "weights of the first profile are scaled to the total of the second", "--normalize"));
    spec.addOption(
        CommonOptions.flag(
            "a flame graph as wide as the first profile: shows what is gone", "--swap"));
    CommonOptions.output(spec, "text, json, jsonl or csv");
    spec.addPositional(
        CommonOptions.files(
            "two recordings (.etl, .ntr, .jtrc, also packed) or two files of collapsed stacks"));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    DiffRequest request = DiffRequest.of(parsed, system);
    List<Path> paths = CommonOptions.paths(parsed, "diff");
    if (paths.size() != 2) {
      throw new UsageError(
          "diff takes two files, not " + paths.size(), "ntrail diff before.etl after.etl");
    }
    ProfileShape shape =
        request.needsStacks() ? ProfileShape.tree(parsed) : ProfileShape.flat(parsed);
    boolean toFile = request.to().isPresent();
    try (Terminal terminal = toFile ? system : CommonOptions.output(parsed, system);
        StackInput before = StackInput.open(paths.subList(0, 1), shape, parsed, terminal);
        StackInput after = StackInput.open(paths.subList(1, 2), shape, parsed, terminal)) {
      comparable(before, after);
      Map<String, Difference> rebuilt = before.builds().differences(after.builds());
      StackTree tree = new StackTree(2);
      // Ids of processes are others in every recording.
      before.addTo(tree, 0, naming(before, request, rebuilt.keySet()));
      after.addTo(tree, 1, naming(after, request, rebuilt.keySet()));
      tree.settle();
      if (toFile) {
        export(request, paths, before, after, tree, parsed, terminal);
      } else {
        List<DiffRow> rows =
            DiffRow.join(
                profile(before, tree, 0, request, rebuilt.keySet()),
                profile(after, tree, 1, request, rebuilt.keySet()),
                request.bySelf());
        DifferentBuilds builds = DifferentBuilds.of(rebuilt, rows);
        new DiffView(before.page(), after.page(), request, builds, terminal).print(rows);
      }
      closing("before", before, request, terminal);
      closing("after", after, request, terminal);
      hint(request, paths, parsed, terminal);
      terminal.out().flush();
      return Math.max(before.finish(toFile), after.finish(toFile));
    }
  }

  /** Prints which weights a side lacks: JSON has members for it. */
  private static void closing(
      String side, StackInput input, DiffRequest request, Terminal terminal) {
    if (request.to().isEmpty() && request.format() == CommonOptions.Format.JSON) {
      return;
    }
    for (String line : input.closing()) {
      if (request.isText()) {
        terminal.out().println(side + ": " + line);
      } else {
        terminal.out().flush();
        terminal.err().println("warning: " + side + ": " + line);
      }
    }
  }

  private static void hint(
      DiffRequest request, List<Path> paths, ParseResult parsed, Terminal terminal) {
    boolean wanted = terminal.errIsTerminal() && !CommonOptions.has(parsed, "-q");
    if (wanted && request.isText()) {
      terminal.out().flush();
      String both = ShellWords.file(paths.get(0)) + " " + ShellWords.file(paths.get(1));
      terminal.err().println("hint: ntrail diff " + both + " --to flamegraph -o diff.html");
    }
  }

  /** Weights that are of different kinds have no difference. */
  private static void comparable(StackInput before, StackInput after) {
    String first = before.page().unitOfWeights();
    String second = after.page().unitOfWeights();
    boolean untold = before instanceof CollapsedStacks || after instanceof CollapsedStacks;
    if (!untold && !first.equals(second)) {
      throw new CannotGoOn(
          "profiles have different units (%s and %s): not comparable".formatted(first, second), "");
    }
  }

  private static FrameNameOptions naming(
      StackInput input, DiffRequest request, Set<String> rebuilt) {
    boolean ids = request.naming().ids() && input instanceof CollapsedStacks;
    return new FrameNameOptions(ids, request.naming().numbers(), rebuilt);
  }

  private static DiffRow.Profile profile(
      StackInput input, StackTree tree, int column, DiffRequest request, Set<String> rebuilt) {
    long total = input.page().total();
    if (!request.needsStacks() && !(input instanceof CollapsedStacks)) {
      return DiffRow.Profile.of(input.rows(), input.openRows(), rebuilt, total);
    }
    List<FlatStacks.Row> rows =
        FlatStacks.of(
            tree,
            column,
            name ->
                request.byModule()
                    ? Objects.requireNonNullElse(FrameNames.module(name), name)
                    : name);
    return DiffRow.Profile.of(rows, input.openRows(), request.byModule(), total);
  }

  private static void align(StackTree tree) {
    try {
      tree.align();
    } catch (ArithmeticException e) {
      throw new CannotGoOn(
          "weights of one profile are too large for the decimals of the other one",
          "ntrail diff without --to");
    }
  }

  private static void export(
      DiffRequest request,
      List<Path> paths,
      StackInput before,
      StackInput after,
      StackTree tree,
      ParseResult parsed,
      Terminal terminal) {
    String told =
        before.page().weight(tree.total(0))
            + " and "
            + after.page().weight(tree.total(1))
            + " "
            + after.page().unit()
            + " in "
            + Numbers.counted(tree.stacks(), "stack");
    align(tree);
    if (request.normalize()) {
      tree.normalize();
    }
    FlameGraph.Heading heading =
        ExportCommand.heading(
            paths, DiffView.heading(before.told(), after.told()), after.page().unitOfWeights());
    ExportFile.of(terminal)
        .write(
            terminal,
            told,
            out ->
                request
                    .to()
                    .orElseThrow()
                    .write(
                        tree,
                        new ExportFormat.Page(
                            heading,
                            new FlameGraph.Options(request.least(), request.swap() ? 0 : 1),
                            CommonOptions.has(parsed, "--annotate")),
                        out));
  }
}
