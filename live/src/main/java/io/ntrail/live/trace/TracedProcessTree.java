package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderState;
import io.ntrail.live.session.RecorderStatistics;
import io.ntrail.live.session.ResumeRequests;
import io.ntrail.live.session.ResumeRequests.Waiting;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsApi;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Traced program and, if wanted, its traced descendants, in one recording.
 *
 * <p>A program that one of them creates is held before its first instruction until it is traced as
 * well, and its creator waits as long ({@link ChildProcessHook}). One that came another way is
 * found a little later, and traced from then on. What cannot be traced continues untraced, and is
 * named.
 */
public final class TracedProcessTree implements AutoCloseable {
  /** The system's console host, which is never of interest. */
  private static final String CONSOLE = "conhost.exe";

  private static final String GONE = "exited before it could be traced";

  private static final long SEARCH_NANOS = 250_000_000;
  private static final long ENTRY_MILLIS = 15_000;

  /** Tolerance when creation times are compared, in units of 100 ns. */
  private static final long CLOCK_STEP = 200_000;

  private final TraceTarget target;
  private final TraceRun first;
  private Optional<TracePlan.Selection> choice;
  private final AdaptivePoller attention = new AdaptivePoller();
  private final List<Member> living = new ArrayList<>();
  private final SortedMap<Long, TracedChild> ended = new TreeMap<>();
  private final List<UntracedChild> untraced = new ArrayList<>();
  private final Set<RunningProcess.Identity> known = new HashSet<>();
  private final List<String> remarks = new ArrayList<>();
  private OptionalInt exit = OptionalInt.empty();
  private int restored;
  private long lastSearch = System.nanoTime();
  private boolean busy;
  private boolean ending;

  /** A child that is traced. */
  private record Member(TraceTarget target, TraceRun run, int parent, long lateNanos) {
    Member late(long nanos) {
      return new Member(target, run, parent, nanos);
    }

    TracedChild child(OptionalInt exitCode) {
      return new TracedChild(
          target.process().pid(),
          parent,
          target.program(),
          target.commandLine(),
          lateNanos,
          exitCode,
          run.plan().matched(),
          run.plan().patched(),
          run.selfTest().passed() ? run.plan().withExits() : 0,
          run.selfTest(),
          run.own(),
          run.reentrant(),
          run.detachment());
    }
  }

  private TracedProcessTree(
      TraceTarget target, TraceRun first, Optional<TracePlan.Selection> choice) {
    this.target = target;
    this.first = first;
    this.choice = choice;
  }

  /**
   * Returns a tree that traces one program alone.
   *
   * @param first closed with this
   */
  public static TracedProcessTree alone(TraceTarget target, TraceRun first) {
    return new TracedProcessTree(target, first, Optional.empty());
  }

  /**
   * Returns a tree that traces a program and the programs that it will start.
   *
   * @param first closed with this
   * @param choice what is wanted of all of them
   */
  public static TracedProcessTree withChildren(
      TraceTarget target, TraceRun first, TracePlan.Selection choice) {
    return new TracedProcessTree(target, first, Optional.of(choice));
  }

  /** Begins the trace: see {@link TraceRun#begin}. */
  public List<PlannedFunction> begin(TracePlan plan) {
    if (choice.isEmpty()) {
      return first.begin(plan);
    }
    // What it started before is not requested.
    RunningProcess.all(target.process().calls()).forEach(process -> known.add(process.identity()));
    List<PlannedFunction> out = first.begin(plan, true);
    joined(target, first);
    return out;
  }

  private void remark(String remark) {
    if (!remarks.contains(remark) && !first.plan().remarks().contains(remark)) {
      remarks.add(remark);
    }
  }

  private void joined(TraceTarget its, TraceRun run) {
    if (run.gate().isEmpty()) {
      remarks.add(
          "child processes of %s (%d) are not held at start: their first calls may be missing"
              .formatted(its.program(), its.process().pid()));
    }
    its.process().whileRoutinesRun(this::serve);
  }

  /**
   * Waits for the end of the program and of all its traced descendants.
   *
   * @return the program's exit code, when all of them have ended
   */
  public OptionalInt await(int millis) {
    attention.pay(millis, this::look);
    exit = first.lookAfter();
    for (Member member : List.copyOf(living)) {
      OptionalInt its = member.run.lookAfter();
      if (its.isPresent()) {
        leave(member, its);
      }
    }
    search();
    return living.isEmpty() ? exit : OptionalInt.empty();
  }

  private boolean look() {
    boolean news = first.look();
    for (Member member : List.copyOf(living)) {
      news |= member.run.look();
    }
    boolean held = gates();
    return held || news;
  }

  /** Answers notifications that must not wait for the end of a routine in one of the programs. */
  private void serve() {
    first.serve();
    living.forEach(member -> member.run.serve());
    gates();
  }

  private boolean gates() {
    boolean news = gate(target, first);
    for (Member member : List.copyOf(living)) {
      news |= gate(member.target, member.run);
    }
    return news;
  }

  /** Traces the processes that a program is about to let run. */
  private boolean gate(TraceTarget parent, TraceRun run) {
    ResumeRequests board = run.gate().map(ChildProcessHook::board).orElse(null);
    if (busy || board == null || !board.isNews()) {
      return false;
    }
    for (Waiting waiting : board.waiting()) {
      Hold hold = new Hold(board, waiting);
      try {
        RunningProcess.all(target.process().calls()).stream()
            .filter(process -> process.pid() == waiting.pid())
            .findFirst()
            .ifPresentOrElse(
                process -> trace(parent, process, Optional.of(hold)),
                () -> missed(parent, waiting.pid(), hold));
      } finally {
        hold.end();
      }
    }
    return true;
  }

  /** Thread that waits until it may resume a process. */
  private static final class Hold {
    private final ResumeRequests board;
    private final Waiting waiting;
    private boolean ended;

    Hold(ResumeRequests board, Waiting waiting) {
      this.board = board;
      this.waiting = waiting;
    }

    /** Releases the thread; returns whether it still waited. */
    boolean end() {
      boolean waited = ended || board.letGo(waiting);
      ended = true;
      return waited;
    }
  }

  /** Finds descendants that were started without a waiting creator. */
  private void search() {
    if (choice.isEmpty() || System.nanoTime() - lastSearch < SEARCH_NANOS) {
      return;
    }
    List<RunningProcess> all = RunningProcess.all(target.process().calls());
    for (RunningProcess process : all) {
      parent(all, process)
          // One that is only held by its creator reaches the hook when it is resumed.
          .filter(_ -> target.mayRun(process))
          .ifPresent(parent -> trace(parent, process, Optional.empty()));
    }
    lastSearch = System.nanoTime();
  }

  /**
   * Returns the living member that created a process; the ids of ended ones may have been reused.
   */
  private Optional<TraceTarget> parent(List<RunningProcess> all, RunningProcess child) {
    if (known.contains(child.identity()) || child.name().equalsIgnoreCase(CONSOLE)) {
      return Optional.empty();
    }
    Optional<TraceTarget> parent =
        exit.isEmpty() && target.process().pid() == child.parent()
            ? Optional.of(target)
            : living.stream()
                .map(Member::target)
                .filter(its -> its.process().pid() == child.parent())
                .findFirst();
    return parent.filter(its ->
        all.stream()
            .filter(one -> one.pid() == child.parent())
            .allMatch(one -> one.created() <= child.created() + CLOCK_STEP));
  }

  /**
   * Traces a process, unless it is known or not a descendant.
   *
   * @param hold who waits to let it run; empty if it runs already
   */
  private void trace(TraceTarget parent, RunningProcess process, Optional<Hold> hold) {
    if (ending || choice.isEmpty() || !known.add(process.identity())) {
      return;
    }
    if (process.name().equalsIgnoreCase(CONSOLE)) {
      return;
    }
    if (first.statistics().state() != RecorderState.RECORDING) {
      return;
    }
    busy = true;
    @Nullable TargetProcess opened = null;
    boolean begun = false;
    try {
      WindowsApi calls = target.calls(process);
      Optional<TargetProcess> created =
          hold.flatMap(one -> TargetProcess.created(calls, process, one.waiting.tid()));
      if (created.isEmpty() && process.parent() != parent.process().pid()) {
        return; // Somebody's who runs since long.
      }
      opened = created.isPresent() ? created.get() : TargetProcess.attach(calls, process);
      opened.whileRoutinesRun(this::serve);
      if (created.isPresent()) {
        opened.runToEntry(ENTRY_MILLIS);
      }
      Member member = begin(parent, opened);
      living.add(created.isPresent() ? member : late(member, process));
      begun = true;
    } catch (CannotGoOn | DamagedInput e) {
      leaveAlone(parent, process, opened, String.valueOf(e.getMessage()));
    } finally {
      busy = false;
      if (opened != null) {
        letGo(opened, process, hold, begun);
      }
    }
  }

  /** Releases a process to the thread that resumed it, or will. */
  private void letGo(
      TargetProcess opened, RunningProcess process, Optional<Hold> hold, boolean begun) {
    try {
      if (!begun) {
        opened.resumeMain();
      }
      if (!hold.map(Hold::end).orElse(true)) {
        // Its creator has lost patience and let it run when it could not, or too early.
        opened.resumeInstead();
        living.replaceAll(
            member -> member.target.process() == opened ? late(member, process) : member);
      }
    } finally {
      if (!begun) {
        opened.close();
      }
    }
  }

  /** Tells of a process that is gone, as its creator did not wait long enough. */
  private void missed(TraceTarget parent, int pid, Hold hold) {
    boolean isKnown =
        untraced.stream().anyMatch(one -> one.pid() == pid)
            || ended.values().stream().anyMatch(child -> child.pid() == pid);
    if (!hold.end() && !isKnown) {
      untraced.add(new UntracedChild(pid, parent.process().pid(), "", GONE));
    }
  }

  private long age(RunningProcess process) {
    return Math.max(1, 100 * (target.clock().now().utc() - process.created()));
  }

  private void leaveAlone(
      TraceTarget parent, RunningProcess process, @Nullable TargetProcess opened, String why) {
    // With the agent nothing is left that could be done, for anybody.
    OptionalInt its = opened == null ? OptionalInt.empty() : opened.exitCode();
    untraced.add(
        new UntracedChild(
            process.pid(), parent.process().pid(), process.name(), its.isPresent() ? GONE : why));
  }

  private Member late(Member member, RunningProcess process) {
    Member late = member.late(age(process));
    member.run.ranUntraced(late.lateNanos);
    return late;
  }

  private Member begin(TraceTarget parent, TargetProcess process) {
    TraceTarget child = target.child(process);
    TracePlan plan = child.plan(choice.orElseThrow());
    TraceRun run = first.beside(child);
    boolean begun = false;
    try {
      run.begin(plan, true);
      begun = true;
    } finally {
      if (!begun) {
        run.close();
      }
    }
    joined(child, run);
    return new Member(child, run, parent.process().pid(), 0);
  }

  private void leave(Member member, OptionalInt exitCode) {
    living.remove(member);
    try {
      member.run.finish(exitCode);
      ended.put(member.run.process(), member.child(exitCode));
      member.run.plan().remarks().forEach(this::remark);
    } finally {
      member.run.close();
      member.target.close();
    }
  }

  /** Returns the run of the program itself. */
  public TraceRun first() {
    return first;
  }

  /**
   * Returns the descendants that are no longer traced, in the order in which their traces began.
   */
  public List<TracedChild> children() {
    return List.copyOf(ended.values());
  }

  /** Returns how many descendants are traced now. */
  public int livingChildren() {
    return living.size();
  }

  /** Returns whether the program itself has ended. */
  public boolean hasFirstEnded() {
    return exit.isPresent();
  }

  /** Returns the descendants that could not be traced. */
  public List<UntracedChild> untraced() {
    return List.copyOf(untraced);
  }

  /** Returns the number of matching functions in all processes. */
  public int matched() {
    return first.plan().matched() + ended.values().stream().mapToInt(TracedChild::matched).sum();
  }

  /**
   * Returns the number of calls of all processes that were not recorded because their thread was
   * just being given an area.
   */
  public long reentrant() {
    return first.reentrant() + ended.values().stream().mapToLong(TracedChild::reentrant).sum();
  }

  /** Returns the statistics of the program alone. */
  public RecorderStatistics own() {
    return first.own();
  }

  /** Returns remarks that are not part of the program's plan. */
  public List<String> remarks() {
    return List.copyOf(remarks);
  }

  /** Changes the selection in all programs, present and future: see {@link TraceRun#choose}. */
  public SelectionResult choose(TracePlan.Selection other) {
    choice = choice.map(_ -> other);
    List<TraceRun> runs = new ArrayList<>();
    if (exit.isEmpty()) {
      runs.add(first);
    }
    living.forEach(member -> runs.add(member.run));
    SelectionResult sum = new SelectionResult(0, 0, 0, 0);
    for (TraceRun run : runs) {
      sum = sum.plus(run.choose(other));
    }
    return sum;
  }

  /** Returns how many functions of all programs were restored at the end. */
  public int restored() {
    return restored;
  }

  /**
   * Restores the code of all programs that have not ended.
   *
   * @return the exit code of the program, as {@link TraceRun#disarm}
   */
  public OptionalInt disarm() {
    ending = true;
    for (Member member : List.copyOf(living)) {
      leave(member, member.run.disarm());
      restored += member.run.restored();
    }
    if (exit.isEmpty()) {
      exit = first.disarm();
      restored += first.restored();
    }
    return exit;
  }

  /** Ends the trace after a failure; returns whether all code was restored. */
  public boolean abandon() {
    ending = true;
    boolean restored = true;
    for (Member member : living) {
      restored &= member.run.abandon();
    }
    boolean all = first.abandon();
    return all && restored;
  }

  /**
   * Writes everything that is left, and completes the file.
   *
   * @param exitCode of the program; empty if it is still running
   */
  public RecorderStatistics finish(OptionalInt exitCode) {
    return first.finish(exitCode);
  }

  @Override
  public void close() {
    ending = true;
    try {
      for (Member member : List.copyOf(living)) {
        living.remove(member);
        try {
          member.run.close();
        } finally {
          member.target.close();
        }
      }
    } finally {
      first.close();
    }
  }
}
