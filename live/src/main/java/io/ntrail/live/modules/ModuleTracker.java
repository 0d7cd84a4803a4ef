package io.ntrail.live.modules;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.patch.CodePatching;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.PlansAhead;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.DllNotificationRing;
import io.ntrail.live.session.DllNotificationRing.Notice;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks modules that are loaded and unloaded while a program is traced.
 *
 * <p>A module that comes is planned and patched while the thread that loads it waits, before the
 * module's entry point runs; that thread holds the loader's lock, so that no routine is run in the
 * target meanwhile. What a module has near it stays when it goes, since threads may still return
 * there, and is used again when the same library comes to the same place.
 */
public final class ModuleTracker implements AutoCloseable {
  private static final String NOT_PATIENT = "its loading went on before it was patched";
  private static final String ENDED = "the program ended before it was patched";
  private static final long TABLE_PAUSE_NANOS = 50_000;
  private static final long TABLE_NANOS = 2_500_000_000L;

  /** Number of tries to restore functions while modules are unloaded. */
  private static final int MAX_TRIES = 5;

  private final TargetProcess process;
  private final TargetClock clock;
  private final CodePatching patching;
  private final StubPreparation stubs;
  private final ModuleLog log;
  private final DllNotificationHook notices;
  private final DllNotificationRing board;
  private final Map<Long, ModuleStubs> present = new LinkedHashMap<>();
  private final Map<Long, String> known = new HashMap<>();
  private final UntracedModules untraced;
  private final Queue<TracePlan> plans = new ArrayDeque<>();
  private int missed;

  /** When the module that is being planned was loaded. */
  private long loadedAt;

  /** Notification whose module is being planned; null if no thread waits for that. */
  private @Nullable Notice planning;

  private boolean serving;
  private boolean ending;

  /**
   * Result of a change of the selection.
   *
   * @param added functions that are traced from now on
   * @param removed functions no longer traced
   */
  public record SelectionChange(int added, int removed) {}

  /**
   * Begins to track. The stubs of planned functions are written; no function is patched yet.
   *
   * @param journal takes the address of the callback before the loader does
   * @param ahead plans for libraries that may be loaded
   * @param exits whether exits are recorded where they can be
   */
  public ModuleTracker(
      TargetProcess process,
      TargetClock clock,
      CodePatching patching,
      LongConsumer journal,
      DllNotificationRing board,
      TracePlan plan,
      PlansAhead ahead,
      boolean exits,
      ModuleLog log) {
    this.process = process;
    this.clock = clock;
    this.patching = patching;
    this.stubs =
        new StubPreparation(process, patching, exits, plan, ahead, this::planned, this::refused);
    this.untraced = new UntracedModules(clock, stubs::mayWant, log::untraced);
    this.log = log;
    this.board = board;
    this.notices = new DllNotificationHook(process, patching.memory(), board);
    Map<PlannedModule, List<Patcher.Patched>> modules = new LinkedHashMap<>();
    for (Patcher.Patched patched : patching.patcher().patched()) {
      modules.computeIfAbsent(patched.function().module(), _ -> new ArrayList<>()).add(patched);
    }
    modules.forEach((module, functions) -> {
      ModuleStubs placement = ModuleStubs.present(module, functions, patching.patcher());
      stubs.add(placement);
      present.put(module.module().base(), placement);
    });
    plan.modules().forEach(module -> known.put(module.base(), module.path()));
    boolean done = false;
    try {
      listen(journal);
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private void listen(LongConsumer journal) {
    notices.install(
        new LoaderCalls(
            untraced("ntdll!NtDelayExecution"),
            untraced("ntdll!RtlAddGrowableFunctionTable"),
            untraced("ntdll!RtlDllShutdownInProgress")),
        journal);
    process.whileRoutinesRun(this::serve);
    if (!process.isStarted()) {
      // What came or went between the plan and now.
      compare();
    }
  }

  /**
   * Returns the address of a function of the system as the program would call it without tracing; 0
   * if there is none.
   */
  public long untraced(String name) {
    long address = process.calls().find(name);
    return patching.patcher().patched().stream()
        .filter(p -> p.function().code().orElseThrow().address() == address)
        .map(Patcher.Patched::body)
        .findFirst()
        .orElse(address);
  }

  /**
   * Answers notifications, and traces modules whose loading did not wait.
   *
   * @return whether there was anything
   */
  public boolean look() {
    boolean news = serve();
    late();
    untraced.looked();
    return news;
  }

  /** Answers notifications; returns whether there were any. */
  public boolean serve() {
    if (serving || !board.isNews()) {
      return false;
    }
    serving = true;
    try {
      for (Notice notice : board.news()) {
        goes(notice.base(), notice.ticks());
        Optional<String> library = notice.loaded() && !ending ? comes(notice) : Optional.empty();
        board.answer(notice);
        library.ifPresent(its -> log.held(its, notice.ticks(), clock.ticks()));
        stubs.release();
        tellPlans();
      }
    } finally {
      serving = false;
      tellPlans();
    }
    return true;
  }

  /** Takes a plan; a thread of the program does not wait until it is told. */
  private void planned(TracePlan more) {
    plans.add(more);
    if (!serving) {
      tellPlans();
    }
  }

  private void tellPlans() {
    while (!plans.isEmpty()) {
      log.planned(plans.remove());
    }
  }

  /** Traces a module; returns its name if its thread waited for that. */
  private Optional<String> comes(Notice notice) {
    if (!board.isAwaited(notice)) {
      String why = board.isRecording() ? "its loading did not wait" : "recording had stopped";
      untraced.late(notice.base(), null, notice.ticks(), why);
      return Optional.empty();
    }
    List<String> library = new ArrayList<>();
    if (!patching.unlessEnded(() -> follow(notice, library))) {
      // Nothing in the target can be asked any more; without a name, its address is told.
      untraced.late(notice.base(), known.get(notice.base()), notice.ticks(), ENDED);
    }
    return library.stream().findFirst();
  }

  private void follow(Notice notice, List<String> library) {
    String path = process.text(notice.name());
    String name = WindowsPath.lastPart(path);
    known.put(notice.base(), path);
    plans(notice, notice.ticks());
    stubs
        .of(new TargetModule(notice.base(), notice.size(), path, name), true)
        .ifPresent(made -> {
          if (!isRegistered(made, notice)
              || !arm(made, notice.count(), notice.ticks(), () -> board.isHeld(notice))) {
            untraced.late(notice.base(), path, notice.ticks(), NOT_PATIENT);
          } else if (!board.isHeld(notice)) {
            untraced.traced(path, notice.ticks(), NOT_PATIENT);
          }
          library.add(name);
        });
  }

  private void plans(@Nullable Notice notice, long ticks) {
    planning = notice;
    loadedAt = ticks;
  }

  private boolean isRegistered(ModuleStubs placement, Notice notice) {
    TracingMemory.Table table = placement.table();
    if (!placement.isRegistered() && table != null) {
      if (!board.offer(notice, table.table(), table.entries(), table.base(), table.end())) {
        return false;
      }
      long end = System.nanoTime() + TABLE_NANOS;
      while (board.isOffered(notice) && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(TABLE_PAUSE_NANOS);
      }
      placement.registered(board.isTaken(notice));
      if (placement.isRegistered()) {
        patching.memory().registered(table, board.handle());
      } else if (board.isOffered(notice)) {
        patching.memory().stay("a thread of the program is stuck loading a library");
      }
    }
    return placement.isRegistered();
  }

  /**
   * Changes the selection. Functions that are no longer selected are restored; calls that are
   * active in them are recorded to their end.
   */
  public SelectionChange choose(TracePlan.Selection choice) {
    stubs.select(choice);
    Set<Patcher.Patched> before = Set.copyOf(patching.patcher().armed());
    patching.unlessEnded(() -> {
      stubs.extend(log::more);
      patching.memory().register();
      plans(null, clock.now().ticks());
      for (TargetModule module : process.modules()) {
        if (!present.containsKey(module.base())) {
          late(module, 0);
        }
      }
      long from = clock.ticks();
      held(this::change);
      log.stopped(from, clock.ticks());
    });
    Set<Patcher.Patched> after = patching.patcher().armed();
    return new SelectionChange(
        (int) after.stream().filter(one -> !before.contains(one)).count(),
        (int) before.stream().filter(one -> !after.contains(one)).count());
  }

  private void change(boolean routines) {
    Set<Patcher.Patched> armed = patching.patcher().armed();
    List<Patcher.Patched> off =
        present.values().stream()
            .flatMap(placement -> placement.functions(false).stream())
            .filter(armed::contains)
            .toList();
    List<Patcher.Patched> on =
        present.values().stream()
            .flatMap(placement -> placement.functions(true).stream())
            .filter(one -> !armed.contains(one))
            .toList();
    if (!off.isEmpty()) {
      patching.disarm(off, routines);
    }
    if (!on.isEmpty()) {
      patching.arm(on, routines);
      log.changed(patching.changed(on));
    }
  }

  /**
   * Arms the functions of a module, unless it was unloaded meanwhile.
   *
   * @param seen count of the last notice that was looked at
   * @param isUnused true as long as the thread waits that would be the first to execute its code
   */
  private boolean arm(ModuleStubs placement, int seen, long ticks, BooleanSupplier isUnused) {
    long base = placement.module().module().base();
    board.hold(true);
    try {
      boolean routines = !board.isBusy();
      if (board.isUnloaded(base, seen)) {
        return true;
      }
      log.comes(placement.module(), placement.isDefined() ? List.of() : placement.all(), ticks);
      placement.define();
      present.put(base, placement);
      List<Patcher.Patched> functions = placement.functions(true);
      if (!functions.isEmpty()) {
        patching.arm(functions, routines, isUnused);
      }
      return true;
    } finally {
      board.hold(false);
    }
  }

  private void goes(long base, long ticks) {
    known.remove(base);
    untraced.goes(base, ticks);
    ModuleStubs placement = present.remove(base);
    if (placement != null) {
      patching.patcher().forget(placement.module());
      log.goes(placement.module(), ticks);
    }
  }

  /** Traces modules whose loading did not wait for the controller. */
  private void late() {
    if (board.missed() != missed) {
      missed = board.missed();
      compare();
    }
    if (!untraced.isAnyLate()) {
      return;
    }
    patching.unlessEnded(() -> {
      List<TargetModule> modules = process.modules();
      for (long base : untraced.late()) {
        modules.stream()
            .filter(module -> module.base() == base)
            .findFirst()
            .ifPresentOrElse(this::catchUp, () -> untraced.goes(base, 0));
      }
    });
  }

  private void catchUp(TargetModule module) {
    UntracedModules.Since its = untraced.since(module.base());
    if (its == null) {
      // It was unloaded while another one was patched.
      return;
    }
    plans(null, its.ticks());
    boolean isMissed = late(module, clock.now().ticks());
    untraced.forget(module.base());
    if (isMissed) {
      untraced.traced(module.path(), its.ticks(), its.why());
    }
  }

  /** Traces a module that is there; returns whether calls of it were missed before. */
  private boolean late(TargetModule module, long ticks) {
    known.put(module.base(), module.path());
    ModuleStubs placement = stubs.of(module, false).orElse(null);
    if (placement == null || present.containsKey(module.base())) {
      return false;
    }
    TracingMemory.Table table = placement.table();
    if (!placement.isRegistered() && table != null) {
      patching.memory().table(table);
      patching.memory().register();
      placement.registered(true);
    }
    // It may have gone while that was waited for, which was answered then.
    long from = clock.ticks();
    boolean isArmed =
        module.path().equals(known.get(module.base()))
            && arm(placement, board.answered(), ticks, () -> false);
    log.stopped(from, clock.ticks());
    return isArmed;
  }

  /** Notes a module whose selected functions cannot be traced at all. */
  private void refused(TargetModule module, String why) {
    boolean hasGoneOn = planning != null && !board.isHeld(planning);
    untraced.refuse(module.base(), module.path(), loadedAt, hasGoneOn ? NOT_PATIENT : why);
  }

  /** Finds modules that were loaded or unloaded without a notification. */
  private void compare() {
    Set<Long> there = new HashSet<>();
    for (TargetModule module : process.modules()) {
      there.add(module.base());
      if (!module.path().equals(known.get(module.base()))) {
        goes(module.base(), 0);
        untraced.late(
            module.base(), module.path(), untraced.lastLook(), "its loading was not noticed");
      }
    }
    for (long base : List.copyOf(present.keySet())) {
      if (!there.contains(base)) {
        goes(base, 0);
      }
    }
  }

  /** Work that is done while no module can be unloaded. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does the work.
     *
     * @param routines whether threads can be started in the target: no thread holds the loader lock
     */
    void run(boolean routines);
  }

  /** Does work with the functions of all loaded modules; none of them is unloaded meanwhile. */
  public void held(Work work) {
    board.hold(true);
    try {
      for (Notice notice : board.news()) {
        if (!notice.loaded()) {
          goes(notice.base(), notice.ticks());
        }
      }
      work.run(!board.isBusy());
    } finally {
      board.hold(false);
    }
  }

  /**
   * Stops tracking.
   *
   * @param disarm puts all functions back and lets nothing be recorded from now on
   */
  public void end(Runnable disarm) {
    ending = true;
    for (int tries = 1; !tried(disarm, tries == MAX_TRIES); tries++) {
      compare();
    }
    try {
      notices.uninstall();
    } catch (CannotGoOn e) {
      // The next step reports the problem, or that the callback stays.
    }
  }

  /**
   * Restores the functions once. On a busy machine that may take longer than the program's threads
   * wait, and a module is unloaded meanwhile: it is forgotten then, and all others are restored
   * again.
   */
  private boolean tried(Runnable disarm, boolean last) {
    try {
      held(_ -> disarm.run());
      return true;
    } catch (CannotGoOn e) {
      if (last || process.exitCode().isPresent()) {
        throw e;
      }
      return false;
    }
  }

  /** Reports modules that were loaded and are not traced, as nothing will be from now on. */
  public void giveUp() {
    for (Notice notice : board.news()) {
      if (!notice.loaded()) {
        goes(notice.base(), notice.ticks());
      } else if (!board.isHeld(notice)) {
        untraced.late(notice.base(), null, notice.ticks(), "the program ended soon");
      }
    }
    untraced.giveUp();
  }

  @Override
  public void close() {
    process.whileRoutinesRun(() -> {});
    notices.close();
  }
}
