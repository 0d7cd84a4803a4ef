package io.ntrail.live.patch;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Arms and disarms functions of a target: makes them jump to their stubs and restores them, either
 * while all threads are suspended or while they run.
 */
public final class CodePatching {
  /** Time limit for the exit of a process whose memory was released. */
  private static final int EXIT_MILLIS = 2000;

  private final TargetProcess target;
  private final SessionFile session;
  private final TracingMemory memory;
  private final Patcher patcher;
  private final Runnable journal;
  private Predicate<PlannedModule> passable = _ -> true;
  private OwnFunctions own = OwnFunctions.NONE;
  private long stoppedNanos;

  /**
   * Prepares patching; nothing is changed yet.
   *
   * @param journal runs before each change that arms functions: writes them down for recovery
   */
  public CodePatching(
      TargetProcess target,
      SessionFile session,
      TracingMemory memory,
      Patcher patcher,
      Runnable journal) {
    this.target = target;
    this.session = session;
    this.memory = memory;
    this.patcher = patcher;
    this.journal = journal;
  }

  /**
   * Sets which modules throw exceptions that pass the slots of their functions; all of them at
   * first.
   */
  public void passable(Predicate<PlannedModule> modules) {
    passable = modules;
  }

  /** Returns whether exceptions of a module pass the slots of its functions. */
  public boolean isPassable(PlannedModule module) {
    return passable.test(module);
  }

  /** Functions of modules that tracing itself patches, which are not traced. */
  public interface OwnFunctions {
    /** There are none. */
    OwnFunctions NONE =
        new OwnFunctions() {
          @Override
          public boolean mayBeIn(TargetModule module) {
            return false;
          }

          @Override
          public List<Patcher.Patched> in(TargetModule module, Optional<PlannedModule> planned) {
            return List.of();
          }
        };

    /** Returns whether a module may have some. */
    boolean mayBeIn(TargetModule module);

    /**
     * Writes the code in front of those of a module that came; nothing jumps to it yet.
     *
     * @param planned the module as it was planned for its traced functions, if there are any
     */
    List<Patcher.Patched> in(TargetModule module, Optional<PlannedModule> planned);
  }

  /** Sets which functions of modules that come tracing itself patches; none at first. */
  public void own(OwnFunctions functions) {
    own = functions;
  }

  /** Returns the functions of modules that come that tracing itself patches. */
  public OwnFunctions own() {
    return own;
  }

  /** Returns the memory that tracing has in the target. */
  public TracingMemory memory() {
    return memory;
  }

  /** Returns the stubs and the patched functions. */
  public Patcher patcher() {
    return patcher;
  }

  /** Returns the number of functions that jump to their stubs. */
  public int armed() {
    return patcher.armedCount();
  }

  /** Returns the wanted functions that could not be armed because their code has changed. */
  public List<PlannedFunction> changed(List<Patcher.Patched> wanted) {
    return wanted.stream()
        .filter(function -> !patcher.armed().contains(function))
        .map(Patcher.Patched::function)
        .toList();
  }

  /** Returns the planned functions that cannot be patched: no free memory is within reach. */
  public List<PlannedFunction> outOfReach() {
    return patcher.outOfReach();
  }

  /**
   * Enables recording and arms all prepared functions. If all of them can be patched while threads
   * execute them, the threads keep running; otherwise all threads are suspended, so that recording
   * of all functions begins at one moment.
   *
   * @param routines whether threads can be created in the target at this moment
   */
  public void arm(boolean routines) {
    journal.run();
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

  /**
   * Arms further functions, unless their code has changed since it was planned.
   *
   * @param routines whether threads can be created in the target at this moment
   */
  public void arm(List<Patcher.Patched> more, boolean routines) {
    arm(more, routines, () -> false);
  }

  /**
   * Arms further functions, unless their code has changed since it was planned.
   *
   * @param routines whether threads can be created in the target at this moment
   * @param isUnused asked when all threads are suspended: true if none can have begun to execute
   *     the functions
   */
  public void arm(List<Patcher.Patched> more, boolean routines, BooleanSupplier isUnused) {
    boolean isOnlyTheirs = patcher.isGuarded(more);
    journal.run();
    if (routines && Patcher.mayRun(more)) {
      armRunning(more);
      return;
    }
    try (Patcher.Change change = patcher.adding(more)) {
      whileStopped(change, () -> isOnlyTheirs && isUnused.getAsBoolean());
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

  /** Disarms some functions; calls that are active in them are recorded to their end. */
  public void disarm(List<Patcher.Patched> some, boolean routines) {
    if (routines && Patcher.mayRun(some)) {
      patcher.disarmRunning(some);
      return;
    }
    try (Patcher.Change change = patcher.removing(some)) {
      whileStopped(change);
    }
  }

  /** Disables recording and restores all functions. The code added to the target stays there. */
  public void disarm() {
    session.enable(false);
    unlessEnded(() -> {
      try (Patcher.Change change = patcher.disarming()) {
        whileStopped(change);
      }
    });
  }

  private long whileStopped(Patcher.Change change) {
    return whileStopped(change, () -> false);
  }

  private long whileStopped(Patcher.Change change, BooleanSupplier isUnused) {
    long begin = System.nanoTime();
    List<Stopped> stopped = target.threads().stopAll(isUnused);
    try {
      change.write(stopped, isUnused);
    } finally {
      target.threads().resume(stopped);
    }
    return System.nanoTime() - begin;
  }

  /** Returns how long threads were suspended while functions were armed. */
  public long stoppedNanos() {
    return stoppedNanos;
  }

  /**
   * Runs a step that fails when the target ends meanwhile, which a program may do at any moment.
   *
   * @return false if the target has ended
   */
  public boolean unlessEnded(Runnable step) {
    try {
      step.run();
      return true;
    } catch (CannotGoOn e) {
      if (target.await(EXIT_MILLIS).isEmpty()) {
        throw e;
      }
      return false;
    }
  }
}
