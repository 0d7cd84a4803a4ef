package io.ntrail.cli.stacks;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Report about the stacks of a process at one instant, whatever the snapshot is: walks and names
 * them, and prints the answer in the form that was asked for.
 */
final class SnapshotReport {
  private final SnapshotRequest request;
  private final SymbolSearchPath places;
  private final Terminal terminal;
  private final StoppableWork<WorkPhase> work;
  private final WorkProgress<WorkPhase> progress;

  SnapshotReport(SnapshotRequest request, SymbolSearchPath places, Terminal terminal) {
    this.request = request;
    this.places = places;
    this.terminal = terminal;
    this.work =
        new StoppableWork<>(new WorkPhase("walking the stacks of " + request.name(), "thread"));
    this.progress = WorkProgress.of(work, request.parsed(), terminal);
  }

  /** Walks and names the stacks of the threads that are shown; PDBs are fetched if they may be. */
  SnapshotAnswer answer(
      SnapshotFacts facts,
      SnapshotStacks stacks,
      Optional<SnapshotStacks> nativeSide,
      ThreadChoice threads) {
    work.begin(threads.shown().size());
    try (Progress _ = progress.start(places)) {
      SymbolDownloads.fetch(
          places,
          stacks.symbols(),
          () -> stacks.images(threads.shown()),
          request.isText(),
          request.parsed());
      return SnapshotAnswer.of(facts, stacks, nativeSide, threads, request, work);
    }
  }

  /**
   * Prints an answer, and what was wrong with the symbols.
   *
   * @param state of the snapshot, for the first line; empty if nothing is to be said
   * @param gaps of the snapshot
   */
  void print(SnapshotAnswer answer, String state, List<Gap> gaps) {
    SnapshotJson json = new SnapshotJson(answer, request);
    Listing<StackRow> rows = new Listing<>("frames", StackRow.walkedColumns(), json::rows);
    List<Gap> all = new ArrayList<>(gaps);
    all.addAll(answer.stacks().symbols().gaps());
    rows.print(
        request.format(),
        terminal.out(),
        () ->
            new SnapshotScreen(answer, request, terminal)
                .print(progress.state(state), gaps.isEmpty()),
        out -> json.members(out, progress.gaps(all, request.name(), 0, -1)));
    terminal.out().flush();
    warnOfRows(answer);
    answer.stacks().symbols().warnings().forEach(why -> terminal.err().println("warning: " + why));
    if (request.isVerbose()) {
      answer.stacks().problems().forEach(why -> terminal.err().println("warning: " + why));
    }
  }

  /**
   * Warns of what rows of frames do not say: that they are of another side of the process than its
   * program, and that threads without frames have none.
   */
  private void warnOfRows(SnapshotAnswer answer) {
    if (request.format() == Format.CSV || request.format() == Format.JSONL) {
      answer
          .facts()
          .side()
          .map(SnapshotFacts.Side::why)
          .ifPresent(why -> terminal.err().println("warning: " + why));
      long bare = answer.shown().stream().filter(stack -> stack.frames().isEmpty()).count();
      if (bare > 0) {
        terminal
            .err()
            .println(
                "warning: "
                    + Numbers.counted(bare, "thread")
                    + (bare == 1 ? " has" : " have")
                    + " no frames and no row (--format json says why)");
      }
    }
  }

  /** Returns the exit code of the command: whether all threads were walked. */
  int exitCode(int other) {
    return progress.exitCode(other);
  }
}
