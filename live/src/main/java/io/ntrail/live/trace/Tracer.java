package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThread;
import io.ntrail.live.target.TargetThreads.Stopped;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts tracing into a target. Until {@link #arm} nothing of the program itself is changed. */
public final class Tracer {
  /** A burst of threads takes them faster than more can be made. */
  private static final int FIRST_AREAS = 64;

  private static final int MORE_AREAS = 32;
  private static final int MOST_AREAS = 4096;

  /** How long a process takes at most from when its memory is gone to its end. */
  private static final int LAST_MILLIS = 2000;

  private final TargetProcess target;
  private final SessionFile session;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final SessionJournal ledger;
  private final int mostAreas;
  private long stoppedNanos;
  private long notices;

  /** A function that has a stub: the low half of its body's address stands for it in records. */
  public record Traced(PlannedFunction function, int address) {}

  /**
   * Writes what tracing needs whatever is traced.
   *
   * @param sessionName the session file as the target's system names it
   * @param mostAreas how many stacks can be traced at once
   */
  public Tracer(TargetProcess target, SessionFile session, String sessionName, int mostAreas) {
    this.target = target;
    this.session = session;
    this.tracing =
        new TracingMemory(target, session, sessionName, Math.clamp(mostAreas, 1, MOST_AREAS));
    this.mostAreas = tracing.room();
    this.patcher = new Patcher(target, tracing);
    this.ledger = SessionJournal.of(target);
    tracing.addAreas(Math.min(FIRST_AREAS, this.mostAreas));
  }

  /** Whether the target's system unwinds traced frames as it should. */
  public UnwindSelfTest selfTest() {
    if (!tracing.lookup().isSafe()) {
      return new UnwindSelfTest(
          false, "this version of Wine looks for unwind data in a way that cannot be made safe");
    }
    return UnwindSelfTest.run(target, tracing);
  }

  /** What a traced call costs in the target. */
  public TracingOverhead cost() {
    return TracingOverhead.measure(target, tracing);
  }

  /**
   * Writes the stubs of functions; nothing jumps to them yet.
   *
   * @param exits whether exits are recorded where they can be
   */
  public List<Traced> prepare(List<PlannedFunction> functions, boolean exits) {
    Map<PlannedModule, List<PlannedFunction>> modules = new LinkedHashMap<>();
    for (PlannedFunction function : functions) {
      if (function.isTraced()) {
        modules
            .computeIfAbsent(function.module(), _ -> new ArrayList<>())
            .add(exits ? function : function.entriesOnly());
      }
    }
    modules.forEach((module, some) -> patcher.prepare(module, some, tracing::table));
    tracing.register();
    return patcher.patched().stream().map(Tracer::traced).toList();
  }

  static Traced traced(Patcher.Patched patched) {
    return new Traced(patched.function(), (int) patched.body());
  }

  /** What tracing has in the target. */
  TracingMemory memory() {
    return tracing;
  }

  /** What is patched. */
  Patcher patcher() {
    return patcher;
  }

  /** Writes down, in the target, what there is: for whoever comes when this controller died. */
  private void note() {
    List<TracingMemory.Block> blocks = new ArrayList<>(tracing.areaBlocks());
    blocks.addAll(patcher.blocks());
    blocks.addAll(tracing.besideBlocks());
    ledger.write(
        tracing.remains(),
        blocks,
        notices,
        patcher.patched().stream().map(SessionJournal.Patch::of).toList());
  }

  /** The same, before the loader is told of a callback. */
  void note(long callback) {
    notices = callback;
    note();
  }

  /** How many functions jump to their stubs. */
  int armed() {
    return patcher.armedCount();
  }

  /** Functions that should do so, and do not, because they are not what they were. */
  List<PlannedFunction> changed(List<Patcher.Patched> wanted) {
    return wanted.stream()
        .filter(function -> !patcher.armed().contains(function))
        .map(Patcher.Patched::function)
        .toList();
  }

  /** Functions that were planned and cannot be patched, because no free memory is near enough. */
  public List<PlannedFunction> outOfReach() {
    return patcher.outOfReach();
  }

  /** Patches what was prepared while all threads stand. */
  public void arm() {
    arm(false);
  }

  /**
   * Patches what was prepared. If all of it can be patched while threads execute it, they go on;
   * else they stand, so that all of it is recorded from one moment on.
   *
   * @param routines whether threads can be started in the target at this moment
   */
  public void arm(boolean routines) {
    note();
    session.enable(true);
    List<Patcher.Patched> functions = patcher.present();
    if (routines && Patcher.mayRun(functions)) {
      armRunning(functions);
      return;
    }
    try (Patcher.Change change = patcher.arming()) {
      stoppedNanos = whileStopped(change);
    }
  }

  /** The same for more functions, if they are what they were when they were planned. */
  void arm(List<Patcher.Patched> more, boolean routines) {
    note();
    if (routines && Patcher.mayRun(more)) {
      armRunning(more);
      return;
    }
    try (Patcher.Change change = patcher.adding(more)) {
      whileStopped(change);
    }
  }

  private void armRunning(List<Patcher.Patched> functions) {
    patcher
        .guarding(functions)
        .ifPresent(guarding -> {
          try (guarding) {
            stoppedNanos = whileStopped(guarding);
          }
        });
    patcher.armRunning(functions);
  }

  /** Some functions are not recorded any more; what is on its way through them is, to its end. */
  void disarm(List<Patcher.Patched> some, boolean routines) {
    if (routines && Patcher.mayRun(some)) {
      patcher.disarmRunning(some);
      return;
    }
    try (Patcher.Change change = patcher.removing(some)) {
      whileStopped(change);
    }
  }

  private long whileStopped(Patcher.Change change) {
    long begin = System.nanoTime();
    List<Stopped> stopped = target.threads().stopAll();
    try {
      change.write(stopped);
    } finally {
      target.threads().resume(stopped);
    }
    return System.nanoTime() - begin;
  }

  /** How long threads stood while functions were patched. */
  public long stoppedNanos() {
    return stoppedNanos;
  }

  /** Puts back what {@link #arm} changed. The code that was put into the target stays there. */
  public void disarm() {
    session.enable(false);
    unlessEnded(() -> {
      try (Patcher.Change change = patcher.disarming()) {
        whileStopped(change);
      }
    });
  }

  /**
   * Takes tracing out of a program that goes on, as far as can be proved to do no harm. Nothing can
   * be traced with this afterwards.
   *
   * @return empty if the program has ended
   */
  public Optional<DetachResult> detach() {
    session.enable(false);
    List<DetachResult> result = new ArrayList<>();
    unlessEnded(() -> result.add(new Detacher(target, tracing, patcher, ledger).detach()));
    return result.stream().findFirst();
  }

  /** Makes more room for threads when little is left. */
  public void topUp() {
    topUp(FIRST_AREAS / 2);
  }

  /** Makes room for so many more stacks, as far as may be. */
  public void topUp(int stacks) {
    while (session.areasFree() < stacks && tracing.areas().size() < mostAreas) {
      int more = Math.min(MORE_AREAS, mostAreas - tracing.areas().size());
      boolean made =
          unlessEnded(() -> {
            tracing.addAreas(more);
            if (patcher.armedCount() > 0) {
              note();
            }
          });
      if (!made) {
        return;
      }
    }
  }

  /**
   * A program may end at any moment; then what is left to be done for it need not be done.
   *
   * @return whether it was done
   */
  boolean unlessEnded(Runnable step) {
    try {
      step.run();
      return true;
    } catch (CannotGoOn e) {
      if (target.await(LAST_MILLIS).isEmpty()) {
        throw e;
      }
      return false;
    }
  }

  /** Ids of the threads that there are; what ended ones had in the target is used again. */
  public Set<Integer> aliveThreads() {
    Set<Integer> alive =
        target.threads().list().stream().map(TargetThread::tid).collect(Collectors.toSet());
    // Each area has to be asked for; nobody needs them back while there are enough.
    if (session.areasFree() < tracing.areas().size() / 2) {
      unlessEnded(() -> tracing.reclaim(alive));
    }
    return alive;
  }
}
