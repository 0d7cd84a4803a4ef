package io.ntrail.live.trace;

import io.ntrail.live.patch.CodePatching;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
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

/** Puts tracing into a target. Until {@link #arm} nothing of the program itself is changed. */
public final class Tracer {
  /** A burst of threads takes them faster than more can be made. */
  private static final int FIRST_AREAS = 64;

  private static final int MORE_AREAS = 32;
  private static final int MOST_AREAS = 4096;

  private final TargetProcess target;
  private final SessionFile session;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final CodePatching patching;
  private final SessionJournal ledger;
  private final int mostAreas;
  private long notices;

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
    this.patching = new CodePatching(target, session, tracing, patcher, this::note);
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
    tracing.register();
    return patcher.patched();
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
   * Takes tracing out of a program that goes on, as far as can be proved to do no harm. Nothing can
   * be traced with this afterwards.
   *
   * @return empty if the program has ended
   */
  public Optional<DetachResult> detach() {
    session.enable(false);
    List<DetachResult> result = new ArrayList<>();
    patching.unlessEnded(() -> result.add(new Detacher(target, tracing, patcher, ledger).detach()));
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

  /** Ids of the threads that there are; what ended ones had in the target is used again. */
  public Set<Integer> aliveThreads() {
    Set<Integer> alive =
        target.threads().list().stream().map(TargetThread::tid).collect(Collectors.toSet());
    // Each area has to be asked for; nobody needs them back while there are enough.
    if (session.areasFree() < tracing.areas().size() / 2) {
      patching.unlessEnded(() -> tracing.reclaim(alive));
    }
    return alive;
  }
}
