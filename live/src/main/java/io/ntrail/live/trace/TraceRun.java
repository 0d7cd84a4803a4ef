package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.modules.ModuleLog;
import io.ntrail.live.modules.ModuleTracker;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.SkipReason;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.session.RecorderThread;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.ClockReading;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Trace of a program from its first patch to the end of the program or of the trace.
 *
 * <p>{@link #begin} lets the program run; {@link #await} has to be called all the time, since it
 * also looks after the memory of threads; {@link #finish} ends the file.
 */
public final class TraceRun implements AutoCloseable {
  private static final long THREADS_NANOS = 500_000_000;
  private static final int EXIT_MILLIS = 250;

  private final TraceSetup setup;
  private final TraceTarget target;
  private final SessionFile session;
  private final Tracer tracer;
  private final TraceFile file;
  private final long process;
  private final Recorder recorder;
  private final ClockReading began;
  private final TraceClock clock;
  private final TraceDefinitions definitions;
  private final CallerSampling callers;
  private final RecorderThread thread;
  private final AdaptivePoller poller = new AdaptivePoller();
  private RunState state = RunState.PREPARED;
  private TracePlan plan = new TracePlan(List.of(), List.of());
  private @Nullable ModuleTracker modules;
  private Optional<ChildProcessHook> childHook = Optional.empty();
  private @Nullable ClockReading endTime;
  private long lastThreads = System.nanoTime();
  private int restored;
  private Optional<DetachResult> detachment = Optional.empty();

  private TraceRun(TraceSetup setup) {
    this.setup = setup;
    this.target = setup.target();
    this.session = setup.session();
    this.tracer = setup.tracer();
    this.file = setup.file();
    this.process = setup.process();
    this.recorder = setup.recorder();
    this.began = setup.began();
    this.clock = new TraceClock(setup);
    this.definitions = new TraceDefinitions(recorder, file, process);
    this.callers = new CallerSampling(setup, definitions);
    this.thread = RecorderThread.start(recorder);
  }

  /** Sets tracing up with nothing that was begun before. */
  public static TraceRun prepare(TraceTarget target, TraceSettings settings) {
    return prepare(target, settings, TraceAhead.none());
  }

  /**
   * Sets tracing up in a target and creates the file. No function is patched yet.
   *
   * @param ahead what was begun for these settings, or for another number of functions
   * @throws CannotGoOn if that is not possible
   */
  public static TraceRun prepare(TraceTarget target, TraceSettings settings, TraceAhead ahead) {
    return target.whileItLives(() -> new TraceRun(TraceSetup.first(target, settings, ahead)));
  }

  /**
   * Sets tracing up in another process, which is recorded into the same file. The result has to be
   * closed before this run.
   *
   * @throws CannotGoOn if that is not possible
   */
  TraceRun beside(TraceTarget child) {
    return new TraceRun(setup.beside(child));
  }

  /** Returns whether the target's system unwinds traced frames. */
  public UnwindSelfTest selfTest() {
    return setup.selfTest();
  }

  /** Returns the overhead of a traced call in this target. */
  public TracingOverhead cost() {
    return setup.cost();
  }

  /**
   * Patches what was planned and lets the program run. If the self-test failed, only entries are
   * recorded.
   *
   * @return functions that could not be patched although they were planned: no free memory is near
   *     enough
   * @throws CannotGoOn if that is so of all of them; then nothing was changed
   */
  public List<PlannedFunction> begin(TracePlan plan) {
    return begin(plan, false);
  }

  /** Does so; {@code gated}: it waits, if it can, when it lets a process run ({@link #gate}). */
  List<PlannedFunction> begin(TracePlan asked, boolean gated) {
    return target.whileItLives(() -> arm(asked, gated));
  }

  private List<PlannedFunction> arm(TracePlan asked, boolean gated) {
    if (state != RunState.PREPARED) {
      throw new IllegalStateException("begun already");
    }
    TargetProcess traces = target.process();
    UnwinderProbes unwinders = UnwinderProbes.of(traces, tracer, asked);
    TracePlan plan =
        unwinders.leaveAlone(gated ? ChildProcessHook.leaveAlone(asked, traces) : asked);
    List<Patcher.Patched> traced = tracer.prepare(plan.functions(), selfTest().passed());
    if (traced.isEmpty() && plan.patched() > 0) {
      detachment = tracer.detach();
      state = RunState.DISARMED;
      throw new CannotGoOn(
          "no free memory within 2 GiB of the module",
          "start the program with ntrail, which allocates it first: ntrail trace ... -- PROGRAM");
    }
    this.plan = plan.without(tracer.outOfReach(), SkipReason.Kind.OUT_OF_REACH);
    definitions.process(target, began.ticks());
    if (setup.isFirst()) {
      clock.calibrate(began);
    }
    recorder.name(traces.mainThreadId(), "main");
    definitions.functions(traced);
    unwinders.write();
    ModuleTracker tracker =
        new ModuleTracker(
            traces,
            target.clock(),
            tracer.patching(),
            tracer::note,
            session.notices(),
            plan,
            target.planAhead(asked),
            selfTest().passed(),
            new Changes());
    modules = tracker;
    // Patching the hook needs suspended threads.
    if (gated
        && (traces.isStarted() || asked.choice().map(TracePlan.Selection::mayStop).orElse(true))) {
      childHook = ChildProcessHook.install(traces, tracer, session.resumes(), tracker::untraced);
    }
    state = RunState.ARMED;
    tracker.held(tracer.patching()::arm);
    if (setup.isFirst()) {
      target.mustHaveBegun(session);
      file.settle();
    }
    this.plan =
        this.plan.without(
            tracer.patching().changed(tracer.patcher().present()), SkipReason.Kind.CHANGED);
    tell();
    callers.begin();
    target.process().resumeMain();
    return tracer.outOfReach();
  }

  /**
   * Changes the selection of functions. Calls that are active in functions that are no longer
   * selected are recorded to their end.
   *
   * @param choice the selection from now on, of modules that are there and of later ones
   * @return the result
   */
  public SelectionResult choose(TracePlan.Selection choice) {
    if (modules == null || state != RunState.ARMED) {
      throw new IllegalStateException("nothing is traced");
    }
    int matched = plan.matched();
    ModuleTracker.SelectionChange chosen = modules.choose(choice);
    tell();
    return new SelectionResult(
        chosen.added(), chosen.removed(), plan.matched() - matched, tracer.patching().armed());
  }

  /** Returns the times in which modules of any process in the file were not traced. */
  public List<UntracedModule> untraced() {
    return file.untraced();
  }

  /**
   * Notes that the program ran for some time before it was traced: calls of that time are missing.
   */
  void ranUntraced(long nanos) {
    definitions.untraced(plan, target.clock().now().ticks(), nanos, clock.ticksPerSecond());
  }

  /** Returns how long threads of any process in the file waited until libraries were patched. */
  public LoadHolds holds() {
    return file.holds();
  }

  /** Returns how many calls of any process in the file have callers, once it is finished. */
  public CallerCounts callers() {
    return file.callers();
  }

  /** Returns a time of the clock in nanoseconds since the start; 0 if unknown. */
  public long nanos(long ticks) {
    return clock.nanos(ticks);
  }

  /** Returns how many functions were restored at the end. */
  public int restored() {
    return restored;
  }

  /** Returns the plan for all that was traced so far, in modules that were loaded later, too. */
  public TracePlan plan() {
    return plan;
  }

  /** Records modules that are loaded and unloaded. */
  private final class Changes implements ModuleLog {
    @Override
    public void planned(TracePlan more) {
      plan = plan.and(more);
      tell();
    }

    @Override
    public void comes(PlannedModule module, List<Patcher.Patched> traced, long ticks) {
      definitions.comes(module, ticks);
      definitions.functions(traced);
    }

    @Override
    public void more(List<Patcher.Patched> traced) {
      definitions.functions(traced);
    }

    @Override
    public void changed(List<PlannedFunction> functions) {
      plan = plan.without(functions, SkipReason.Kind.CHANGED);
    }

    @Override
    public void held(String library, long from, long to) {
      file.loaded(process, library, from, to);
    }

    @Override
    public void stopped(long from, long to) {
      file.hold(process, from, to, "code was changed");
    }

    @Override
    public void untraced(String path, long from, long to, String why) {
      file.untraced(process, path, from, to, why);
    }

    @Override
    public void goes(PlannedModule module, long ticks) {
      definitions.goes(module, ticks == 0 ? target.clock().now().ticks() : ticks);
    }
  }

  /** Writes the counts of functions to the recording. */
  private void tell() {
    definitions.counts(plan, setup.isFirst() ? clock.ticksPerSecond() : 0, cost());
  }

  /** Waits for the end of the program; returns its exit code if it has ended. */
  public OptionalInt await(int millis) {
    poller.pay(millis, this::look);
    return lookAfter();
  }

  /** Answers notifications of the program; returns whether there were any. */
  boolean look() {
    callers.look();
    return modules != null && state.isLive() && modules.look();
  }

  /** Answers notifications while a routine runs in one of the traced programs. */
  boolean serve() {
    return modules != null && state.isLive() && modules.serve();
  }

  /** Returns the hook that holds the program when it lets others run; empty if there is none. */
  Optional<ChildProcessHook> gate() {
    return state.isLive() ? childHook : Optional.empty();
  }

  /** Does periodic work; returns the exit code if the program has ended. */
  OptionalInt lookAfter() {
    OptionalInt exit = target.process().await(0);
    if (exit.isPresent()) {
      noteEnd();
      if (state.isLive()) {
        state = RunState.ENDED;
      }
    } else {
      tracer.topUp();
      long now = System.nanoTime();
      if (now - lastThreads > THREADS_NANOS) {
        lastThreads = now;
        threads();
      }
      if (setup.isFirst()) {
        clock.keep();
      }
    }
    thread
        .failure()
        .ifPresent(e -> {
          throw new IllegalStateException("the recorder failed", e);
        });
    return exit;
  }

  private ClockReading noteEnd() {
    endTime = endTime == null ? target.clock().now() : endTime;
    return endTime;
  }

  /** Tells the recorder which threads exist, so that it releases the chunks of others. */
  private void threads() {
    long ticks = target.clock().ticks();
    recorder.retain(tracer.aliveThreads(), ticks);
  }

  /**
   * Takes out what was recorded before now, with the callers of calls, and calibrates the clock:
   * times up to now are what they will be in the recording.
   */
  public void settleTimes() {
    ClockReading moment = target.clock().now();
    recorder.drain();
    session.samples().collect();
    callers.catchUp();
    clock.calibrate(moment);
  }

  /** Returns its number in the file. */
  long process() {
    return process;
  }

  /** Returns the statistics of this process alone. */
  RecorderStatistics own() {
    return recorder.own();
  }

  /** Returns the statistics of all processes in the file. */
  public RecorderStatistics statistics() {
    return recorder.statistics();
  }

  /** Returns the result of detaching; empty if the program has ended, or is still traced. */
  public Optional<DetachResult> detachment() {
    return detachment;
  }

  /** Returns how long the program was suspended while it was patched, in nanoseconds. */
  public long stoppedNanos() {
    return tracer.patching().stoppedNanos();
  }

  /** Returns how many calls were not recorded while their thread was given an area. */
  public long reentrant() {
    return session.reentrant();
  }

  /** Returns the rate of the recording's clock; 0 if unknown. */
  public long ticksPerSecond() {
    return clock.ticksPerSecond();
  }

  /**
   * Restores the program's code; calls that are active in traced functions return normally.
   *
   * @return its exit code, if it has ended in the meantime or ends within a moment: the request to
   *     end the trace may have reached the program, too, as Ctrl+C does
   */
  public OptionalInt disarm() {
    OptionalInt exit = target.process().exitCode();
    if (exit.isEmpty()) {
      restore();
    }
    if (state.isLive()) {
      state = RunState.DISARMED;
    }
    return target.process().await(EXIT_MILLIS);
  }

  private void restore() {
    restored = tracer.patching().armed();
    if (modules != null) {
      // The code first, while the unloading of modules is still reported.
      modules.end(() -> {
        tracer.disarm();
        state = RunState.DISARMED;
      });
    }
    detachment = tracer.detach();
  }

  /**
   * Ends the trace after a failure: restores the program's code and completes the file, as far as
   * both are possible. Failures here follow from the first one.
   *
   * @return whether the code was put back
   */
  public boolean abandon() {
    try {
      if (state == RunState.ARMED) {
        restore();
      }
    } catch (RuntimeException e) {
      // The returned value reports it.
    }
    boolean isRestored = state != RunState.ARMED;
    try {
      finish(OptionalInt.empty());
    } catch (RuntimeException e) {
      // Closing ends the file with what it has.
    }
    return isRestored;
  }

  /**
   * Writes everything that is left, and completes the file.
   *
   * @param exitCode of the program; empty if it is still running
   */
  public RecorderStatistics finish(OptionalInt exitCode) {
    if (state != RunState.FINISHED) {
      state = RunState.FINISHED;
      thread.close();
      if (modules != null) {
        modules.giveUp();
      }
      ClockReading end = noteEnd();
      ClockReading last = target.clock().now();
      if (setup.isFirst()) {
        clock.calibrate(last);
      } else if (exitCode.isPresent()) {
        recorder.retain(Set.of(), end.ticks());
      }
      exitCode.ifPresent(code -> definitions.ended(target, began.ticks(), end.ticks(), code));
      file.count(process, Map.of(RecorderCounter.REENTRANT, session.reentrant()));
      session.samples().collect();
      callers.finish(exitCode.isPresent());
      recorder.finish(last.ticks());
    }
    return recorder.statistics();
  }

  /** Closes the file and the session; restores the code of a program that is still traced. */
  @Override
  public void close() {
    switch (state) {
      case ARMED, ENDED -> abandon();
      case PREPARED -> setup.undo();
      case DISARMED, FINISHED -> {}
    }
    thread.close();
    if (modules != null) {
      modules.close();
    }
    try {
      recorder.close();
    } catch (IOException e) {
      throw new CannotGoOn(
          setup.settings().fileName() + " could not be finalised: " + e.getMessage(), "");
    } finally {
      if (setup.isFirst()) {
        file.close();
      }
      session.close();
    }
  }
}
