package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.calls.CallFeed;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderState;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.trace.TraceAhead;
import io.ntrail.live.trace.TraceRun;
import io.ntrail.live.trace.TraceSettings;
import io.ntrail.live.trace.TraceTarget;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

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
  private final Thread thread;
  private volatile boolean isStopped;
  private volatile @Nullable Throwable failure;
  private volatile @Nullable Result result;

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
    this.thread = Thread.ofPlatform().name("trace").start(this::run);
  }

  private void run() {
    boolean hasBegun = false;
    try (TraceAhead ahead = TraceAhead.begin(settings)) {
      target.planAhead(plan);
      try (TraceRun run = TraceRun.prepare(target, settings.expecting(plan.matched()), ahead)) {
        run.begin(plan);
        hasBegun = true;
        OptionalInt exit = watch(run);
        RecorderStatistics statistics = run.finish(exit);
        result =
            new Result(
                exit,
                run.plan(),
                statistics,
                run.untraced(),
                run.selfTest().passed(),
                statistics.remarks());
      }
    } catch (Throwable e) {
      // Whatever it is, who reads must hear of it.
      failure = e;
      if (!hasBegun) {
        target.giveUp();
      }
    } finally {
      feed.recordingEnded();
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

  /**
   * Waits for its end.
   *
   * @return nothing if it did not begin
   */
  Optional<Result> await() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new CannotGoOn("the trace failed: " + e, "");
    }
    return Optional.ofNullable(result);
  }
}
