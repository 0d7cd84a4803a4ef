package io.ntrail.cli.merge;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail merge A.etl B.etl -o AB.etl}: one recording out of several. */
public final class MergeCommand implements Command {
  static final String EXAMPLE = "ntrail merge kernel.etl user.etl -o all.etl";

  private static final String MANIFEST = "--manifest";
  static final String PACK = "--pack";

  private final MergeMachine machine;

  public MergeCommand() {
    this(MergeMachine.here());
  }

  /** Makes a command that asks another machine than that which it runs on. */
  public MergeCommand(MergeMachine machine) {
    this.machine = machine;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("merge", "One recording out of several.");
    OutputOptions.add(spec, "the new recording", "-o", "--output");
    CompressOption.add(spec);
    spec.addOption(
        SymbolSearchPath.imageFolders("adds the PDB ids of images that are in this folder"));
    spec.addOption(
        CommonOptions.values(
            "FILE", "adds the event schemas of an instrumentation manifest", MANIFEST));
    spec.addOption(
        CommonOptions.flag("a zip with the PDBs at hand of its images: -o NAME.etl.zip", PACK));
    spec.addOption(SymbolSearchPath.option());
    spec.addOption(CommonOptions.value("text|json", "how the report is written", "--format"));
    spec.addPositional(
        CommonOptions.words("FILE", "recordings of one machine and boot", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    List<Path> paths = CommonOptions.positionals(parsed).stream().map(CommonOptions::path).toList();
    if (paths.isEmpty()) {
      throw new UsageError("merge needs recordings", EXAMPLE);
    }
    OutputFile file =
        terminal
            .outputs()
            .of("-o")
            .orElseThrow(() -> new UsageError("merge needs a file: -o FILE.etl", EXAMPLE));
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    check(parsed, file);
    return new Merging(machine, parsed, terminal).run(paths, file, format, _ -> {});
  }

  /** Refuses what could not be done at the end. */
  private static void check(ParseResult parsed, OutputFile file) {
    if (CommonOptions.has(parsed, PACK)) {
      PackedRecording.name(file);
    } else if (CommonOptions.has(parsed, "-y")) {
      throw new UsageError("-y applies to --pack", "ntrail merge a.etl --pack -o all.etl.zip");
    }
  }
}
