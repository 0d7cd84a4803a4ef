package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.patch.CodePatching;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.OwnFunctionPlan;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.recovery.DetachResult;
import io.ntrail.live.recovery.Detacher;
import io.ntrail.live.recovery.SessionJournal;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Sets tracing up in a target. The program itself is not changed before {@link #arm}. */
public final class Tracer {
  /**
   * Initial number of areas: a burst of threads takes them faster than further ones can be made.
   */
  private static final int FIRST_AREAS = 64;

  /** The fewest free areas, unless there can be no more. */
  private static final int FEWEST_FREE = 32;

  /** Areas that are made before the start where somebody asks for no more, some 350 MB. */
  private static final int MOST_AT_ONCE = 1024;

  private static final int MAX_AREAS = 4096;

  private final TargetProcess target;
  private final SessionFile session;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final CodePatching patching;
  private final SessionJournal journal;
  private final int mostAreas;
  private Optional<GnuUnwinders> unwinders = Optional.empty();
  private long notices;

  /**
   * Writes everything that tracing needs regardless of the functions.
   *
   * @param sessionName the session file as the target's system names it
   * @param mostAreas how many stacks can be traced at once; there is memory for all of them from
   *     the beginning if they are 1,024 or less
   */
  public Tracer(TargetProcess target, SessionFile session, String sessionName, int mostAreas) {
    this(target, session, sessionName, mostAreas, OwnFunctionPlan.NONE);
  }

  /**
   * Writes everything that tracing needs regardless of the functions.
   *
   * @param sessionName the session file as the target's system names it
   * @param mostAreas how many stacks can be traced at once; there is memory for all of them from
   *     the beginning if they are 1,024 or less
   * @param guard of {@link io.ntrail.live.patch.ModuleLookup#planAhead}
   */
  Tracer(
      TargetProcess target,
      SessionFile session,
      String sessionName,
      int mostAreas,
      OwnFunctionPlan guard) {
    this.target = target;
    this.session = session;
    this.tracing =
        new TracingMemory(target, session, sessionName, Math.clamp(mostAreas, 1, MAX_AREAS), guard);
    this.mostAreas = tracing.room();
    this.patcher = new Patcher(target, tracing);
    this.journal = SessionJournal.of(target);
    this.patching = new CodePatching(target, session, tracing, patcher, this::note);
    // One is enough for tests and measurements; the others are made meanwhile.
    tracing.addAreas(1);
    if (this.mostAreas > 1) {
      int first = mostAreas <= MOST_AT_ONCE ? mostAreas : FIRST_AREAS;
      tracing.beginAreas(Math.min(first, this.mostAreas) - 1);
    }
  }

  /** Tests whether the target's system unwinds traced frames correctly. */
  public UnwindSelfTest selfTest() {
    if (!tracing.lookup().isSafe()) {
      return new UnwindSelfTest(false, "unwind lookup of this Wine version cannot be made safe");
    }
    UnwindSelfTest test = UnwindSelfTest.run(target, tracing);
    return test.passed() ? toldOfSlots(test) : test;
  }

  /** Tells unwinders of slots that the system's own test says nothing about. */
  private UnwindSelfTest toldOfSlots(UnwindSelfTest test) {
    try {
      GnuUnwinders found = GnuUnwinders.in(target, tracing);
      if (found.exist()) {
        journal.described();
      }
      found.register(!session.tables().exist());
      unwinders = Optional.of(found);
      patching.passable(found::know);
      return test;
    } catch (CannotGoOn e) {
      if (target.exitCode().isPresent()) {
        throw e;
      }
      return UnwindSelfTest.failed(e.message());
    }
  }

  /** Measures the overhead of a traced call in the target. */
  public TracingOverhead cost() {
    return TracingOverhead.measure(target, tracing);
  }

  /**
   * Writes the stubs of functions; nothing jumps to them yet.
   *
   * @param exits whether exits are recorded where they can be
   */
  public List<Patcher.Patched> prepare(List<PlannedFunction> functions, boolean exits) {
    Map<PlannedModule, List<PlannedFunction>> modules = new LinkedHashMap<>();
    for (PlannedFunction function : functions) {
      if (function.isTraced()) {
        modules
            .computeIfAbsent(function.module(), _ -> new ArrayList<>())
            .add(exits ? function : function.entriesOnly());
      }
    }
    modules.forEach((module, some) -> patcher.prepare(module, some, tracing::table));
    tracing.awaitTouched();
    tracing.finishAreas();
    tracing.register();
    return patcher.patched();
  }

  /** Returns the memory that tracing has in the target. */
  TracingMemory memory() {
    return tracing;
  }

  /** Returns the stubs and the patched functions. */
  Patcher patcher() {
    return patcher;
  }

  /** Updates the journal in the target, for recovery after a crash of this controller. */
  private void note() {
    List<TracingMemory.Block> blocks = new ArrayList<>(tracing.areaBlocks());
    blocks.addAll(patcher.blocks());
    blocks.addAll(tracing.besideBlocks());
    journal.write(
        tracing.resources(),
        blocks,
        notices,
        patcher.patched().stream().map(SessionJournal.Patch::of).toList());
  }

  /** Updates the journal before a callback is registered with the loader. */
  void note(long callback) {
    notices = callback;
    note();
  }

  /** Returns what arms and disarms the functions. */
  CodePatching patching() {
    return patching;
  }

  /** Returns the planned functions that cannot be patched: no free memory is within reach. */
  public List<PlannedFunction> outOfReach() {
    return patching.outOfReach();
  }

  /** Arms the prepared functions while all threads are suspended. */
  public void arm() {
    patching.arm(false);
  }

  /** Restores all functions. The code that was put into the target stays there. */
  public void disarm() {
    patching.disarm();
  }

  /**
   * Detaches from a program that continues to run, as far as it provably does no harm. Nothing can
   * be traced afterwards.
   *
   * @return empty if the program has ended
   */
  public Optional<DetachResult> detach() {
    session.enable(false);
    List<DetachResult> result = new ArrayList<>();
    patching.unlessEnded(tracing::awaitRoutines);
    patching.unlessEnded(
        () -> result.add(new Detacher(target, tracing, patcher, journal).detach()));
    if (result.stream().anyMatch(DetachResult::removed)) {
      unwinders.ifPresent(its -> patching.unlessEnded(its::deregister));
    }
    return result.stream().findFirst();
  }

  /** Adds areas when few are free: the more there are, the more may be needed soon. */
  public void topUp() {
    topUp(Math.max(FEWEST_FREE, tracing.areas().size() / 4));
  }

  /** Adds areas until so many stacks have one free, within the limit. */
  public void topUp(int stacks) {
    while (session.areasFree() < stacks && tracing.areas().size() < mostAreas) {
      // A few take as long as many while threads of the target keep all processors busy.
      int existing = tracing.areas().size();
      int more = Math.min(Math.max(FEWEST_FREE, existing), mostAreas - existing);
      boolean made =
          patching.unlessEnded(() -> {
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

  /** Returns the ids of the existing threads; the areas of ended ones are reused. */
  public Set<Integer> aliveThreads() {
    Set<Integer> alive =
        target.threads().list().stream().map(TargetThread::tid).collect(Collectors.toSet());
    // Each area has to be requested; they are not reclaimed while there are enough.
    if (session.areasFree() < tracing.areas().size() / 2) {
      patching.unlessEnded(() -> tracing.reclaim(alive));
    }
    return alive;
  }
}
