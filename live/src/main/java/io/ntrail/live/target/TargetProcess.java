package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.CallOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A process that is watched.
 *
 * <p>No debugger is attached. Closing it closes handles only: a process that was let go goes on.
 */
public final class TargetProcess implements AutoCloseable {
  private static final int SUSPENDED = 4;
  private static final int STARTUP = 104;
  private static final int USE_STREAMS = 0x100;
  private static final int ALL_THREAD = 0x1F_FFFF;
  private static final int WAIT_TIMEOUT = 258;
  private static final int STILL_ACTIVE = 259;
  private static final int ALL_PROCESS = 0x1F_FFFF;
  private static final int ACCESS_DENIED = 5;
  private static final int DEBUG_PRIVILEGE = 20;
  private static final int INTERNAL_ERROR = 1359;
  private static final int START_TRIES = 200;
  private static final int NEW_HEADERS = 0x3C;
  private static final int MOST_MODULES = 10_000;
  private static final int MOST_READINGS = 10;
  private static final int ROUTINE_WAIT = 10;
  private static final int MOST_CHARS = 32_767;
  private static final int SKIP_ATTACH = 2;
  private static final int HIDE_FROM_DEBUGGER = 4;
  private static final String RESUME = "ntdll!NtResumeThread";
  private static final byte[] LOOP = {(byte) 0xEB, (byte) 0xFE};

  // Of the process environment block.
  private static final int PEB_IMAGE_BASE = 0x10;
  private static final int PEB_LOADER = 0x18;
  private static final int PEB_PARAMETERS = 0x20;
  private static final int PARAMETERS_COMMAND_LINE = 0x70;
  private static final int LOADER_LIST = 0x10;

  private final WindowsApi calls;
  private final long process;
  private final long mainThread;
  private final int pid;
  private final int mainTid;
  private final KillOnCloseJob leash;

  /** How often its creator had suspended it; 0 if nobody else did. */
  private final int held;

  private final TargetMemory memory;
  private final TargetThreads threads;
  private Runnable meanwhile = () -> {};

  private TargetProcess(
      WindowsApi calls,
      long process,
      long mainThread,
      int pid,
      int mainTid,
      KillOnCloseJob leash,
      int held) {
    this.calls = calls;
    this.held = held;
    this.mainTid = mainTid;
    this.leash = leash;
    this.process = process;
    this.mainThread = mainThread;
    this.pid = pid;
    this.memory = new TargetMemory(calls, process);
    this.threads = new TargetThreads(calls, pid, memory);
  }

  /**
   * Starts a program, suspended before its first instruction: neither its modules nor the loader's
   * own work is there yet. It ends with the agent until {@link #resumeMain} lets it go.
   *
   * @param commandLine as the program will see it; its first word is what is started
   * @throws CannotGoOn if it could not be started
   */
  public static TargetProcess start(WindowsApi calls, String commandLine, StandardHandles streams) {
    int text = WindowsApi.PAGE;
    if (commandLine.length() > MOST_CHARS - 1) {
      throw new CannotGoOn("the command line has more than 32,766 characters", "");
    }
    long line = calls.put(text, new BytesBuilder(256).utf16z(commandLine));
    BytesBuilder startup = new BytesBuilder(STARTUP + 24).zeros(STARTUP + 24);
    startup.setU32(0, STARTUP).setU32(60, USE_STREAMS);
    startup.setU64(80, streams.input()).setU64(88, streams.output());
    startup.setU64(96, streams.errors());
    KillOnCloseJob leash = KillOnCloseJob.make(calls);
    boolean started = false;
    try {
      long info = calls.put(0, startup);
      create(calls, commandLine, line, info);
      started = true;
    } finally {
      if (!started) {
        leash.close();
      }
    }
    Bytes made = calls.get(STARTUP, 24);
    leash.tie(made.i64(0));
    return new TargetProcess(
        calls, made.i64(0), made.i64(8), (int) made.u32(16), (int) made.u32(20), leash, 0);
  }

  /** Starts it, more than once where Wine answers so: a moment later the same goes well. */
  private static void create(WindowsApi calls, String commandLine, long line, long info) {
    String function = "kernel32!CreateProcessW";
    CallOutcome made = null;
    for (int i = 0; i < START_TRIES; i++) {
      made = calls.call(function, 0, line, 0, 0, 1, SUSPENDED, 0, 0, info, info + STARTUP);
      if (made.isTrue()) {
        return;
      }
      if (made.error() != INTERNAL_ERROR) {
        break;
      }
      pause();
    }
    throw WindowsApi.failed(
        commandLine + " could not be started", function, made == null ? 0 : made.error());
  }

  /**
   * Opens a program that runs.
   *
   * @throws CannotGoOn if it is not there, if this user may not open it, or if it is not a program
   *     of x64 that has begun to run
   */
  public static TargetProcess attach(WindowsApi calls, RunningProcess running) {
    String what = "%s (%d)".formatted(running.name(), running.pid());
    CallOutcome opened = calls.call("kernel32!OpenProcess", ALL_PROCESS, 0, running.pid());
    if (opened.result() == 0 && opened.error() == ACCESS_DENIED) {
      // Administrators may open what others started, services too, but have to ask for it.
      calls.call("ntdll!RtlAdjustPrivilege", DEBUG_PRIVILEGE, 1, 0, calls.scratch(0));
      opened = calls.call("kernel32!OpenProcess", ALL_PROCESS, 0, running.pid());
    }
    if (opened.result() == 0) {
      throw opened.error() == ACCESS_DENIED
          ? CannotGoOn.impossible(
              what + " may not be opened by this user (access denied)",
              "run ntrail as the user of that program, or as administrator; protected processes"
                  + " cannot be traced")
          : WindowsApi.failed(
              what + " could not be opened", "kernel32!OpenProcess", opened.error());
    }
    int main =
        running.threads().stream()
            .min(Comparator.comparingLong(TargetThread::created))
            .map(TargetThread::tid)
            .orElse(0);
    TargetProcess process =
        new TargetProcess(
            calls, opened.result(), 0, running.pid(), main, KillOnCloseJob.none(calls), 0);
    boolean fit = false;
    try {
      process.mustBeNative(what);
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
   * Opens a process that another one created and has not let run yet. It stands suspended until
   * {@link #resumeMain} leaves it as its creator wants it: suspended, but with its first thread at
   * the program's first instruction if {@link #runToEntry} was called. It is to be left so whatever
   * happens.
   *
   * @param running the process
   * @param tid id of its first thread, which nobody resumes meanwhile
   * @return empty if it runs already
   * @throws CannotGoOn if it is not there, if this user may not open it, or if it is not a program
   *     of x64; then it is as it was
   */
  public static Optional<TargetProcess> created(WindowsApi calls, RunningProcess running, int tid) {
    long process = opened(calls, "kernel32!OpenProcess", running.pid());
    long thread = 0;
    @Nullable TargetProcess created = null;
    boolean fit = false;
    try {
      thread = opened(calls, "kernel32!OpenThread", tid);
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
          created.leash.tie(process);
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

  /** Whether the loader of a process has begun; so also if that cannot be found out. */
  public static boolean hasBegun(WindowsApi calls, RunningProcess running) {
    long opened = calls.call("kernel32!OpenProcess", ALL_PROCESS, 0, running.pid()).result();
    if (opened == 0) {
      return true;
    }
    try (TargetProcess process =
        new TargetProcess(calls, opened, 0, running.pid(), 0, KillOnCloseJob.none(calls), 0)) {
      return process.exitCode().isPresent() || process.hasLoader();
    }
  }

  private static long opened(WindowsApi calls, String function, int id) {
    CallOutcome opened =
        calls.call(function, function.endsWith("Thread") ? ALL_THREAD : ALL_PROCESS, 0, id);
    if (opened.result() == 0) {
      throw WindowsApi.failed("it could not be opened", function, opened.error());
    }
    return opened.result();
  }

  /** Whether the loader has begun. What is being created may have no memory yet. */
  private boolean hasLoader() {
    long block = environmentBlock();
    return block != 0
        && memory.readUpTo(block + PEB_LOADER, 8).length == 8
        && memory.read(block + PEB_LOADER, 8).i64(0) != 0;
  }

  private boolean isFresh(String what) {
    mustBeOfX64(what);
    return exitCode().isEmpty() && !hasLoader();
  }

  /** Only code of x64, run by a processor of x64. */
  private void mustBeNative(String what) {
    mustBeOfX64(what);
    if (exitCode().isPresent()) {
      throw ended(what);
    }
    if (!hasLoader()) {
      throw new CannotGoOn(
          what + " has not begun to run: its modules are not loaded yet",
          "the same again when it runs; or start it with ntrail: ntrail trace ... -- PROGRAM");
    }
    long base = imageBase();
    int machine = memory.read(base + memory.read(base + NEW_HEADERS, 4).u32(0) + 4, 2).u16(0);
    if (machine != MachineType.AMD64) {
      throw notNative(what, MachineType.text(machine));
    }
  }

  /** What the system says of it; its own headers say more. */
  private void mustBeOfX64(String what) {
    long cells = calls.put(0, new BytesBuilder(16).u64(0).u64(0));
    if (calls.find("kernel32!IsWow64Process2") != 0) {
      CallOutcome asked = calls.call("kernel32!IsWow64Process2", process, cells, cells + 8);
      Bytes machines = calls.get(0, 16);
      if (asked.isTrue() && (machines.u16(0) != 0 || machines.u16(8) != MachineType.AMD64)) {
        throw machines.u16(0) != 0
            ? notNative(what, MachineType.text(machines.u16(0)))
            : CannotGoOn.impossible(
                "%s runs on a machine of %s, which only emulates x64"
                    .formatted(what, MachineType.text(machines.u16(8))),
                "trace it on a machine of x64");
      }
    } else {
      CallOutcome asked = calls.call("kernel32!IsWow64Process", process, cells);
      if (asked.isTrue() && calls.get(0, 4).u32(0) != 0) {
        throw notNative(what, "x86");
      }
    }
  }

  private static CannotGoOn ended(String what) {
    return new CannotGoOn(
        what + " has ended", "start it with ntrail: ntrail trace -f 'MODULE!*' -- PROGRAM");
  }

  private static CannotGoOn notNative(String what, String machine) {
    return CannotGoOn.impossible(
        "%s is a program for another machine than x64 (%s)".formatted(what, machine),
        "only 64-bit programs of x64 can be traced; is there such a build of it?");
  }

  /** Sentences about what of it is not as it should be. */
  public List<String> remarks() {
    return leash.refusal().isEmpty() ? List.of() : List.of(leash.refusal());
  }

  /** What it was told to forbid itself. */
  public ProcessMitigations mitigations() {
    return ProcessMitigations.of(calls, process);
  }

  /** Whether it was started to be watched, and not opened while it ran. */
  public boolean isStarted() {
    return mainThread != 0;
  }

  /** The id of its first thread. */
  public int mainThreadId() {
    return mainTid;
  }

  /** The system's id. */
  public int pid() {
    return pid;
  }

  /** A handle of the agent. */
  public long handle() {
    return process;
  }

  /** Its memory. */
  public TargetMemory memory() {
    return memory;
  }

  /** Its threads. */
  public TargetThreads threads() {
    return threads;
  }

  /** Calls of the system's interface. */
  public WindowsApi calls() {
    return calls;
  }

  /** The address of its process environment block. */
  public long environmentBlock() {
    long info = calls.put(0, new BytesBuilder(64).zeros(64));
    calls.mustSucceed(
        "the target could not be asked",
        "ntdll!NtQueryInformationProcess",
        process,
        0,
        info,
        48,
        0);
    return calls.get(0, 48).i64(8);
  }

  /** What it was started with; empty if it does not say. */
  public String commandLine() {
    long parameters = memory.read(environmentBlock() + PEB_PARAMETERS, 8).i64(0);
    return parameters == 0 ? "" : text(memory.read(parameters, 0x80), PARAMETERS_COMMAND_LINE);
  }

  /** Where its program lies. */
  public long imageBase() {
    return memory.read(environmentBlock() + PEB_IMAGE_BASE, 8).i64(0);
  }

  /**
   * Lets the loader do its work, up to the program's first instruction: all modules that the
   * program names in its import table are there then, and their entry points have run. The main
   * thread stands suspended there.
   *
   * @param patienceMillis how long that may take
   * @throws CannotGoOn if the program is not one of 64 bits, or does not arrive there
   */
  public void runToEntry(long patienceMillis) {
    long base = imageBase();
    Bytes dos = memory.read(base, 0x40);
    long headers = base + dos.u32(NEW_HEADERS);
    Bytes pe = memory.read(headers, 0x40);
    int machine = pe.u16(4);
    if (machine != MachineType.AMD64) {
      throw notNative("this", MachineType.text(machine));
    }
    if (pe.u32(0x28) == 0) {
      throw CannotGoOn.impossible(
          "the program has no first instruction of its own (it is managed code)",
          "only native programs can be traced");
    }
    long entry = base + pe.u32(0x28);
    byte[] before = memory.read(entry, LOOP.length).array(0, LOOP.length);
    patch(entry, LOOP);
    boolean arrived = false;
    try {
      awaitArrival(entry, patienceMillis);
      arrived = true;
    } finally {
      if (!arrived) {
        leaveOnTheWay(entry, before);
      }
    }
    patch(entry, before);
  }

  private void awaitArrival(long entry, long patienceMillis) {
    long end = System.nanoTime() + patienceMillis * 1_000_000;
    while (true) {
      resume(mainThread);
      pause();
      OptionalInt exit = exitCode();
      if (exit.isPresent()) {
        throw new CannotGoOn(
            "the program ended with exit code %d before its first instruction"
                .formatted(exit.getAsInt()),
            "run it without ntrail to see why");
      }
      suspend(mainThread);
      long rip = threads.context(mainThread, ThreadContext.CONTROL).rip();
      if (rip == entry || rip == entry + LOOP.length) {
        return;
      }
      if (System.nanoTime() - end > 0) {
        throw new CannotGoOn(
            "the program did not arrive at its first instruction (it is at 0x%x)".formatted(rip),
            "");
      }
    }
  }

  /** It finds its first instruction as it was, and stands suspended once, wherever it is. */
  private void leaveOnTheWay(long entry, byte[] before) {
    try {
      long count = calls.put(0, new BytesBuilder(8).u64(0));
      boolean stopped = calls.call("ntdll!NtSuspendThread", mainThread, count).isSuccess();
      int others = (int) calls.get(0, 4).u32(0);
      patch(entry, before);
      if (stopped && others > 0) {
        resume(mainThread);
      }
    } catch (CannotGoOn e) {
      // It has ended, or the agent has, and it with that.
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }

  private void patch(long address, byte[] bytes) {
    int old = memory.protect(address, bytes.length, TargetMemory.EXECUTE_READ_WRITE);
    memory.write(address, bytes);
    memory.protect(address, bytes.length, old);
    memory.flush(address, bytes.length);
  }

  /**
   * Lets the main thread go on, and the program live whatever happens to ntrail. One that somebody
   * else created is left to its creator, who lets it go on.
   */
  public void resumeMain() {
    if (mainThread == 0) {
      return;
    }
    if (held > 0) {
      for (int i = 1; i < held; i++) {
        calls.call("ntdll!NtSuspendThread", mainThread, 0);
      }
      leash.release();
      return;
    }
    CallOutcome resumed = leash.release(calls.prepare(RESUME, mainThread, 0));
    if (!resumed.isSuccess()) {
      throw new CannotGoOn(
          "a thread could not be resumed (status 0x%08x)".formatted(resumed.asInt()), "");
    }
  }

  /** Lets the main thread of a created process go on if its creator does not do that any more. */
  public void resumeInstead() {
    if (mainThread != 0) {
      calls.call(RESUME, mainThread, 0);
    }
  }

  private void resume(long thread) {
    calls.mustSucceed("a thread could not be resumed", RESUME, thread, 0);
  }

  private void suspend(long thread) {
    calls.mustSucceed("a thread could not be stopped", "ntdll!NtSuspendThread", thread, 0);
  }

  /**
   * The modules that the loader has, in the order in which they were loaded.
   *
   * @throws CannotGoOn if they cannot be read: their list changed too often meanwhile
   */
  public List<TargetModule> modules() {
    for (int i = 0; i < MOST_READINGS - 1; i++) {
      try {
        return readModules();
      } catch (CannotGoOn e) {
        // Nobody keeps the list as it is while it is read.
        if (exitCode().isPresent()) {
          throw e;
        }
      }
    }
    return readModules();
  }

  private List<TargetModule> readModules() {
    long loader = memory.read(environmentBlock() + PEB_LOADER, 8).i64(0);
    if (loader == 0) {
      return List.of();
    }
    List<TargetModule> modules = new ArrayList<>();
    long head = loader + LOADER_LIST;
    long at = memory.read(head, 8).i64(0);
    while (at != head && modules.size() < MOST_MODULES) {
      Bytes entry = memory.read(at, 0x68);
      modules.add(
          new TargetModule(entry.i64(0x30), entry.u32(0x40), text(entry, 0x48), text(entry, 0x58)));
      at = entry.i64(0);
    }
    return modules;
  }

  /** The text of a UNICODE_STRING. */
  public String text(long address) {
    return text(memory.read(address, 16), 0);
  }

  private String text(Bytes structure, int at) {
    int length = structure.u16(at) & ~1;
    return memory.read(structure.i64(at + 8), length).utf16(0, length / 2);
  }

  /**
   * Sets what is done again and again while {@link #run} waits: a routine cannot begin while
   * another thread holds the loader's lock, and that may wait for the controller.
   */
  public void whileRoutinesRun(Runnable step) {
    meanwhile = step;
  }

  /**
   * Runs a routine in a thread of its own, whose coming and going no module hears of.
   *
   * @param patienceMillis how long that may take
   * @return what it returned, 32 bits
   * @throws CannotGoOn if it could not, or did not end
   */
  public int run(long routine, long argument, long patienceMillis) {
    long out = calls.put(0, new BytesBuilder(8).u64(0));
    calls.mustSucceed(
        "no thread could be started in the target",
        "ntdll!NtCreateThreadEx",
        out,
        ALL_THREAD,
        0,
        process,
        routine,
        argument,
        SKIP_ATTACH | HIDE_FROM_DEBUGGER,
        0,
        0,
        0,
        0);
    long thread = calls.get(0, 8).i64(0);
    try {
      long end = System.nanoTime() + patienceMillis * 1_000_000;
      while (calls.call("kernel32!WaitForSingleObject", thread, ROUTINE_WAIT).asInt()
          == WAIT_TIMEOUT) {
        meanwhile.run();
        if (System.nanoTime() - end > 0) {
          throw new CannotGoOn("a routine in the target did not end", "");
        }
      }
      long code = calls.put(0, new BytesBuilder(8).u64(0));
      calls.must("a thread of the target", "kernel32!GetExitCodeThread", thread, code);
      return (int) calls.get(0, 4).u32(0);
    } finally {
      calls.call("kernel32!CloseHandle", thread);
    }
  }

  /** Waits for its end; the exit code if it came. */
  public OptionalInt await(int millis) {
    int waited = calls.call("kernel32!WaitForSingleObject", process, millis).asInt();
    return waited == WAIT_TIMEOUT ? OptionalInt.empty() : exitCode();
  }

  /** Its exit code, if it ended. */
  public OptionalInt exitCode() {
    long code = calls.put(0, new BytesBuilder(8).u64(0));
    calls.must("the target could not be asked", "kernel32!GetExitCodeProcess", process, code);
    int exit = (int) calls.get(0, 4).u32(0);
    if (exit == STILL_ACTIVE
        && calls.call("kernel32!WaitForSingleObject", process, 0).asInt() == WAIT_TIMEOUT) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(exit);
  }

  /** Ends it at once. */
  public void kill(int exitCode) {
    calls.call("kernel32!TerminateProcess", process, exitCode);
  }

  @Override
  public void close() {
    threads.close();
    leash.close();
    if (mainThread != 0) {
      calls.call("kernel32!CloseHandle", mainThread);
    }
    calls.call("kernel32!CloseHandle", process);
  }
}
