package io.ntrail.cli.merge;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.merge.Additions;
import io.ntrail.analysis.merge.RecordRewriter;
import io.ntrail.analysis.merge.RecordingCut;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.analysis.merge.RecordingSplit;
import io.ntrail.analysis.merge.calls.CallsCut;
import io.ntrail.analysis.merge.names.NameReplacement;
import io.ntrail.analysis.merge.names.PrivateNames;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.calls.CallFilter;
import io.ntrail.cli.calls.CallsScope;
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
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail cut FILE --time 12..14 -p shop.exe -o small.etl}: a smaller recording. */
public final class CutCommand implements Command {
  private static final String EXAMPLE = "ntrail cut shop.etl --time 12..14 -o small.etl";
  private static final String CALLS_EXAMPLE =
      "ntrail cut shop.ntr --time 12..14 -t 4316 -o small.ntr";
  private static final String EVERY = "--every";
  private static final String FUNCTION = "-f";
  private static final String ANONYMISE = "--anonymise";

  /** Options that recordings of calls do not have. */
  private static final List<String> OF_EVENTS =
      List.of(
          "-e",
          "--cpu",
          "--where",
          EVERY,
          ANONYMISE,
          SplitOption.NAME,
          "--compress",
          "--manifest",
          "--tmf");

  public CutCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("cut", "A smaller recording out of one.");
    EventFilterOptions.add(spec);
    spec.addOption(CommonOptions.value("N", "one of N samples of each processor", EVERY));
    spec.addOption(
        CommonOptions.values(
            "PATTERN",
            "of recordings of calls: only these functions, what they call and their callers",
            FUNCTION,
            "--function"));
    spec.addOption(
        CommonOptions.flag("other names for users, machines, paths, command lines", ANONYMISE));
    OutputOptions.add(spec, "the new recording", "-o", "--output");
    SplitOption.add(spec);
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
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    terminal.interruption().leavesNoPart();
    Recording opened;
    try (RecordingInput input = RecordingInput.of(paths, Ability.EVENTS, Ability.CALLS)) {
      opened = input.open();
    }
    try (Recording recording = opened) {
      return switch (recording) {
        case EtwRecording events -> events(events, file, format, parsed, terminal);
        case CallRecording calls -> calls(calls, file, format, parsed, terminal);
        default ->
            throw new UsageError(
                "cut is for recordings: .etl, .ntr or .jtrc, not " + paths.getFirst(), EXAMPLE);
      };
    }
  }

  private static int events(
      EtwRecording recording,
      OutputFile file,
      Format format,
      ParseResult parsed,
      Terminal terminal) {
    if (CommonOptions.has(parsed, FUNCTION)) {
      throw new UsageError(FUNCTION + " is for recordings of calls: .ntr, .jtrc", EXAMPLE);
    }
    TimeRange range = TimeRange.withClock(CommonOptions.text(parsed, "--time", ".."));
    EventFilter filter = EventFilterOptions.filter(parsed);
    int every = every(parsed);
    boolean isAnonymous = CommonOptions.has(parsed, ANONYMISE);
    boolean isSplit = CommonOptions.has(parsed, SplitOption.NAME);
    if (range.whole() && filter.passesAll() && every == 1 && !isAnonymous && !isSplit) {
      throw new UsageError(
          "cut needs what is to be kept: --time, -p, -t, -e, --cpu, --where, --every"
              + " (or --anonymise, --split)",
          EXAMPLE);
    }
    if (isSplit && !range.whole()) {
      throw new UsageError(
          "--split and --time exclude each other: cut first, then split the cut",
          "ntrail cut shop.etl --split 100M -o shop.etl");
    }
    SchemaSources sources = new SchemaSources(SchemaFiles.read(parsed, terminal));
    try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      TimeRange within = range.in(recording);
      boolean isCompressed = CompressOption.isCompressed(parsed, recording, EXAMPLE);
      Events events =
          Events.of(recording, sources, CommonOptions.cores(parsed), Events.Learn.SWITCHES);
      RecordingCut.Request request =
          new RecordingCut.Request(
              within.fromNanos(),
              within.toNanos(),
              filter,
              every,
              EventFilterOptions.words(parsed));
      @Nullable PrivateNames names = isAnonymous ? PrivateNames.of(events, List.of()) : null;
      RecordRewriter rewriter =
          names == null
              ? RecordRewriter.NONE
              : new NameReplacement(names, NameReplacement.randomKey());
      if (isSplit) {
        split(events, request, file, isCompressed, rewriter, parsed, terminal).print(format);
      } else {
        Written written = write(events, request, file, isCompressed, rewriter);
        file.complete();
        new WrittenReport(
                recording, file, written, written.bytes(), Additions.NONE, terminal, _ -> {})
            .print(format);
      }
      if (names != null && format == Format.TEXT) {
        replaced(names, terminal);
      }
      EventFilter.Undecided undecided = filter.undecided();
      // A report says what was written; a warning what is missing, for people and programs.
      EventRemarks.undecided(undecided, CommonOptions.all(parsed, "-p"), Format.JSONL, terminal);
      boolean isNarrowed = EventFilterOptions.areSeveral(parsed);
      EventRemarks.unmatched(
          events.unmatched(filter), !within.whole(), isNarrowed, undecided, terminal);
      if (!within.whole()) {
        EventRemarks.outside(recording, within, CommonOptions.cores(parsed), terminal);
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  private static SplitReport split(
      Events events,
      RecordingCut.Request request,
      OutputFile whole,
      boolean isCompressed,
      RecordRewriter rewriter,
      ParseResult parsed,
      Terminal terminal) {
    RecordingSplit.Limit limit = SplitOption.limit(parsed);
    List<OutputFile> files = new ArrayList<>();
    List<SplitReport.Piece> pieces = new ArrayList<>();
    try {
      for (RecordingSplit.Part part : RecordingSplit.of(events, request, limit)) {
        Path place = SplitOption.place(whole.place(), files.size() + 1);
        OutputFile file = OutputFile.reserve(place, "-o");
        files.add(file);
        RecordingCut.Request its = request.within(part, files.size());
        pieces.add(
            new SplitReport.Piece(place, part, write(events, its, file, isCompressed, rewriter)));
      }
      files.forEach(OutputFile::complete);
    } finally {
      files.forEach(OutputFile::close);
    }
    return new SplitReport(events.recording(), whole.place(), pieces, terminal);
  }

  private static void replaced(PrivateNames names, Terminal terminal) {
    PrivateNames.Counts counts = names.counts();
    terminal
        .out()
        .println(
            "replaced %s of users and machines, %s of paths, %s of command lines"
                .formatted(
                    Numbers.counted(counts.identities(), "name"),
                    Numbers.counted(counts.paths(), "part"),
                    Numbers.counted(counts.words(), "word")));
    if (!names.left().isEmpty()) {
      terminal
          .err()
          .println(
              "warning: names that stay, as others need them: " + String.join(", ", names.left()));
    }
  }

  private static int calls(
      CallRecording recording,
      OutputFile file,
      Format format,
      ParseResult parsed,
      Terminal terminal) {
    for (String option : OF_EVENTS) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " is for recordings of events: .etl", CALLS_EXAMPLE);
      }
    }
    CallsScope scope = CallsScope.of(recording, CallFilter.of(parsed), terminal, parsed);
    List<NamePattern> functions = CommonOptions.patterns(parsed, FUNCTION, "'ntdll!Rtl*'");
    TimeRange range = scope.range();
    boolean isAll = !CommonOptions.has(parsed, "-p") && !CommonOptions.has(parsed, "-t");
    if (range.whole() && functions.isEmpty() && isAll) {
      throw new UsageError("cut needs what is to be kept: --time, -p, -t or -f", CALLS_EXAMPLE);
    }
    CallsCut.Choice choice =
        new CallsCut.Choice(
            scope.threads(), range.fromNanos(), range.toNanos(), scope.rangeText(), functions);
    CallsCut.Written written;
    try (Progress _ = scope.progress().start();
        SeekableByteChannel channel = file.openChannel()) {
      written = CallsCut.write(recording, choice, scope.names(), channel);
    } catch (IOException e) {
      throw file.failed(e);
    }
    file.complete();
    new CallsCutReport(scope, file, written).print(format);
    scope.warnIfNoneEntered();
    written.unmatched().forEach(scope::warnUnmatched);
    if (!written.unmatched().isEmpty()) {
      String whole = ShellWords.file(recording.source().name());
      terminal.err().println("try: ntrail calls " + whole + " --flat -n 0 lists all");
    }
    return Losses.finish(recording, parsed, terminal);
  }

  private static int every(ParseResult parsed) {
    long every = CommonOptions.number(parsed, EVERY, 1);
    if (every < 1 || every > Integer.MAX_VALUE) {
      throw new UsageError(EVERY + " takes a number from 1 on", EVERY + " 10");
    }
    return (int) every;
  }

  private static Written write(
      Events events,
      RecordingCut.Request request,
      OutputFile file,
      boolean isCompressed,
      RecordRewriter rewriter) {
    try (SeekableByteChannel channel = file.openChannel()) {
      return RecordingCut.write(events, request, channel, isCompressed, rewriter);
    } catch (IOException e) {
      throw file.failed(e);
    }
  }
}
