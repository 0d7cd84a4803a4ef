package io.ntrail.cli.command;

import io.ntrail.live.session.RecorderState;
import io.ntrail.live.trace.TraceRun;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/**
 * Looks after a trace while its program runs: tells how it stands, and does what is said on
 * standard input if that was asked for.
 */
final class TraceWatch {
  private static final int POLL_MILLIS = 20;
  private static final long LIVE_NANOS = 500_000_000;

  private final TraceRun run;
  private final TraceReport report;
  private final BooleanSupplier stopAsked;
  private final Optional<TraceLines> lines;
  private FunctionSelection selection;
  private boolean stopSaid;

  TraceWatch(TraceRun run, TraceRequest request, TraceReport report, BooleanSupplier stopAsked) {
    this.run = run;
    this.report = report;
    this.stopAsked = stopAsked;
    this.lines = request.interactive() ? Optional.of(TraceLines.of(System.in)) : Optional.empty();
    this.selection = new FunctionSelection(request, List.of());
  }

  /**
   * Waits until the program ends, or somebody wants the trace to end, or nothing can be written any
   * more; the program that goes on has its code back then.
   */
  OptionalInt awaitEnd() {
    OptionalInt exit = OptionalInt.empty();
    long last = System.nanoTime();
    while (exit.isEmpty()
        && !stopAsked.getAsBoolean()
        && !stopSaid
        && run.statistics().state() != RecorderState.FAILED) {
      exit = run.await(POLL_MILLIS);
      if (exit.isEmpty()) {
        lines.flatMap(TraceLines::next).ifPresent(this::hear);
      }
      if (System.nanoTime() - last > LIVE_NANOS) {
        last = System.nanoTime();
        report.live(run);
      }
    }
    return exit.isPresent() ? exit : run.disarm();
  }

  private void hear(TraceLines.Said said) {
    switch (said) {
      case TraceLines.Said.Stop _ -> stopSaid = true;
      case TraceLines.Said.Nonsense nonsense -> report.notUnderstood(nonsense.line());
      case TraceLines.Said.Change change -> {
        selection = selection.and(change.rule());
        report.changed(run, run.choose(selection));
      }
    }
  }
}
