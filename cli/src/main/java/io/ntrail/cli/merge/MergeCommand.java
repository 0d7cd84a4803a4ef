package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.merge.Additions;
import io.ntrail.analysis.merge.EventDescriptions;
import io.ntrail.analysis.merge.ImageIdentities;
import io.ntrail.analysis.merge.MachineImages;
import io.ntrail.analysis.merge.MachineRecords;
import io.ntrail.analysis.merge.RecordingMerge;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.analysis.model.Ability;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SchemaFiles;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail merge A.etl B.etl -o AB.etl}: one recording out of several. */
public final class MergeCommand implements Command {
  private static final String EXAMPLE = "ntrail merge kernel.etl user.etl -o all.etl";

  private static final String MANIFEST = "--manifest";
  private static final String PACK = "--pack";

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
    terminal.interruption().leavesNoPart();
    EtwRecording opened;
    try (RecordingInput input = RecordingInput.of(paths, Ability.EVENTS)) {
      opened = input.open(EtwRecording.class);
    }
    boolean isPacked = CommonOptions.has(parsed, PACK);
    try (EtwRecording recording = opened;
        OutputFile merged = isPacked ? OutputFile.reserve(file.place(), "-o") : file) {
      boolean isCompressed = CompressOption.isCompressed(parsed, recording, EXAMPLE);
      Additions more;
      Written written;
      MergeMachine.Answer asked = machine.ask();
      try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
        more = additions(parsed, recording, asked.images(recording), terminal);
        written = write(recording, merged, isCompressed, more, asked.records());
      }
      more = more.and(asked.records().additions());
      if (isPacked) {
        more = more.and(PackedRecording.write(merged.unfinished(), paths, file, parsed, terminal));
      }
      file.complete();
      long bytes = isPacked ? size(file) : written.bytes();
      new WrittenReport(recording, file, written, bytes, more, terminal).print(format);
      return Losses.finish(recording, parsed, terminal);
    }
  }

  /** Refuses what could not be done at the end. */
  private static void check(ParseResult parsed, OutputFile file) {
    if (CommonOptions.has(parsed, PACK)) {
      PackedRecording.name(file);
    } else if (CommonOptions.has(parsed, "-y")) {
      throw new UsageError("-y applies to --pack", "ntrail merge a.etl --pack -o all.etl.zip");
    }
  }

  private static long size(OutputFile file) {
    try {
      return Files.size(file.place());
    } catch (IOException e) {
      throw file.failed(e);
    }
  }

  /** Looks for what the recording lacks, as far as the options tell where it may be. */
  private static Additions additions(
      ParseResult parsed,
      EtwRecording recording,
      Optional<MachineImages> machine,
      Terminal terminal) {
    boolean hasImages = SymbolSearchPath.hasImageFolders(parsed) || machine.isPresent();
    UserSchemas manifests = SchemaFiles.read(parsed, terminal);
    if (!hasImages && manifests == UserSchemas.NONE) {
      return Additions.NONE;
    }
    Events events =
        Events.of(
            recording,
            new SchemaSources(manifests),
            CommonOptions.cores(parsed),
            hasImages ? new Events.Learn[] {Events.Learn.ADDRESSES} : new Events.Learn[0]);
    Additions more = Additions.NONE;
    if (hasImages) {
      more = more.and(ImageIdentities.of(events, SymbolSearchPath.imageFolders(parsed), machine));
    }
    if (manifests != UserSchemas.NONE) {
      more = more.and(EventDescriptions.of(events, manifests));
    }
    return more;
  }

  private static Written write(
      EtwRecording recording,
      OutputFile file,
      boolean isCompressed,
      Additions more,
      MachineRecords machine) {
    try (SeekableByteChannel channel = file.openChannel()) {
      return RecordingMerge.write(recording, channel, isCompressed, more.records(), machine);
    } catch (IOException e) {
      throw file.failed(e);
    }
  }
}
