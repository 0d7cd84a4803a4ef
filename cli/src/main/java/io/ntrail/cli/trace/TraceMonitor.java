package io.ntrail.cli.trace;

import io.ntrail.live.session.RecorderState;
import io.ntrail.live.trace.TracedProcessTree;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/**
 * Monitors a trace while its program runs: shows its state, and runs the commands on standard input
 * if requested.
 */
final class TraceMonitor {
  private static final int POLL_MILLIS = 20;
  private static final long LIVE_NANOS = 500_000_000;

  private final TracedProcessTree family;
  private final TraceReport report;
  private final BooleanSupplier stopAsked;
  private final Optional<TraceControlInput> lines;
  private FunctionSelection selection;
  private boolean stopSaid;

  TraceMonitor(
      TracedProcessTree family,
      TraceRequest request,
      TraceReport report,
      BooleanSupplier stopAsked) {
    this.family = family;
    this.report = report;
    this.stopAsked = stopAsked;
    this.lines =
        request.interactive() ? Optional.of(TraceControlInput.of(System.in)) : Optional.empty();
    this.selection = new FunctionSelection(request, List.of());
  }

  /**
   * Waits until the programs end, or the trace is asked to end, or nothing can be written any more;
   * a program that is still running has its code restored then.
   */
  OptionalInt awaitEnd() {
    OptionalInt exit = OptionalInt.empty();
    long last = System.nanoTime();
    while (exit.isEmpty()
        && !stopAsked.getAsBoolean()
        && !stopSaid
        && family.first().statistics().state() != RecorderState.FAILED) {
      exit = family.await(POLL_MILLIS);
      if (exit.isEmpty()) {
        lines.flatMap(TraceControlInput::next).ifPresent(this::hear);
      }
      if (System.nanoTime() - last > LIVE_NANOS) {
        last = System.nanoTime();
        report.live(family);
      }
    }
    return exit.isPresent() ? exit : family.disarm();
  }

  private void hear(TraceControlInput.Said said) {
    switch (said) {
      case TraceControlInput.Said.Stop _ -> stopSaid = true;
      case TraceControlInput.Said.Nonsense nonsense -> report.notUnderstood(nonsense.line());
      case TraceControlInput.Said.Change change -> {
        selection = selection.and(change.rule());
        report.changed(family.first(), family.choose(selection));
      }
    }
  }
}
