package io.ntrail.cli.trace;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.ThrottledFunction;
import io.ntrail.cli.calls.CallInfo;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.ntr.EventTally;
import io.ntrail.live.session.RecorderStatistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Numbers of the calls of a finished trace by their ends, as {@code ntrail calls} tells them.
 *
 * <p>A recorder counts records. If none is missing, no exception left a call and every entry has
 * its exit or is open, these are the calls. Otherwise they are counted in the recording: of an
 * entry whose exit was lost no counter tells how its call ended.
 *
 * @param all of all processes
 * @param byProcess of each process, by its id
 * @param busiest function with most records, if some were lost
 * @param throttled functions of which calls were counted only
 * @param remark the sentence that says why they could not be counted exactly; empty if they could
 */
record TracedCalls(
    CallCounts all,
    Map<Long, CallCounts> byProcess,
    Optional<BusiestFunction> busiest,
    List<ThrottledFunction> throttled,
    List<String> remark) {
  /**
   * Counts calls.
   *
   * @param whole of all processes together
   * @param processes of each process, by its id
   */
  static TracedCalls of(
      Path file,
      RecorderStatistics whole,
      Map<Long, RecorderStatistics> processes,
      Terminal terminal,
      boolean quiet) {
    if (isCertain(whole) && processes.values().stream().allMatch(TracedCalls::isCertain)) {
      return recorded(whole, processes, List.of());
    }
    try {
      return counted(file, whole.lost() > 0, terminal, quiet);
    } catch (CannotGoOn | DamagedInput e) {
      String why = "calls estimated from counters, as the recording could not be read: ";
      return recorded(whole, processes, List.of(why + e.getMessage()));
    }
  }

  private static TracedCalls recorded(
      RecorderStatistics whole, Map<Long, RecorderStatistics> processes, List<String> remark) {
    Map<Long, CallCounts> byProcess = new HashMap<>();
    processes.forEach((pid, statistics) -> byProcess.put(pid, estimate(statistics)));
    return new TracedCalls(estimate(whole), byProcess, Optional.empty(), List.of(), remark);
  }

  /** Returns true if the counters of a recorder leave no doubt. */
  private static boolean isCertain(RecorderStatistics statistics) {
    EventTally captured = statistics.captured();
    return statistics.allDropped() + statistics.discarded().events() == 0
        && statistics.addedCalls() == 0
        && captured.unwinds() == 0
        // Targets of unwinders among them may tell how calls ended.
        && captured.besides() == 0
        && captured.entries() == captured.exits() + statistics.openCalls();
  }

  private static CallCounts estimate(RecorderStatistics statistics) {
    EventTally captured = statistics.captured();
    long entryOnly = captured.entriesOnly();
    long open = statistics.openCalls();
    long ended = captured.exits() + captured.unwinds() + open;
    long abandoned = Math.max(0, captured.entries() - ended);
    return new CallCounts(
        ended + abandoned + entryOnly,
        captured.exits(),
        captured.unwinds(),
        abandoned,
        open,
        entryOnly,
        0,
        0,
        0,
        0,
        0);
  }

  private static TracedCalls counted(Path file, boolean isLossy, Terminal terminal, boolean quiet) {
    try (CallRecording recording = RecordingInput.openCalls(file)) {
      List<Integer> threads = new ArrayList<>();
      for (int thread = 0; thread < recording.threads().size(); thread++) {
        threads.add(thread);
      }
      WorkProgress<CallRecording.Pass> progress =
          new WorkProgress<>(
              recording.work(), pass -> CallInfo.phase(pass, file.toString()), quiet, terminal);
      try (Progress _ = progress.start()) {
        recording.survey(threads, Runtime.getRuntime().availableProcessors());
      }
      if (recording.work().stoppedAt().isPresent()) {
        throw new CannotGoOn("reading it was stopped", "");
      }
      Map<Long, CallCounts> byProcess = new HashMap<>();
      for (int thread : threads) {
        byProcess.merge(
            recording.threads().get(thread).pid(), recording.counts(thread), CallCounts::plus);
      }
      Optional<BusiestFunction> busiest =
          isLossy ? BusiestFunction.of(recording.source()) : Optional.empty();
      return new TracedCalls(
          recording.counts(threads), byProcess, busiest, recording.source().throttled(), List.of());
    }
  }

  /** Returns the numbers of a process; none if it made no calls. */
  CallCounts of(long pid) {
    return byProcess.getOrDefault(pid, CallCounts.NONE);
  }
}
