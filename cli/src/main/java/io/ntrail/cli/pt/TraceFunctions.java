package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.recorded.PieceSelection;
import io.ntrail.analysis.flow.recorded.PieceSettings;
import io.ntrail.analysis.flow.recorded.RecordedProfile;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.Omissions;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Functions that the Processor Trace of a recording has executed, with their instructions: added up
 * while the flow is followed, on all cores.
 */
public final class TraceFunctions {
  /**
   * A process with pieces.
   *
   * @param name null if it is not recorded
   */
  public record Process(@Nullable String name, int pid) {}

  private final RecordedTrace trace;
  private final RecordedFlow flow;
  private final RecordedFlowAnswer answer;
  private final TimeRange time;
  private final List<RecordedProfile.Row> rows;
  private final Terminal terminal;

  private TraceFunctions(
      RecordedTrace trace,
      RecordedFlow flow,
      RecordedFlowAnswer answer,
      TimeRange time,
      List<RecordedProfile.Row> rows,
      Terminal terminal) {
    this.trace = trace;
    this.flow = flow;
    this.answer = answer;
    this.time = time;
    this.rows = rows;
    this.terminal = terminal;
  }

  /**
   * Follows the flow of the pieces that the options select, and prints what it came to.
   *
   * @return the exit code
   */
  public static int print(
      Path path, ParseResult parsed, Terminal system, Consumer<TraceFunctions> printer) {
    TraceCalls.mustBeOfWindows(path);
    FlowRequest request = FlowRequest.ofRecording(path, parsed);
    try (EtwRecording recording = RecordingInput.openEtw(List.of(path));
        Terminal terminal = CommonOptions.output(parsed, system);
        SymbolSearchPath places = SymbolSearchPath.of(List.of(path), parsed, terminal);
        RecordedTrace trace =
            RecordedFlowCommand.trace(path, recording, places, parsed, terminal)) {
      TimeRange time = request.time().in(recording);
      PieceSelection selection = RecordedFlowCommand.selection(parsed, time);
      int[] pieces = selection.of(trace);
      EventRemarks.unmatched(
          selection.unmatched(trace), !time.whole(), !selection.isAll(), terminal);
      PieceSettings settings = RecordedFlowCommand.settings(request);
      StoppableWork<WorkPhase> work = new StoppableWork<>(WorkPhase.ofBytes("reading " + path));
      WorkProgress<WorkPhase> progress = WorkProgress.of(work, parsed, terminal);
      DriverChoice drivers = DriverChoice.of(parsed);
      try (Progress _ = progress.start()) {
        drivers.choose(trace, pieces, settings, work);
      }
      RecordedFlow flow =
          new RecordedFlow(
              trace, pieces, time.whole() ? settings.withoutTimes() : settings, time, work);
      RecordedFlowAnswer answer =
          new RecordedFlowAnswer(trace, flow, drivers, request, progress, parsed, terminal);
      printer.accept(new TraceFunctions(trace, flow, answer, time, answer.functions(), terminal));
      return answer.finish();
    }
  }

  /** Returns the functions, those with the most instructions of their own first. */
  public List<RecordedProfile.Row> rows() {
    return rows;
  }

  /** Returns the processes of the pieces that were followed. */
  public Set<Process> processes() {
    Set<Process> processes = new LinkedHashSet<>();
    for (RecordedFlow.Walked walked : flow.walked()) {
      int number = walked.number();
      processes.add(new Process(trace.process(number), trace.pieces().piece(number).processId()));
    }
    return processes;
  }

  /** Returns where the answer goes. */
  public Terminal terminal() {
    return terminal;
  }

  /** Returns the name of the recording. */
  public String name() {
    return trace.recording().fileNames().getFirst();
  }

  /** Returns the recording and its pieces in words. */
  public String heading() {
    return answer.heading();
  }

  /** Returns what the sums lack in words, with what goes in front; empty if that is nothing. */
  public String lacks() {
    return answer.lacks();
  }

  /** Returns the part of the recording that is meant. */
  public TimeRange time() {
    return time;
  }

  /** Writes what else JSON has: losses, how much was followed, what is missing, gaps. */
  public void members(Json json) {
    Losses.json(json, trace.recording());
    Omissions.json(json, trace.recording().omissions());
    answer.counts(json);
  }
}
