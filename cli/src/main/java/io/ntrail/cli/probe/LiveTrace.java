package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.calls.CallFeed;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderState;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.TraceAhead;
import io.ntrail.live.trace.TraceRun;
import io.ntrail.live.trace.TraceSettings;
import io.ntrail.live.trace.TraceTarget;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Trace whose calls are read while they are recorded. A thread of its own looks after it, since a
 * program may wait for it at any moment.
 */
final class LiveTrace {
  private static final int POLL_MILLIS = 20;

  private final TraceTarget target;
  private final TracePlan plan;
  private final TraceSettings settings;
  private final CallFeed feed;
  private final long nanos;
  private final long passNanos;
  private final CompletableFuture<Result> result;
  private volatile boolean isStopped;

  /**
   * Result of a trace.
   *
   * @param exit code of the program; empty if it goes on
   * @param plan what was traced
   * @param remarks of the recorder
   */
  record Result(
      OptionalInt exit,
      TracePlan plan,
      RecorderStatistics statistics,
      List<UntracedModule> untraced,
      boolean hasExits,
      List<String> remarks) {}

  /**
   * Starts to trace.
   *
   * @param nanos how long at most
   * @param passNanos time between two moments at which the reader gets what was recorded
   */
  LiveTrace(
      TraceTarget target,
      TracePlan plan,
      TraceSettings settings,
      CallFeed feed,
      long nanos,
      long passNanos) {
    this.target = target;
    this.plan = plan;
    this.settings = settings;
    this.feed = feed;
    this.nanos = nanos;
    this.passNanos = passNanos;
    this.result =
        CompletableFuture.supplyAsync(
            this::trace, task -> Thread.ofPlatform().name("trace").start(task));
  }

  private Result trace() {
    boolean hasBegun = false;
    try (TraceAhead ahead = TraceAhead.begin(settings)) {
      target.planAhead(plan);
      try (TraceRun run = TraceRun.prepare(target, settings.expecting(plan.matched()), ahead)) {
        run.begin(plan);
        hasBegun = true;
        OptionalInt exit = watch(run);
        RecorderStatistics statistics = run.finish(exit);
        return new Result(
            exit,
            run.plan(),
            statistics,
            run.untraced(),
            run.selfTest().passed(),
            statistics.remarks());
      }
    } finally {
      try {
        if (!hasBegun) {
          target.giveUp();
        }
      } finally {
        feed.recordingEnded();
      }
    }
  }

  private OptionalInt watch(TraceRun run) {
    long begun = System.nanoTime();
    long last = begun;
    while (true) {
      OptionalInt exit = run.await(POLL_MILLIS);
      if (exit.isPresent()) {
        return exit;
      }
      long now = System.nanoTime();
      if (isStopped || now - begun >= nanos || run.statistics().state() == RecorderState.FAILED) {
        return run.disarm();
      }
      boolean isIdle = feed.isReaderIdle();
      // Where the reader is late, what waits for it has a limit.
      if (feed.isFull() ? isIdle : now - last >= passNanos) {
        run.settleTimes();
        last = System.nanoTime();
      }
    }
  }

  /** Ends it soon; the program's code is restored. */
  void stop() {
    isStopped = true;
  }

  /** Waits for its end; a failure of the trace is thrown. */
  Result await() {
    try {
      return result.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw e;
      }
    }
  }
}
