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
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SchemaFiles;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.ParseResult;

/**
 * Merge of recordings, with what the machine knows of them.
 *
 * @param machine that is asked
 * @param parsed options of {@code ntrail merge}, or of another command that merges
 */
public record Merging(MergeMachine machine, ParseResult parsed, Terminal terminal) {
  /**
   * Merges, and reports.
   *
   * @param paths files of one machine and boot
   * @param file that is written
   * @param keys adds keys to the report in JSON
   * @return the exit code
   */
  public int run(List<Path> paths, OutputFile file, Format format, Consumer<Json> keys) {
    terminal.interruption().leavesNoPart();
    EtwRecording opened;
    try (RecordingInput input = RecordingInput.of(paths, Ability.EVENTS)) {
      opened = input.open(EtwRecording.class);
    }
    boolean isPacked = CommonOptions.has(parsed, MergeCommand.PACK);
    try (EtwRecording recording = opened;
        OutputFile merged = isPacked ? OutputFile.reserve(file.place(), "-o") : file) {
      boolean isCompressed = CompressOption.isCompressed(parsed, recording, MergeCommand.EXAMPLE);
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
      new WrittenReport(recording, file, written, bytes, more, terminal, keys).print(format);
      return Losses.finish(recording, parsed, terminal);
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
