package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.merge.ImageIdentities;
import io.ntrail.analysis.merge.RecordingMerge;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.analysis.model.Ability;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolStores;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail merge A.etl B.etl -o AB.etl}: one recording out of several. */
public final class MergeCommand implements Command {
  private static final String EXAMPLE = "ntrail merge kernel.etl user.etl -o all.etl";
  private static final String IMAGE_PATH = "--image-path";

  public MergeCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("merge", "One recording out of several.");
    OutputOptions.add(spec, "the new recording", "-o", "--output");
    CompressOption.add(spec);
    spec.addOption(
        CommonOptions.values(
            "FOLDER", "adds the PDB ids of images that are in this folder", IMAGE_PATH));
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
    EtwRecording opened;
    try (RecordingInput input = RecordingInput.of(paths, Ability.EVENTS)) {
      opened = input.open(EtwRecording.class);
    }
    try (EtwRecording recording = opened;
        Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      boolean isCompressed = CompressOption.isCompressed(parsed, recording, EXAMPLE);
      ImageIdentities.Found more = identities(parsed, recording);
      Written written = write(recording, file, isCompressed, more);
      file.complete();
      new WrittenReport(recording, file, written, more, terminal).print(format);
      return Losses.finish(recording, parsed, terminal);
    }
  }

  /** Looks for images, if folders of them are named. */
  private static ImageIdentities.Found identities(ParseResult parsed, EtwRecording recording) {
    List<SymbolPath.Element> folders =
        CommonOptions.all(parsed, IMAGE_PATH).stream()
            .<SymbolPath.Element>map(folder -> new SymbolPath.Folder(CommonOptions.path(folder)))
            .toList();
    if (folders.isEmpty()) {
      return ImageIdentities.Found.NONE;
    }
    SymbolPath.Host host = SymbolPath.Host.here();
    SymbolStores stores = SymbolStores.of(new SymbolPath(folders, List.of(), host.home()), host);
    Events events =
        Events.of(
            recording,
            new SchemaSources(UserSchemas.NONE),
            CommonOptions.cores(parsed),
            Events.Learn.ADDRESSES);
    return ImageIdentities.of(events, stores);
  }

  private static Written write(
      EtwRecording recording, OutputFile file, boolean isCompressed, ImageIdentities.Found more) {
    try (SeekableByteChannel channel = file.openChannel()) {
      return RecordingMerge.write(recording, channel, isCompressed, more);
    } catch (IOException e) {
      throw file.failed(e);
    }
  }
}
