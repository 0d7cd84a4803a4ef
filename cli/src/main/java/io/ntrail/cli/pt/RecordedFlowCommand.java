package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.recorded.PieceSelection;
import io.ntrail.analysis.flow.recorded.PieceSettings;
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
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code pt flow FILE.etl}: the flow of the pieces that a recording of Windows has. */
final class RecordedFlowCommand {
  /** Option for folders of images, which dumps have, too. */
  static final String IMAGE_PATH = "--image-path";

  /** Options of recordings only. */
  static final List<String> OPTIONS = List.of("-p", "--cpu", "-e", IMAGE_PATH, DriverChoice.OPTION);

  /** Options of streams only: a recording tells these things. */
  private static final List<String> OF_STREAMS = List.of("--code", "--pages", "--bits");

  private RecordedFlowCommand() {}

  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.values(
            "NAME|PID", "recording: only this process; record: the program", "-p", "--process"));
    spec.addOption(CommonOptions.value("LIST", "recording: only these CPUs: 0,2-5", "--cpu"));
    spec.addOption(
        CommonOptions.values(
            "PATTERN",
            "recording: only what is behind events of this name; recipe: a kernel event, as WPR"
                + " names it",
            "-e",
            "--event"));
    spec.addOption(
        SymbolSearchPath.imageFolders(
            "recording, dump: the files of the images that ran are in this folder"));
    spec.addOption(DriverChoice.option());
  }

  /** Refuses options that would change nothing. */
  private static void check(Path path, ParseResult parsed) {
    for (String option : OF_STREAMS) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " is of streams: a recording tells itself which code ran",
            "ntrail pt flow " + ShellWords.file(path) + " --image-path FOLDER");
      }
    }
  }

  static int run(Path path, Format format, ParseResult parsed, Terminal system) {
    check(path, parsed);
    FlowRequest request = FlowRequest.ofRecording(path, parsed);
    try (EtwRecording recording = RecordingInput.openEtw(List.of(path));
        Terminal terminal =
            isRecorded(parsed, system) ? system : CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(List.of(path), parsed, terminal);
        RecordedTrace trace = trace(path, recording, places, parsed, terminal)) {
      TimeRange time = request.time().in(recording);
      PieceSelection selection = selection(parsed, time);
      int[] pieces = selection.of(trace);
      EventRemarks.unmatched(
          selection.unmatched(trace), !time.whole(), !selection.isAll(), terminal);
      StoppableWork<WorkPhase> work = new StoppableWork<>(WorkPhase.ofBytes("reading " + path));
      DriverChoice drivers = DriverChoice.of(parsed);
      try (Progress _ = WorkProgress.of(work, parsed, terminal).start()) {
        drivers.choose(trace, pieces, settings(request), work);
      }
      boolean isProfile = CommonOptions.has(parsed, "--profile") && time.whole();
      PieceSettings settings = settings(request);
      RecordedFlow flow =
          new RecordedFlow(
              trace, pieces, isProfile ? settings.withoutTimes() : settings, time, work);
      RecordedFlowAnswer answer =
          new RecordedFlowAnswer(
              trace,
              flow,
              drivers,
              request,
              WorkProgress.of(work, parsed, terminal),
              parsed,
              terminal);
      if (isRecorded(parsed, system)) {
        return answer.record(system.outputs().of("-o").orElseThrow());
      }
      if (CommonOptions.has(parsed, "--calls")) {
        return answer.calls(format);
      }
      if (CommonOptions.has(parsed, "--profile")) {
        return answer.profile(format);
      }
      if (CommonOptions.has(parsed, "--addresses")) {
        return answer.addresses();
      }
      boolean byBlock = CommonOptions.has(parsed, "--blocks");
      return byBlock || CommonOptions.has(parsed, "--instructions")
          ? answer.rows(byBlock, format)
          : answer.summary(format);
    }
  }

  /** Returns whether {@code -o} is a recording of the calls. */
  private static boolean isRecorded(ParseResult parsed, Terminal system) {
    return CommonOptions.has(parsed, "--calls")
        && system.outputs().of("-o").filter(PtCommand::isRecording).isPresent();
  }

  /** Surveys a recording. Throws if it has no pieces. */
  static RecordedTrace trace(
      Path path,
      EtwRecording recording,
      SymbolSearchPath places,
      ParseResult parsed,
      Terminal terminal) {
    try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      RecordedTrace trace =
          RecordedTrace.of(
              recording,
              CommonOptions.cores(parsed),
              List.of(SymbolSearchPath.imageFolders(parsed), places.images()),
              places.search());
      if (trace.pieces().count() == 0) {
        throw CannotGoOn.notFound(
            path + " has no Processor Trace among its events",
            recording.gaps(),
            // Samples tell of functions, too.
            parsed.commandSpec().name().equals("calls")
                ? "ntrail profile " + ShellWords.file(path) + " --tree"
                : "ntrail info " + ShellWords.file(path));
      }
      return trace;
    }
  }

  /** Returns the pieces that the options ask for. */
  static PieceSelection selection(ParseResult parsed, TimeRange time) {
    return new PieceSelection(
        CommonOptions.owners(parsed, "-p", "'shop*'"),
        CommonOptions.owners(parsed, "-t", "4316"),
        CommonOptions.patterns(parsed, "-e", "PerfInfo/SysClExit"),
        CommonOptions.has(parsed, "--cpu")
            ? EventFilterOptions.cpus(CommonOptions.text(parsed, "--cpu", ""))
            : new BitSet(),
        time.fromNanos());
  }

  /** Returns how pieces are decoded. */
  static PieceSettings settings(FlowRequest request) {
    return new PieceSettings(
        request.settings(), request.processor().clock(), request.processor().rounding());
  }
}
