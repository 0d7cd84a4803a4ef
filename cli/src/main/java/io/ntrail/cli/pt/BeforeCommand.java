package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.recorded.PieceSelection;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.EventFilterOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** {@code pt before FILE.etl -e EVENT}: what ran right before events of a recording of Windows. */
final class BeforeCommand {
  /** Instructions unless told otherwise. */
  private static final long USUAL = 200;

  /** Instructions at most, 100 MB of memory. */
  private static final long MOST = 1 << 22;

  /** Options that have no meaning here. */
  private static final List<String> OTHERS =
      List.of(
          "--count",
          "--addresses",
          "--instructions",
          "--blocks",
          "--events",
          "--calls",
          "--profile",
          "--code",
          "--pages",
          "--bits");

  private BeforeCommand() {}

  private static void check(Path path, ParseResult parsed) {
    String example = "ntrail pt before " + ShellWords.file(path) + " -e SysClExit";
    for (String option : OTHERS) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " is not of pt before", example);
      }
    }
    if (!CommonOptions.has(parsed, "-e")) {
      throw new UsageError("pt before needs an event: -e EVENT", example);
    }
    if (!RecordingInput.isEtw(path)) {
      throw CannotGoOn.of(
          Reason.OTHER_KIND,
          path.toString(),
          path + " is not a recording of events (.etl), which alone tells when they happened",
          "ntrail pt flow " + ShellWords.file(path));
    }
  }

  private static int instructions(ParseResult parsed) {
    long most = CommonOptions.number(parsed, "-n", USUAL);
    if (most < 1 || most > MOST) {
      throw new UsageError(
          "-n takes the number of instructions before an event, 1 to " + MOST + ", not " + most,
          "-n " + USUAL);
    }
    return (int) most;
  }

  /** Returns the number of events that options select, whether they have a piece or not. */
  private static long events(
      EtwRecording recording, TimeRange time, ParseResult parsed, Terminal terminal) {
    long count = 0;
    try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      Events events =
          Events.of(recording, new SchemaSources(UserSchemas.NONE), CommonOptions.cores(parsed));
      try (Events.Walk walk =
          events.walk(EventFilterOptions.filter(parsed), time.fromNanos(), time.toNanos())) {
        while (walk.next()) {
          count++;
        }
      }
    }
    return count;
  }

  static int run(Path path, ParseResult parsed, Terminal system) {
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL);
    check(path, parsed);
    int most = instructions(parsed);
    FlowRequest request = FlowRequest.ofRecording(path, parsed);
    try (EtwRecording recording = RecordingInput.openEtw(List.of(path));
        Terminal terminal = CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(List.of(path), parsed, terminal);
        RecordedTrace trace =
            RecordedFlowCommand.trace(path, recording, places, parsed, terminal)) {
      TimeRange time = request.time().in(recording);
      PieceSelection selection = RecordedFlowCommand.selection(parsed, time);
      int[] pieces =
          Arrays.stream(selection.of(trace))
              .filter(piece -> time.contains(trace.pieces().piece(piece).eventNanos()))
              .toArray();
      EventRemarks.unmatched(
          selection.unmatched(trace), !time.whole(), !selection.isAll(), terminal);
      StoppableWork<WorkPhase> work = new StoppableWork<>(WorkPhase.ofBytes("reading " + path));
      RecordedFlow flow =
          new RecordedFlow(
              trace, pieces, RecordedFlowCommand.settings(request), TimeRange.parse(".."), work);
      WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
      DriverChoice drivers = DriverChoice.of(parsed);
      try (Progress _ = progress.start()) {
        drivers.choose(trace, pieces, RecordedFlowCommand.settings(request), work);
      }
      RecordedFlowAnswer rest =
          new RecordedFlowAnswer(trace, flow, drivers, request, progress, parsed, terminal);
      long traced =
          Arrays.stream(pieces)
              .filter(piece -> trace.pieces().piece(piece).event() != null)
              .count();
      long untraced = Math.max(0, events(recording, time, parsed, terminal) - traced);
      return new BeforeAnswer(trace, flow, drivers, most, untraced, progress, terminal)
          .print(format, rest);
    }
  }
}
