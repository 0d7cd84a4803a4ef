package io.ntrail.cli.pt;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.etw.ipt.TracePieces;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.recorded.PieceCallRecorder;
import io.ntrail.analysis.flow.recorded.PieceSettings;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.Version;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.bytes.TemporaryFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.pt.TraceTiming;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The calls of the Processor Trace in a recording of Windows, as a recording of calls for commands
 * that answer about those: written to a file that is gone at the end.
 *
 * @param recording closed by who uses it
 * @param exitCode whether all of the flow was followed
 */
public record TraceCalls(CallRecording recording, int exitCode) {
  /** Metric of commands that add up its instructions. */
  public static final String METRIC = "pt";

  /** Unit of that metric. */
  public static final String UNIT = "instructions";

  /** Options that say how the flow is followed. */
  public static void options(CommandSpec spec) {
    spec.addOption(
        SymbolSearchPath.imageFolders(
            "Processor Trace of a recording: the files of the images that ran are in this folder"));
    spec.addOption(DriverChoice.option());
  }

  /** Returns whether {@code --metric pt} is asked for. */
  public static boolean isMeant(ParseResult parsed) {
    return CommonOptions.text(parsed, "--metric", "").equals(METRIC);
  }

  /** Refuses options of Processor Trace where it is not asked for. */
  public static void check(ParseResult parsed, String example) {
    for (String option : List.of("--image-path", DriverChoice.OPTION)) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " is of the Processor Trace of recordings", example);
      }
    }
  }

  /**
   * Follows the flow of all pieces of a recording.
   *
   * @param byTime whether times are wanted, if all pieces know them; else instructions are counted
   */
  public static TraceCalls open(Path path, boolean byTime, ParseResult parsed, Terminal terminal) {
    mustBeOfWindows(path);
    FlowRequest request = FlowRequest.ofWhole(path, parsed);
    InputFile file;
    int exitCode;
    try (EtwRecording etw = RecordingInput.openEtw(List.of(path));
        SymbolSearchPath places = SymbolSearchPath.of(List.of(path), parsed, terminal);
        RecordedTrace trace = RecordedFlowCommand.trace(path, etw, places, parsed, terminal)) {
      int[] pieces = IntStream.range(0, trace.pieces().listed()).toArray();
      PieceSettings settings = RecordedFlowCommand.settings(request);
      StoppableWork<WorkPhase> work = new StoppableWork<>(WorkPhase.ofBytes("reading " + path));
      WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
      DriverChoice drivers = DriverChoice.of(parsed);
      RecordedFlow flow = new RecordedFlow(trace, pieces, settings, request.time(), work);
      try (Progress _ = progress.start()) {
        drivers.choose(trace, pieces, settings, work);
        file = write(path, flow, byTime && knowsTimes(trace, settings));
      }
      exitCode =
          new RecordedFlowAnswer(trace, flow, drivers, request, progress, parsed, terminal)
              .finish();
    }
    Gaps gaps = new Gaps();
    return new TraceCalls(
        new CallRecording(new NtrCalls(NtrFile.open(file, gaps), gaps)), exitCode);
  }

  /** Refuses other files than recordings of Windows. */
  static void mustBeOfWindows(Path path) {
    if (!RecordingInput.isEtw(path)) {
      throw new CannotGoOn(
          path + " is no recording of Windows (.etl) with Processor Trace",
          "ntrail info " + ShellWords.file(path));
    }
  }

  private static boolean knowsTimes(RecordedTrace trace, PieceSettings settings) {
    TracePieces pieces = trace.pieces();
    boolean isKnown = trace.hertz() != 0 || settings.clock().tscHertz() != 0;
    for (int i = 0; isKnown && i < pieces.listed(); i++) {
      TracePieces.Piece piece = pieces.piece(i);
      isKnown = !piece.isSynchronised() || piece.timing() != TraceTiming.NONE;
    }
    return isKnown;
  }

  private static InputFile write(Path path, RecordedFlow flow, boolean byTime) {
    try {
      TemporaryFile file = TemporaryFile.create("ntrail-calls-");
      boolean isDone = false;
      try (OutputStream out = new BufferedOutputStream(file.appending(), 1 << 16)) {
        write(out, path.toString(), flow, byTime);
        out.flush();
        InputFile input = file.input(path.toString());
        isDone = true;
        return input;
      } finally {
        if (!isDone) {
          file.close();
        }
      }
    } catch (IOException e) {
      throw new CannotGoOn(
          "the calls of " + path + " cannot be kept in " + TemporaryFile.folder() + ": " + e, "");
    }
  }

  /** Writes the calls of a flow as a recording of calls. */
  static void write(OutputStream out, String name, RecordedFlow flow, boolean byTime)
      throws IOException {
    PieceCallRecorder.Calls[] current = new PieceCallRecorder.Calls[1];
    try (PieceCallRecorder recorder =
        new PieceCallRecorder(out, name, byTime, "ntrail " + Version.NUMBER)) {
      flow.run(
          piece -> {
            current[0] = recorder.begin(piece);
            return new FlowCalls(piece.functions(), current[0]);
          },
          _ -> current[0].end());
    } catch (UncheckedIOException e) {
      throw new IOException(e);
    }
  }
}
