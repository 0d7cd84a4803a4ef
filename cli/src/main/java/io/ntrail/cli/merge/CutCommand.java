package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.merge.Additions;
import io.ntrail.analysis.merge.RecordingCut;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.analysis.model.Ability;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventFilterOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SchemaFiles;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail cut FILE --time 12..14 -p shop.exe -o small.etl}: a smaller recording. */
public final class CutCommand implements Command {
  private static final String EXAMPLE = "ntrail cut shop.etl --time 12..14 -o small.etl";
  private static final String EVERY = "--every";

  public CutCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("cut", "A smaller recording out of one.");
    EventFilterOptions.add(spec);
    spec.addOption(CommonOptions.value("N", "one of N samples of each processor", EVERY));
    OutputOptions.add(spec, "the new recording", "-o", "--output");
    CompressOption.add(spec);
    spec.addOption(
        CommonOptions.values(
            "FILE", "an instrumentation manifest that describes events", "--manifest"));
    spec.addOption(CommonOptions.values("FILE", "a TMF file that describes WPP messages", "--tmf"));
    spec.addOption(CommonOptions.value("text|json", "how the report is written", "--format"));
    spec.addPositional(
        CommonOptions.words("FILE", "recordings of one machine and boot", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    List<Path> paths = CommonOptions.positionals(parsed).stream().map(CommonOptions::path).toList();
    if (paths.isEmpty()) {
      throw new UsageError("cut needs a recording", EXAMPLE);
    }
    OutputFile file =
        terminal
            .outputs()
            .of("-o")
            .orElseThrow(() -> new UsageError("cut needs a file: -o FILE.etl", EXAMPLE));
    TimeRange range = TimeRange.withClock(CommonOptions.text(parsed, "--time", ".."));
    EventFilter filter = EventFilterOptions.filter(parsed);
    int every = every(parsed);
    if (range.whole() && filter.passesAll() && every == 1) {
      throw new UsageError(
          "cut needs what is to be kept: --time, -p, -t, -e, --cpu, --where or --every", EXAMPLE);
    }
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    SchemaSources sources = new SchemaSources(SchemaFiles.read(parsed, terminal));
    EtwRecording opened;
    try (RecordingInput input = RecordingInput.of(paths, Ability.EVENTS)) {
      opened = input.open(EtwRecording.class);
    }
    try (EtwRecording recording = opened;
        Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      TimeRange within = range.in(recording);
      boolean isCompressed = CompressOption.isCompressed(parsed, recording, EXAMPLE);
      Events events = Events.of(recording, sources, CommonOptions.cores(parsed));
      RecordingCut.Request request =
          new RecordingCut.Request(
              within.fromNanos(), within.toNanos(), filter, every, words(parsed));
      Written written = write(events, request, file, isCompressed);
      file.complete();
      new WrittenReport(recording, file, written, written.bytes(), Additions.NONE, terminal)
          .print(format);
      EventRemarks.unmatched(events.unmatched(filter), !within.whole(), false, terminal);
      return Losses.finish(recording, parsed, terminal);
    }
  }

  private static int every(ParseResult parsed) {
    long every = CommonOptions.number(parsed, EVERY, 1);
    if (every < 1 || every > Integer.MAX_VALUE) {
      throw new UsageError(EVERY + " takes a number from 1 on", EVERY + " 10");
    }
    return (int) every;
  }

  private static String words(ParseResult parsed) {
    return EventFilterOptions.words(parsed);
  }

  private static Written write(
      Events events, RecordingCut.Request request, OutputFile file, boolean isCompressed) {
    try (SeekableByteChannel channel = file.openChannel()) {
      return RecordingCut.write(events, request, channel, isCompressed);
    } catch (IOException e) {
      throw file.failed(e);
    }
  }
}
