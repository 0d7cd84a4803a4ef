package io.ntrail.live.capture;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.capture.ThreadCapturer.Wanted;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.AreaGeometry;
import io.ntrail.live.recovery.SessionJournal;
import io.ntrail.live.recovery.SessionJournal.SessionFrames;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThread;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.x64.DynamicFunctions;
import io.ntrail.programs.unwind.x64.RegisteredFunctions;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import io.ntrail.programs.unwind.x64.WindowsBehavior;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The threads of a process, captured one after the other while the process runs, and its memory
 * around them.
 *
 * <p>What is not copied with a thread (code, function tables, headers) is read from the process
 * when it is asked for: the process must stay open. Not safe for several threads.
 */
public final class ProcessCapture {
  /** Default limit for the bytes of one stack: 1 MiB. */
  public static final int MOST_STACK = 1 << 20;

  private static final int MOST_RANGES = 2 << 20;

  private final List<CapturedThread> threads;
  private final List<TargetThread> missing;
  private final List<TargetModule> modules;
  private final List<DynamicTable> tables;
  private final LiveModules loaded;
  private final AddressSpace copied;
  private final boolean is64Bit;
  private final DynamicFunctions functions;

  private ProcessCapture(
      TargetProcess process,
      List<CapturedThread> threads,
      List<TargetThread> missing,
      List<SessionFrames> sessions) {
    this.threads = List.copyOf(threads);
    this.missing = List.copyOf(missing);
    this.modules = process.modules();
    this.is64Bit = !process.is32Bit();
    this.tables =
        is64Bit
            ? DynamicTables.of(
                process,
                modules,
                sessions.stream().flatMap(session -> session.handles().values().stream()).toList())
            : List.of();
    this.loaded = new LiveModules(process.memory(), modules);
    Set<Long> areas =
        sessions.stream().flatMap(one -> one.areas().stream()).collect(Collectors.toSet());
    List<Range> ranges =
        threads.stream()
            .flatMap(one ->
                areas.isEmpty()
                    ? one.memory().stream()
                    : UntracedStack.of(one, areas, process.architecture()).stream())
            .toList();
    this.copied =
        new CopiedMemory(
            ranges, new LiveMemory("process " + process.pid(), process.memory(), modules));
    this.functions =
        new RegisteredFunctions(tables.stream().map(table -> table.in(copied)).toList(), copied);
  }

  /**
   * Captures all threads of a process, each suspended for as long as its registers and its stack
   * are copied.
   *
   * @param mostStack limit for the bytes of one stack
   * @throws CannotGoOn if the process has ended, or does not allow it
   */
  public static ProcessCapture of(TargetProcess process, int mostStack) {
    return of(process, mostStack, false);
  }

  /**
   * Captures all threads of a process that is suspended: debug registers, too, for which more time
   * is taken.
   *
   * @param mostStack limit for the bytes of one stack
   * @throws CannotGoOn if the process has ended, or does not allow it
   */
  public static ProcessCapture ofHeld(TargetProcess process, int mostStack) {
    return of(process, mostStack, true);
  }

  private static ProcessCapture of(TargetProcess process, int mostStack, boolean isHeld) {
    List<SessionFrames> sessions = SessionJournal.frames(process);
    List<TargetThread> threads = process.threads().list();
    List<CapturedThread> captured;
    try (ThreadCapturer capturer =
        new ThreadCapturer(
            process, threads.size(), mostStack, sessions.isEmpty() ? 0 : MOST_RANGES, isHeld)) {
      Map<Long, List<Long>> areas = areas(process, sessions);
      captured = capturer.capture(threads, block -> slots(process, block, areas));
    }
    if (captured.isEmpty()) {
      throw new CannotGoOn("process %d has exited".formatted(process.pid()), "");
    }
    Set<TargetThread> found =
        captured.stream().map(CapturedThread::thread).collect(Collectors.toSet());
    List<TargetThread> missing =
        threads.stream().filter(thread -> !found.contains(thread)).toList();
    return new ProcessCapture(process, captured, missing, sessions);
  }

  /** Returns the areas of traced stacks, by the base of the stack. */
  private static Map<Long, List<Long>> areas(TargetProcess process, List<SessionFrames> sessions) {
    Map<Long, List<Long>> areas = new HashMap<>();
    if (sessions.isEmpty()) {
      return areas;
    }
    int stackBase = process.architecture().areas().stackBase();
    for (SessionFrames session : sessions) {
      for (long area : session.areas()) {
        process
            .memory()
            .pointer(area + stackBase, process.architecture().pointerSize())
            .ifPresent(stack -> areas.computeIfAbsent(stack, _ -> new ArrayList<>()).add(area));
      }
    }
    return areas;
  }

  /**
   * Returns the data of the slots of a thread: the true return addresses of its traced frames,
   * which change with each call.
   *
   * @param block address of its environment block
   */
  private static List<Wanted> slots(
      TargetProcess process, long block, Map<Long, List<Long>> areas) {
    if (areas.isEmpty()) {
      return List.of();
    }
    Architecture architecture = process.architecture();
    OptionalLong base =
        process
            .memory()
            .pointer(block + architecture.threads().stackBase(), architecture.pointerSize());
    if (base.isEmpty()) {
      return List.of();
    }
    AreaGeometry geometry = architecture.areas();
    return areas.getOrDefault(base.getAsLong(), List.of()).stream()
        .map(area -> new Wanted(area + geometry.data(), geometry.table() - geometry.data()))
        .toList();
  }

  /** Returns true for x64; false for a program of 32 bits. */
  public boolean is64Bit() {
    return is64Bit;
  }

  /** Returns the threads in the order in which the system lists them. */
  public List<CapturedThread> threads() {
    return threads;
  }

  /** Returns the threads that were listed but were only beginning, or ended meanwhile. */
  public List<TargetThread> missing() {
    return missing;
  }

  /** Returns the modules in the order in which they were loaded. */
  public List<TargetModule> modules() {
    return modules;
  }

  /**
   * Returns an image of a module that has its headers and its debug directory alone; empty if there
   * is no image in memory. It is read now.
   */
  public Optional<PeImage> outline(TargetModule module) {
    return ModuleOutline.of(copied, module);
  }

  /** Returns the modules by address. */
  public LoadedModules loaded() {
    return loaded;
  }

  /** Returns the function tables of code that is of no module. */
  public List<DynamicTable> tables() {
    return tables;
  }

  /**
   * Returns the memory: the stacks as they were when they were copied, and the process as it is
   * around them. Frames of functions that ntrail traces have the return addresses there that they
   * would have untraced.
   */
  public AddressSpace memory() {
    return copied;
  }

  /** Returns the function entries of code that is of no module. */
  public DynamicFunctions functions() {
    return functions;
  }

  /**
   * Returns a walker of the stacks of all threads of x64, which keeps what it learns about code.
   */
  public StackWalker walker() {
    return new StackWalker(
        new VirtualUnwinder(copied, loaded, functions, WindowsBehavior.newest()));
  }

  /** Returns for how long each thread was suspended, in nanoseconds, the shortest time first. */
  public List<Long> suspendedNanos() {
    return threads.stream().map(CapturedThread::suspendedNanos).sorted().toList();
  }

  /** Returns for how long a thread stood for sure at most, in nanoseconds. */
  public long longestStoodNanos() {
    return threads.stream().mapToLong(CapturedThread::stoodNanos).max().orElse(0);
  }
}
