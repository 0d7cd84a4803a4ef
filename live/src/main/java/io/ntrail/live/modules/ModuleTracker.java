package io.ntrail.live.modules;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.patch.CodePatching;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.DllNotificationRing;
import io.ntrail.live.session.DllNotificationRing.Notice;
import io.ntrail.live.target.TargetClock;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Modules that come and go while a program is traced.
 *
 * <p>A module that comes is planned and patched while the thread that loads it waits, before the
 * module's entry point runs; that thread holds the loader's lock, so that no routine is run in the
 * target meanwhile. What a module has near it stays when it goes, since threads may still return
 * there, and is used again when the same library comes to the same place.
 */
public final class ModuleTracker implements AutoCloseable {
  private static final long TABLE_PAUSE_NANOS = 50_000;
  private static final long TABLE_NANOS = 2_500_000_000L;

  /** So often functions are put back while modules go. */
  private static final int MOST_TRIES = 5;

  private final TargetProcess process;
  private final TargetClock clock;
  private final CodePatching patching;
  private final StubPreparation stubs;
  private final Log log;
  private final DllNotificationHook notices;
  private final DllNotificationRing board;
  private final Map<Long, ModuleStubs> present = new LinkedHashMap<>();
  private final Map<Long, String> known = new HashMap<>();
  private final Set<Long> late = new HashSet<>();
  private int missed;
  private boolean serving;
  private boolean ending;

  /** What hears of it. */
  public interface Log {
    /** What was asked for in a module that was not planned before. */
    void planned(TracePlan more);

    /**
     * A module is there, and its functions will be patched.
     *
     * @param functions those that were never told of
     */
    void comes(PlannedModule module, List<Patcher.Patched> functions, long ticks);

    /** More functions have stubs than were told of. */
    void more(List<Patcher.Patched> functions);

    /** Functions are left alone after all, because they are no longer what they were. */
    void changed(List<PlannedFunction> functions);

    /** A module of which that was told is no longer there. */
    void goes(PlannedModule module, long ticks);
  }

  /**
   * What came of asking for something else.
   *
   * @param added functions that are traced from now on
   * @param removed functions that are no more
   */
  public record SelectionChange(int added, int removed) {}

  /**
   * Begins to listen. Stubs of what was planned are written, and no function is patched yet.
   *
   * @param journal takes the address of the callback before the loader does
   * @param exits whether exits are recorded where they can be
   */
  public ModuleTracker(
      TargetProcess process,
      TargetClock clock,
      CodePatching patching,
      LongConsumer journal,
      DllNotificationRing board,
      TracePlan plan,
      boolean exits,
      Log log) {
    this.process = process;
    this.clock = clock;
    this.patching = patching;
    this.stubs = new StubPreparation(process, patching, exits, plan, log::planned);
    this.log = log;
    this.board = board;
    this.notices = new DllNotificationHook(process, patching.memory(), board);
    Map<PlannedModule, List<Patcher.Patched>> modules = new LinkedHashMap<>();
    for (Patcher.Patched patched : patching.patcher().patched()) {
      modules.computeIfAbsent(patched.function().module(), _ -> new ArrayList<>()).add(patched);
    }
    modules.forEach((module, functions) -> {
      ModuleStubs placement = new ModuleStubs(module, functions, null, true);
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

  /** A function of the system as the program would call it without tracing; 0 if there is none. */
  public long untraced(String name) {
    long address = process.calls().find(name);
    return patching.patcher().patched().stream()
        .filter(p -> p.function().code().orElseThrow().address() == address)
        .map(Patcher.Patched::body)
        .findFirst()
        .orElse(address);
  }

  /**
   * Answers what was told, and traces what nobody waited for.
   *
   * @return whether there was anything
   */
  public boolean look() {
    boolean news = serve();
    late();
    return news;
  }

  /** Answers what was told; whether there was anything. */
  public boolean serve() {
    if (serving || !board.isNews()) {
      return false;
    }
    serving = true;
    try {
      for (Notice notice : board.news()) {
        if (notice.loaded()) {
          comes(notice);
        } else {
          goes(notice.base(), notice.ticks());
        }
        board.answer(notice);
      }
    } finally {
      serving = false;
    }
    return true;
  }

  private void comes(Notice notice) {
    goes(notice.base(), notice.ticks());
    if (ending) {
      return;
    }
    if (!board.isAwaited(notice)) {
      late.add(notice.base());
      return;
    }
    patching.unlessEnded(() -> {
      String path = process.text(notice.name());
      TargetModule module =
          new TargetModule(notice.base(), notice.size(), path, WindowsPath.lastPart(path));
      known.put(module.base(), path);
      stubs
          .of(module)
          .ifPresent(placement -> {
            if (!isRegistered(placement, notice)
                || !arm(placement, notice.count(), notice.ticks())) {
              late.add(module.base());
            }
          });
    });
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
        patching.memory().stay("a thread of the program does not go on loading a library");
      }
    }
    return placement.isRegistered();
  }

  /**
   * From now on something else is asked for. Functions that were traced and are not asked for any
   * more are put back; what is on its way through them is recorded to its end.
   */
  public SelectionChange choose(TracePlan.Selection choice) {
    stubs.select(choice);
    Set<Patcher.Patched> before = Set.copyOf(patching.patcher().armed());
    patching.unlessEnded(() -> {
      stubs.extend(log::more);
      patching.memory().register();
      for (TargetModule module : process.modules()) {
        if (!present.containsKey(module.base())) {
          late(module, 0);
        }
      }
      held(this::change);
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
   * Patches, unless the module has gone meanwhile.
   *
   * @param seen count of the last notice that was looked at
   */
  private boolean arm(ModuleStubs placement, int seen, long ticks) {
    long base = placement.module().module().base();
    board.hold(true);
    try {
      boolean routines = !board.isBusy();
      boolean gone =
          board.news().stream()
              .anyMatch(news -> news.count() - seen > 0 && !news.loaded() && news.base() == base);
      if (gone) {
        return true;
      }
      log.comes(placement.module(), placement.isDefined() ? List.of() : placement.all(), ticks);
      placement.define();
      present.put(base, placement);
      List<Patcher.Patched> functions = placement.functions(true);
      if (!functions.isEmpty()) {
        patching.arm(functions, routines);
      }
      return true;
    } finally {
      board.hold(false);
    }
  }

  private void goes(long base, long ticks) {
    known.remove(base);
    late.remove(base);
    ModuleStubs placement = present.remove(base);
    if (placement != null) {
      patching.patcher().forget(placement.module());
      log.goes(placement.module(), ticks);
    }
  }

  /** Traces modules whose loading nobody waited for, from now on. */
  private void late() {
    if (board.missed() != missed) {
      missed = board.missed();
      compare();
    }
    if (late.isEmpty()) {
      return;
    }
    patching.unlessEnded(() -> {
      List<TargetModule> modules = process.modules();
      for (long base : List.copyOf(late)) {
        modules.stream()
            .filter(module -> module.base() == base)
            .findFirst()
            .ifPresent(module -> late(module, clock.now().ticks()));
      }
      late.clear();
    });
  }

  private void late(TargetModule module, long ticks) {
    known.put(module.base(), module.path());
    Optional<ModuleStubs> found = stubs.of(module);
    if (found.isEmpty() || present.containsKey(module.base())) {
      return;
    }
    ModuleStubs placement = found.get();
    TracingMemory.Table table = placement.table();
    if (!placement.isRegistered() && table != null) {
      patching.memory().table(table);
      patching.memory().register();
      placement.registered(true);
    }
    // It may have gone while that was waited for, which was answered then.
    if (module.path().equals(known.get(module.base()))) {
      arm(placement, board.answered(), ticks);
    }
  }

  /** Finds out what came and went without a notice. */
  private void compare() {
    Set<Long> there = new HashSet<>();
    for (TargetModule module : process.modules()) {
      there.add(module.base());
      if (!module.path().equals(known.get(module.base()))) {
        goes(module.base(), 0);
        late.add(module.base());
      }
    }
    for (long base : List.copyOf(present.keySet())) {
      if (!there.contains(base)) {
        goes(base, 0);
      }
    }
  }

  /** What is done while no module goes. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does it.
     *
     * @param routines whether threads can be started in the target: nobody holds the loader's lock
     */
    void run(boolean routines);
  }

  /** Does something with the functions of all modules that are there; none of them goes. */
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
   * Does not listen any more.
   *
   * @param disarm puts all functions back and lets nothing be recorded from now on
   */
  public void end(Runnable disarm) {
    ending = true;
    for (int tries = 1; !tried(disarm, tries == MOST_TRIES); tries++) {
      compare();
    }
    try {
      notices.uninstall();
    } catch (CannotGoOn e) {
      // What comes next says what is wrong, or that the callback stays.
    }
  }

  /**
   * On a machine with too much to do it takes longer than the program's threads wait, and a module
   * goes meanwhile. What is known of it then is forgotten, and all others are put back.
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

  @Override
  public void close() {
    process.whileRoutinesRun(() -> {});
    notices.close();
  }
}
