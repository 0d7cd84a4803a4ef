package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.SystemLayout;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.ThreadLayout;
import io.ntrail.live.target.ThreadContext.Registers;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.WindowsApi;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

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

  /** Bytes of the agent's memory for structures of many threads. */
  private static final int PIECE = 0x8_0000;

  /** CONTEXT begins at a multiple of it. */
  private static final int ALIGNMENT = 16;

  /** Time limit for the exit of a thread. */
  private static final int ENDING_MILLIS = 200;

  private final WindowsApi calls;
  private final int pid;
  private final TargetMemory memory;
  private final Supplier<Architecture> architecture;
  private final SystemProcesses processes;
  private final SystemLayout layout;
  private final Map<TargetThread, Long> handles = new HashMap<>();
  private long buffer;

  TargetThreads(
      WindowsApi calls, int pid, TargetMemory memory, Supplier<Architecture> architecture) {
    this.architecture = architecture;
    this.memory = memory;
    this.calls = calls;
    this.layout = calls.layout();
    this.pid = pid;
    this.processes = new SystemProcesses(calls);
  }

  /** Lists the threads. */
  public List<TargetThread> list() {
    return processes.threads(pid);
  }

  /** Returns a handle of the agent, which is closed with this; 0 if the thread is gone. */
  public long open(TargetThread thread) {
    return open(List.of(thread)).stream().mapToLong(Stopped::handle).findFirst().orElse(0);
  }

  /** Opens threads; those that are gone are left out. */
  private List<Stopped> open(List<TargetThread> threads) {
    List<TargetThread> unknown =
        threads.stream().filter(thread -> !handles.containsKey(thread)).toList();
    if (!unknown.isEmpty()) {
      List<CallOutcome> outcomes =
          calls.call(
              unknown.stream()
                  .map(one -> calls.prepare("kernel32!OpenThread", ALL_ACCESS, 0, one.tid()))
                  .toList());
      for (int i = 0; i < unknown.size(); i++) {
        if (outcomes.get(i).result() != 0) {
          handles.put(unknown.get(i), outcomes.get(i).result());
        }
      }
    }
    List<Stopped> opened = new ArrayList<>();
    for (TargetThread thread : threads) {
      Long handle = handles.get(thread);
      if (handle != null) {
        opened.add(new Stopped(thread, handle));
      }
    }
    return opened;
  }

  /**
   * Suspends all threads.
   *
   * @return those that were stopped, each to be resumed once
   */
  public List<Stopped> stopAll() {
    return stopAll(() -> false);
  }

  /**
   * Suspends all threads.
   *
   * @param isEnough asked when all are suspended that there were: true if those that were created
   *     meanwhile may run
   * @return those that were stopped, each to be resumed once
   */
  public List<Stopped> stopAll(BooleanSupplier isEnough) {
    Map<TargetThread, Stopped> stopped = new HashMap<>();
    boolean done = false;
    try {
      boolean more = true;
      while (more) {
        more = false;
        List<TargetThread> others =
            list().stream().filter(thread -> !stopped.containsKey(thread)).toList();
        List<Stopped> found = open(others);
        List<CallOutcome> outcomes =
            calls.call(
                found.stream()
                    .map(thread -> calls.prepare("ntdll!NtSuspendThread", thread.handle(), 0))
                    .toList());
        // Those that were stopped first: if another one cannot be, they are resumed.
        for (int i = 0; i < found.size(); i++) {
          if (outcomes.get(i).isSuccess()) {
            stopped.put(found.get(i).thread(), found.get(i));
            more = true;
          }
        }
        for (int i = 0; i < found.size(); i++) {
          if (!outcomes.get(i).isSuccess()) {
            mustBeEnding(found.get(i).handle(), outcomes.get(i).asInt());
          }
        }
        more = more && !isEnough.getAsBoolean();
      }
      done = true;
    } finally {
      if (!done) {
        resume(List.copyOf(stopped.values()));
      }
    }
    return List.copyOf(stopped.values());
  }

  private void mustBeEnding(long handle, int status) {
    // What systems say of a thread that is about to end, or has ended, differs.
    if (status != TERMINATING
        && status != INVALID_CID
        && calls.call("kernel32!WaitForSingleObject", handle, 0).asInt() != ENDED) {
      throw new CannotGoOn("a thread could not be stopped (0x%x)".formatted(status), "");
    }
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
   * Suspends a thread and returns its registers, in three exchanges.
   *
   * @return empty if it could not be suspended, or has no registers, as it is ending or has not
   *     begun: then it is not suspended
   */
  Optional<ThreadContext> suspend(long handle, Registers registers) {
    ThreadLayout layout = architecture.get().threads();
    long at = calls.put(0, ThreadContext.request(layout, registers));
    List<CallOutcome> outcomes =
        calls.call(
            List.of(
                calls.prepare("ntdll!NtSuspendThread", handle, 0).stopAtError(),
                calls.prepare("ntdll!NtGetContextThread", handle, at)));
    if (!outcomes.getFirst().isSuccess()) {
      return Optional.empty();
    }
    Optional<ThreadContext> context = Optional.empty();
    try {
      context =
          outcomes.getLast().isSuccess()
              ? Optional.of(
                  new ThreadContext(
                      architecture.get(),
                      calls.get(0, layout.contextBytes()).array(0, layout.contextBytes())))
              : find(handle, registers);
    } finally {
      if (context.isEmpty()) {
        calls.call("ntdll!NtResumeThread", handle, 0);
      }
    }
    return context;
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

  /**
   * Returns the registers of suspended threads, in two exchanges for all; those that are starting
   * or exiting have none.
   */
  public Map<Stopped, ThreadContext> contexts(List<Stopped> threads, Registers registers) {
    ThreadLayout layout = architecture.get().threads();
    int each = layout.contextBytes() + ALIGNMENT - 1 & -ALIGNMENT;
    int most = PIECE / each;
    Map<Stopped, ThreadContext> contexts = new LinkedHashMap<>();
    for (int done = 0; done < threads.size(); done += most) {
      List<Stopped> some = started(threads.subList(done, Math.min(threads.size(), done + most)));
      if (some.isEmpty()) {
        continue;
      }
      long buffer = buffer();
      BytesBuilder requests = new BytesBuilder(each * some.size());
      for (int i = 0; i < some.size(); i++) {
        requests.bytes(ThreadContext.request(layout, registers).toArray());
        requests.zeros(each * (i + 1) - requests.size());
      }
      calls.agent().poke(buffer, requests.toArray());
      List<AgentCall> asking = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        asking.add(
            calls.prepare(
                "ntdll!NtGetContextThread", some.get(i).handle(), buffer + (long) each * i));
      }
      List<CallOutcome> outcomes = calls.call(asking);
      Bytes answers = calls.agent().peek(buffer, each * some.size());
      for (int i = 0; i < some.size(); i++) {
        Stopped thread = some.get(i);
        byte[] structure = answers.array(each * i, layout.contextBytes());
        (outcomes.get(i).isSuccess()
                ? Optional.of(new ThreadContext(architecture.get(), structure))
                : find(thread.handle(), registers))
            .ifPresent(context -> contexts.put(thread, context));
      }
    }
    return contexts;
  }

  /** Returns those of some threads that have their block: see {@link #find}. */
  private List<Stopped> started(List<Stopped> threads) {
    long[] blocks = blocks(threads);
    return IntStream.range(0, blocks.length)
        .filter(i -> blocks[i] != 0)
        .mapToObj(threads::get)
        .toList();
  }

  /** Returns the environment blocks of threads; 0 where there is none, or none any more. */
  private long[] blocks(List<Stopped> threads) {
    long[] blocks = new long[threads.size()];
    int most = PIECE / layout.threadBytes();
    for (int done = 0; done < blocks.length; done += most) {
      List<Stopped> some = threads.subList(done, Math.min(blocks.length, done + most));
      long buffer = buffer();
      List<AgentCall> asking = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        asking.add(
            calls.prepare(
                "ntdll!NtQueryInformationThread",
                some.get(i).handle(),
                0,
                buffer + (long) layout.threadBytes() * i,
                layout.threadBytes(),
                0));
      }
      List<CallOutcome> outcomes = calls.call(asking);
      Bytes answers = calls.agent().peek(buffer, layout.threadBytes() * some.size());
      for (int i = 0; i < some.size(); i++) {
        int at = layout.threadBytes() * i + layout.pointerBytes();
        blocks[done + i] = outcomes.get(i).isSuccess() ? layout.pointer(answers, at) : 0;
      }
    }
    return blocks;
  }

  /**
   * Thread that has begun.
   *
   * @param handle of the agent
   * @param block address of its environment block
   */
  public record Begun(TargetThread thread, long handle, long block) {}

  /**
   * Opens threads, in few exchanges for all; those that are gone, or have no environment block yet,
   * are left out. The handles are closed with this.
   */
  public List<Begun> begun(List<TargetThread> threads) {
    List<Stopped> opened = open(threads);
    long[] blocks = blocks(opened);
    return IntStream.range(0, blocks.length)
        .filter(i -> blocks[i] != 0)
        .mapToObj(i -> new Begun(opened.get(i).thread(), opened.get(i).handle(), blocks[i]))
        .toList();
  }

  /** Returns memory of the agent for structures of many threads. */
  private long buffer() {
    if (buffer == 0) {
      buffer = calls.must("no memory in the agent", "kernel32!VirtualAlloc", 0, PIECE, 0x3000, 4);
    }
    return buffer;
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
    int head = 2 * layout.pointerBytes();
    int size = head + 2 * MAX_DESCRIPTION;
    long info = calls.put(WindowsApi.PAGE, new BytesBuilder(16).zeros(16));
    int status =
        calls.call("ntdll!NtQueryInformationThread", handle, THREAD_NAME, info, size, 0).asInt();
    if (status < 0) {
      return "";
    }
    Bytes name = calls.get(WindowsApi.PAGE, size);
    // The text follows the UNICODE_STRING.
    int length = Math.min(name.u16(0), 2 * MAX_DESCRIPTION) / 2;
    return layout.pointer(name, layout.pointerBytes()) == info + head
        ? name.utf16(head, length)
        : "";
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
    long info = calls.scratch(0);
    int status =
        calls
            .call("ntdll!NtQueryInformationThread", handle, 0, info, layout.threadBytes(), 0)
            .asInt();
    return status < 0
        ? 0
        : layout.pointer(calls.get(0, layout.threadBytes()), layout.pointerBytes());
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
    if (buffer != 0) {
      calls.call("kernel32!VirtualFree", buffer, 0, 0x8000);
    }
    buffer = 0;
    processes.close();
  }
}
