package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.ThreadLayout;
import io.ntrail.live.target.ThreadContext.Registers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Threads of a target: lists, suspends and resumes them. */
public final class TargetThreads implements AutoCloseable {
  private static final int ALL_ACCESS = 0x1F_FFFF;

  /** Class of NtQueryInformationThread: the description, as a UNICODE_STRING. */
  private static final int THREAD_NAME = 38;

  private static final int MAX_DESCRIPTION = 512;
  private static final int INVALID_CID = 0xC000_000B;
  private static final int ENDED = 0;
  private static final int UNSUCCESSFUL = 0xC000_0001;
  private static final int TERMINATING = 0xC000_004B;

  private static final int ACCESS_DENIED = 0xC000_0022;

  /** Time limit for the exit of a thread. */
  private static final int ENDING_MILLIS = 200;

  private final WindowsApi calls;
  private final int pid;
  private final TargetMemory memory;
  private final Supplier<Architecture> architecture;
  private final SystemProcesses processes;
  private final Map<TargetThread, Long> handles = new HashMap<>();

  TargetThreads(
      WindowsApi calls, int pid, TargetMemory memory, Supplier<Architecture> architecture) {
    this.architecture = architecture;
    this.memory = memory;
    this.calls = calls;
    this.pid = pid;
    this.processes = new SystemProcesses(calls);
  }

  /** Lists the threads. */
  public List<TargetThread> list() {
    return processes.threads(pid);
  }

  /** Returns a handle of the agent, which is closed with this; 0 if the thread is gone. */
  public long open(TargetThread thread) {
    Long known = handles.get(thread);
    if (known != null) {
      return known;
    }
    long handle = calls.call("kernel32!OpenThread", ALL_ACCESS, 0, thread.tid()).result();
    if (handle != 0) {
      handles.put(thread, handle);
    }
    return handle;
  }

  /**
   * Suspends all threads.
   *
   * @return those that were stopped, each to be resumed once
   */
  public List<Stopped> stopAll() {
    Map<TargetThread, Stopped> stopped = new HashMap<>();
    boolean done = false;
    try {
      boolean more = true;
      while (more) {
        more = false;
        for (TargetThread thread : list()) {
          if (!stopped.containsKey(thread)) {
            long handle = open(thread);
            if (handle != 0 && suspend(handle)) {
              stopped.put(thread, new Stopped(thread, handle));
              more = true;
            }
          }
        }
      }
      done = true;
    } finally {
      if (!done) {
        resume(List.copyOf(stopped.values()));
      }
    }
    return List.copyOf(stopped.values());
  }

  private boolean suspend(long handle) {
    int status = calls.call("ntdll!NtSuspendThread", handle, 0).asInt();
    if (status >= 0) {
      return true;
    }
    // What systems say of a thread that is about to end, or has ended, differs.
    if (status == TERMINATING
        || status == INVALID_CID
        || calls.call("kernel32!WaitForSingleObject", handle, 0).asInt() == ENDED) {
      return false;
    }
    throw new CannotGoOn("a thread could not be stopped (0x%x)".formatted(status), "");
  }

  /**
   * Suspended thread.
   *
   * @param handle of the agent
   */
  public record Stopped(TargetThread thread, long handle) {}

  /** Resumes threads. */
  public void resume(List<Stopped> stopped) {
    calls.call(
        stopped.stream()
            .map(thread -> calls.prepare("ntdll!NtResumeThread", thread.handle(), 0))
            .toList());
  }

  /**
   * Returns the registers of a suspended thread. Asking for them also ensures that it is really
   * suspended.
   */
  public ThreadContext context(long handle, Registers registers) {
    return find(handle, registers)
        .orElseThrow(
            () -> new CannotGoOn("no thread context: the thread has ended or not started", ""));
  }

  /** Returns the registers of a thread that may be starting or exiting, and has none then. */
  public Optional<ThreadContext> find(long handle, Registers registers) {
    // Wine gives a thread its block when it begins to run; before, its registers would be waited
    // for, and they do not come while the thread that creates it is suspended.
    if (block(handle) == 0) {
      return Optional.empty();
    }
    ThreadLayout layout = architecture.get().threads();
    long at = calls.put(0, ThreadContext.request(layout, registers));
    int status = calls.call("ntdll!NtGetContextThread", handle, at).asInt();
    for (int i = 0; status == ACCESS_DENIED && i < ENDING_MILLIS; i++) {
      // Wine reports that for a thread that is about to end.
      if (calls.call("kernel32!WaitForSingleObject", handle, 1).asInt() == ENDED) {
        return Optional.empty();
      }
      status = calls.call("ntdll!NtGetContextThread", handle, at).asInt();
    }
    if (status == UNSUCCESSFUL || status == TERMINATING) {
      return Optional.empty();
    }
    if (status < 0) {
      throw new CannotGoOn(
          "the registers of a thread could not be read (0x%x)".formatted(status), "");
    }
    return Optional.of(
        new ThreadContext(
            architecture.get(),
            calls.get(0, layout.contextBytes()).array(0, layout.contextBytes())));
  }

  /** Returns the base of the thread's present stack: its highest address. */
  public long stackBase(long handle) {
    return pointer(block(handle) + architecture.get().threads().stackBase());
  }

  /** Returns the value of a TLS slot, of the first 64. */
  public long tlsValue(long handle, int index) {
    Architecture its = architecture.get();
    return pointer(block(handle) + its.threads().tlsSlots() + (long) its.pointerSize() * index);
  }

  /** Returns the description that a program gave a thread; empty if there is none. */
  public String description(long handle) {
    int size = 16 + 2 * MAX_DESCRIPTION;
    long info = calls.put(WindowsApi.PAGE, new BytesBuilder(16).zeros(16));
    int status =
        calls.call("ntdll!NtQueryInformationThread", handle, THREAD_NAME, info, size, 0).asInt();
    if (status < 0) {
      return "";
    }
    Bytes name = calls.get(WindowsApi.PAGE, size);
    // The text follows the UNICODE_STRING.
    int length = Math.min(name.u16(0), 2 * MAX_DESCRIPTION) / 2;
    return name.i64(8) == info + 16 ? name.utf16(16, length) : "";
  }

  /** Waits for the end of a thread; returns true if it has ended. */
  public boolean awaitEnd(long handle, int millis) {
    return calls.call("kernel32!WaitForSingleObject", handle, millis).asInt() == ENDED;
  }

  private long pointer(long address) {
    Architecture its = architecture.get();
    return its.pointer(memory.read(address, its.pointerSize()), 0);
  }

  /** Returns the address of a thread's environment block; 0 if it has none, or none any more. */
  public long block(long handle) {
    int size = 48;
    long info = calls.put(0, new BytesBuilder(size).zeros(size));
    int status = calls.call("ntdll!NtQueryInformationThread", handle, 0, info, size, 0).asInt();
    return status < 0 ? 0 : calls.get(0, size).i64(8);
  }

  /** Sets the registers of a stopped thread. */
  public void context(long handle, ThreadContext context) {
    calls.agent().poke(calls.scratch(0), context.structure());
    calls.mustSucceed(
        "the registers of a thread could not be set",
        "ntdll!NtSetContextThread",
        handle,
        calls.scratch(0));
  }

  @Override
  public void close() {
    handles.values().forEach(handle -> calls.call("kernel32!CloseHandle", handle));
    handles.clear();
    processes.close();
  }
}
