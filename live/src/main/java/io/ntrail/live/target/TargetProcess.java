package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.SystemLayout;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.windows.KillOnCloseJob;
import io.ntrail.live.windows.ProcessHandles;
import io.ntrail.live.windows.ProcessMachines;
import io.ntrail.live.windows.ProcessMitigations;
import io.ntrail.live.windows.RemoteRoutine;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetPaths;
import io.ntrail.live.windows.WindowsApi;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Process that is watched from the outside.
 *
 * <p>No debugger is attached. Closing it closes handles only: a process that was resumed continues.
 */
public final class TargetProcess implements AutoCloseable {
  private static final int WAIT_TIMEOUT = 258;
  private static final int STILL_ACTIVE = 259;
  private static final int NEW_HEADERS = 0x3C;
  static final String RESUME = "ntdll!NtResumeThread";

  private final WindowsApi calls;
  private final long process;
  private final long mainThread;
  private final int pid;
  private final int mainTid;
  private final KillOnCloseJob job;

  /** Suspend count that its creator had given it; 0 if it has no other creator. */
  private final int held;

  private final TargetMemory memory;
  private final TargetThreads threads;
  private ProcessEnvironment environment;
  private @Nullable Architecture architecture;
  private boolean isEmulated;
  private Runnable meanwhile = () -> {};

  private TargetProcess(
      WindowsApi calls,
      long process,
      long mainThread,
      int pid,
      int mainTid,
      KillOnCloseJob job,
      int held) {
    this.calls = calls;
    this.held = held;
    this.mainTid = mainTid;
    this.job = job;
    this.process = process;
    this.mainThread = mainThread;
    this.pid = pid;
    this.memory = new TargetMemory(calls, process);
    this.threads = new TargetThreads(calls, pid, memory, this::architecture);
    this.environment = environment(ProcessEnvironment.Layout.of(calls.layout()));
  }

  private ProcessEnvironment environment(ProcessEnvironment.Layout layout) {
    return new ProcessEnvironment(calls, process, memory, () -> exitCode().isPresent(), layout);
  }

  /**
   * Starts a program, suspended before its first instruction: its modules are not loaded yet. It
   * ends with the agent until {@link #resumeMain}.
   *
   * @param commandLine as the program will see it; its first word is what is started
   * @throws CannotGoOn if it could not be started
   */
  public static TargetProcess start(WindowsApi calls, String commandLine, StandardHandles streams) {
    ProcessCreation.check(commandLine);
    KillOnCloseJob job = KillOnCloseJob.make(calls);
    ProcessCreation created = null;
    try {
      created = ProcessCreation.of(calls, commandLine, streams);
    } finally {
      if (created == null) {
        job.close();
      }
    }
    job.assign(created.process());
    return new TargetProcess(
        calls, created.process(), created.thread(), created.pid(), created.tid(), job, 0);
  }

  /**
   * Opens a running program.
   *
   * @throws CannotGoOn if it is not there, if this user may not open it, or if it is not a program
   *     of a supported architecture that has begun to run
   */
  public static TargetProcess attach(WindowsApi calls, RunningProcess running) {
    return attach(calls, running, false);
  }

  /**
   * Opens a running program to look at it alone: beside a 64-bit agent also programs of 32 bits,
   * which cannot be traced with that one. Of these the 32-bit side is seen.
   *
   * @throws CannotGoOn as {@link #attach(WindowsApi, RunningProcess)}
   */
  public static TargetProcess attachToLook(WindowsApi calls, RunningProcess running) {
    return attach(calls, running, true);
  }

  private static String title(RunningProcess running) {
    return "%s (%d)".formatted(running.name(), running.pid());
  }

  private static TargetProcess attach(
      WindowsApi calls, RunningProcess running, boolean withEmulated) {
    String what = title(running);
    long opened = ProcessHandles.process(calls, what, running.pid());
    int main =
        running.threads().stream()
            .min(Comparator.comparingLong(TargetThread::created))
            .map(TargetThread::tid)
            .orElse(0);
    TargetProcess process =
        new TargetProcess(calls, opened, 0, running.pid(), main, KillOnCloseJob.none(calls), 0);
    boolean fit = false;
    try {
      process.mustBeSupported(what, withEmulated);
      fit = true;
      return process;
    } catch (CannotGoOn e) {
      // Of one that is just ending some things are gone before others.
      throw process.await(0).isPresent() ? ended(what) : e;
    } finally {
      if (!fit) {
        process.close();
      }
    }
  }

  /**
   * Opens a process that another one created and has not resumed yet. It stays suspended until
   * {@link #resumeMain} leaves it as its creator wants it: suspended, but with its first thread at
   * the program's first instruction if {@link #runToEntry} was called. It is to be left so whatever
   * happens.
   *
   * @param running the process
   * @param tid id of its first thread, which must not be resumed meanwhile
   * @return empty if it runs already
   * @throws CannotGoOn if it is not there, if this user may not open it, or if it is not a program
   *     of a supported architecture; then it is as it was
   */
  public static Optional<TargetProcess> created(WindowsApi calls, RunningProcess running, int tid) {
    long process = ProcessHandles.process(calls, running.pid());
    long thread = 0;
    @Nullable TargetProcess created = null;
    boolean fit = false;
    try {
      thread = ProcessHandles.thread(calls, tid);
      long count = calls.put(0, new BytesBuilder(8).u64(0));
      calls.mustSucceed("it could not be stopped", "ntdll!NtSuspendThread", thread, count);
      int held = (int) calls.get(0, 4).u32(0);
      for (int i = 0; i < Math.max(1, held); i++) {
        // From here on it is suspended once, by us or by its creator.
        calls.call(RESUME, thread, 0);
      }
      if (held > 0) {
        created =
            new TargetProcess(
                calls, process, thread, running.pid(), tid, KillOnCloseJob.make(calls), held);
        fit = created.isFresh(running.name());
        if (fit) {
          created.job.assign(process);
        }
      }
      return fit ? Optional.ofNullable(created) : Optional.empty();
    } finally {
      if (!fit && created != null) {
        created.resumeMain();
        created.close();
      } else if (!fit) {
        calls.call("kernel32!CloseHandle", process);
        calls.call("kernel32!CloseHandle", thread);
      }
    }
  }

  /** Returns the state of a process's start. */
  static StartState start(WindowsApi calls, RunningProcess running) {
    long opened = ProcessHandles.find(calls, running.pid());
    if (opened == 0) {
      return StartState.BEGUN;
    }
    try (TargetProcess process =
        new TargetProcess(calls, opened, 0, running.pid(), 0, KillOnCloseJob.none(calls), 0)) {
      if (process.exitCode().isPresent()) {
        return StartState.ENDED;
      }
      return process.environment.hasLoader() ? StartState.BEGUN : StartState.HELD;
    }
  }

  /** Returns whether it is one of 32 bits on a 64-bit system, as far as this user may ask. */
  public static boolean isX86OnX64(WindowsApi calls, RunningProcess running) {
    long opened = ProcessHandles.process(calls, title(running), running.pid());
    boolean is = ProcessMachines.of(calls, opened).filter(ProcessMachines::isX86OnX64).isPresent();
    calls.call("kernel32!CloseHandle", opened);
    return is;
  }

  private boolean isFresh(String what) {
    mustFitAgent(what);
    return exitCode().isEmpty() && !environment.hasLoader();
  }

  /** Checks that the program is code of a supported architecture, and sets it. */
  private void mustBeSupported(String what, boolean withEmulated) {
    isEmulated =
        withEmulated
            && ProcessMachines.of(calls, process).filter(ProcessMachines::isX86OnX64).isPresent();
    boolean looksAt32Bits = isEmulated || withEmulated && calls.layout().equals(SystemLayout.X86);
    if (looksAt32Bits) {
      environment = environment(ProcessEnvironment.Layout.X86);
      architecture = Architectures.ofPrograms32();
    } else {
      mustFitAgent(what);
    }
    if (exitCode().isPresent()) {
      throw ended(what);
    }
    if (!environment.hasLoader()) {
      throw new CannotGoOn(
          what + " is still initializing: its modules are not loaded yet",
          "try again later, or start it with ntrail: ntrail trace ... -- PROGRAM");
    }
    if (!looksAt32Bits) {
      long base = imageBase();
      know(what, memory.read(base + memory.read(base + NEW_HEADERS, 4).u32(0) + 4, 2).u16(0));
    }
  }

  /** Sets the architecture by the machine type of the program's image. */
  private void know(String what, int machine) {
    architecture = Architectures.checked(what, machine, calls.agent().machine());
  }

  /**
   * Returns the processor architecture of the program, which is known when its image was looked at.
   */
  public Architecture architecture() {
    if (architecture == null) {
      throw new IllegalStateException("the image of the program was not looked at");
    }
    return architecture;
  }

  /** Returns whether it is a 32-bit program on a 64-bit system, of which that side is seen. */
  public boolean isEmulated() {
    return isEmulated;
  }

  /** Returns whether it is seen as a 32-bit program. */
  public boolean is32Bit() {
    return environment.is32Bit();
  }

  /** Checks the machine type that the system reports; the program's own headers have more. */
  private void mustFitAgent(String what) {
    ProcessMachines.of(calls, process)
        .ifPresent(machines -> Architectures.check(what, machines, calls.agent().machine()));
  }

  private static CannotGoOn ended(String what) {
    return new CannotGoOn(
        what + " has exited", "start it with ntrail: ntrail trace -f 'MODULE!*' -- PROGRAM");
  }

  /** Returns remarks about the process. */
  public List<String> remarks() {
    return job.refusal().isEmpty() ? List.of() : List.of(job.refusal());
  }

  /** Returns its mitigation policies. */
  public ProcessMitigations mitigations() {
    return ProcessMitigations.of(calls, process);
  }

  /** Returns whether it was started for the trace, not attached to. */
  public boolean isStarted() {
    return mainThread != 0;
  }

  /** Returns the id of its main thread. */
  public int mainThreadId() {
    return mainTid;
  }

  /** Returns its id. */
  public int pid() {
    return pid;
  }

  /** Returns a handle of the agent. */
  public long handle() {
    return process;
  }

  /** Returns its memory. */
  public TargetMemory memory() {
    return memory;
  }

  /** Returns its threads. */
  public TargetThreads threads() {
    return threads;
  }

  /** Returns the Windows API of its system. */
  public WindowsApi calls() {
    return calls;
  }

  /** Returns the address of its process environment block. */
  public long environmentBlock() {
    return environment.address();
  }

  /** Returns its command line; empty if there is none. */
  public String commandLine() {
    return environment.commandLine();
  }

  /** Returns the base of the program's image. */
  public long imageBase() {
    return environment.imageBase();
  }

  /**
   * Lets the loader work up to the program's entry point: all imported modules are loaded and
   * initialised. The main thread is suspended there.
   *
   * @param patienceMillis how long that may take
   * @throws CannotGoOn if the program is not one for the agent beside it, or does not arrive there
   */
  public void runToEntry(long patienceMillis) {
    // A 32-bit agent is not told where those of a 64-bit program lie.
    mustFitAgent("this");
    long base = imageBase();
    Bytes dos = memory.read(base, 0x40);
    long headers = base + dos.u32(NEW_HEADERS);
    Bytes pe = memory.read(headers, 0x40);
    know("this", pe.u16(4));
    if (pe.u32(0x28) == 0) {
      throw CannotGoOn.impossible(
          "no native entry point (managed program)", "only native programs can be traced");
    }
    new EntryPoint(this, mainThread, base + pe.u32(0x28)).reach(patienceMillis);
  }

  static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }

  /**
   * Resumes the main thread, and removes the link to the life of ntrail. A process that another one
   * created is left to its creator to resume.
   */
  public void resumeMain() {
    if (mainThread == 0) {
      return;
    }
    if (held > 0) {
      for (int i = 1; i < held; i++) {
        calls.call("ntdll!NtSuspendThread", mainThread, 0);
      }
      job.release();
      return;
    }
    CallOutcome resumed = job.release(calls.prepare(RESUME, mainThread, 0));
    if (!resumed.isSuccess()) {
      throw new CannotGoOn(
          "a thread could not be resumed (status 0x%08x)".formatted(resumed.asInt()), "");
    }
  }

  /** Resumes the main thread of a created process whose creator no longer does. */
  public void resumeInstead() {
    if (mainThread != 0) {
      calls.call(RESUME, mainThread, 0);
    }
  }

  /**
   * Returns the modules of the loader in the order in which they were loaded.
   *
   * @throws CannotGoOn if they cannot be read: their list changed too often meanwhile
   */
  public List<TargetModule> modules() {
    return environment.modules();
  }

  /** Returns the local file that a module was loaded from; it need not be there any more. */
  public Optional<Path> file(TargetModule module) {
    return TargetPaths.here(
        calls, isEmulated ? TargetPaths.of32Bits(module.path()) : module.path());
  }

  /** Returns the text of a UNICODE_STRING. */
  public String text(long address) {
    return environment.text(address);
  }

  /**
   * Sets the step that is repeated while {@link #run} waits: a routine cannot start while another
   * thread holds the loader's lock, and that may wait for the controller.
   */
  public void whileRoutinesRun(Runnable step) {
    meanwhile = step;
  }

  /**
   * Runs a routine in a thread of its own, whose start and end no module is notified of.
   *
   * @param patienceMillis how long that may take
   * @return what it returned, 32 bits
   * @throws CannotGoOn if it could not, or did not end
   */
  public int run(long routine, long argument, long patienceMillis) {
    return await(start(routine, argument, patienceMillis));
  }

  /**
   * Starts a routine in a thread of its own, whose start and end no module is notified of.
   *
   * @param patienceMillis how long it may take from when its end is awaited
   * @throws CannotGoOn if it could not be started
   */
  public RemoteRoutine start(long routine, long argument, long patienceMillis) {
    return WineInterruption.during(
        this, () -> RemoteRoutine.start(calls, process, routine, argument, patienceMillis));
  }

  /**
   * Awaits the end of a routine.
   *
   * @return what it returned, 32 bits
   * @throws CannotGoOn if it did not end
   */
  public int await(RemoteRoutine routine) {
    return routine.await(meanwhile);
  }

  /** Waits for its end; returns the exit code if it has ended. */
  public OptionalInt await(int millis) {
    int waited = calls.call("kernel32!WaitForSingleObject", process, millis).asInt();
    return waited == WAIT_TIMEOUT ? OptionalInt.empty() : exitCode();
  }

  /** Returns its exit code; empty if it runs. */
  public OptionalInt exitCode() {
    long code = calls.put(0, new BytesBuilder(8).u64(0));
    calls.must("query of the target failed", "kernel32!GetExitCodeProcess", process, code);
    int exit = (int) calls.get(0, 4).u32(0);
    if (exit == STILL_ACTIVE
        && calls.call("kernel32!WaitForSingleObject", process, 0).asInt() == WAIT_TIMEOUT) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(exit);
  }

  /** Kills it. */
  public void kill(int exitCode) {
    calls.call("kernel32!TerminateProcess", process, exitCode);
  }

  @Override
  public void close() {
    threads.close();
    job.close();
    if (mainThread != 0) {
      calls.call("kernel32!CloseHandle", mainThread);
    }
    calls.call("kernel32!CloseHandle", process);
  }
}
