package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The threads of a target: who there is, and stopping them. */
public final class TargetThreads implements AutoCloseable {
  private static final int SYSTEM_PROCESSES = 5;
  private static final int TOO_SMALL = 0xC000_0004;
  private static final int BUFFER = 0x10_0000;
  private static final int MOST_BUFFER = 0x1000_0000;
  private static final int ALL_ACCESS = 0x1F_FFFF;
  private static final int PIECE = 0x8_0000;
  private static final int PROCESS_HEAD = 0x100;
  private static final int THREAD = 0x50;
  private static final int INVALID_CID = 0xC000_000B;
  private static final int TERMINATING = 0xC000_004B;

  private final WindowsCalls calls;
  private final int pid;
  private final Map<TargetThread, Long> handles = new HashMap<>();
  private long buffer;
  private int bufferSize;

  TargetThreads(WindowsCalls calls, int pid) {
    this.calls = calls;
    this.pid = pid;
  }

  /** All that there are at this moment. */
  public List<TargetThread> list() {
    while (true) {
      if (bufferSize == 0) {
        bufferSize = BUFFER;
        buffer = allocate(bufferSize);
      }
      // Behind the list, so that both come back at once.
      long length = buffer + bufferSize;
      int status =
          calls
              .call("ntdll!NtQuerySystemInformation", SYSTEM_PROCESSES, buffer, bufferSize, length)
              .asInt();
      if (status >= 0) {
        return find((int) calls.agent().peek(length, 4).u32(0));
      }
      if (status != TOO_SMALL || bufferSize >= MOST_BUFFER) {
        throw new CannotGoOn("the system does not list its threads (0x%x)".formatted(status), "");
      }
      calls.call("kernel32!VirtualFree", buffer, 0, 0x8000);
      bufferSize *= 2;
      buffer = allocate(bufferSize);
    }
  }

  /** Room for the list and its length. */
  private long allocate(int size) {
    return calls.must("no memory in the agent", "kernel32!VirtualAlloc", 0, size + 8, 0x3000, 4);
  }

  private List<TargetThread> find(int length) {
    int size = length > 0 && length <= bufferSize ? length : bufferSize;
    // In pieces, since the whole list of a large system is longer than an answer can be.
    byte[] copy = new byte[size];
    for (int done = 0; done < size; done += PIECE) {
      int piece = Math.min(PIECE, size - done);
      calls.agent().peek(buffer + done, piece).copyTo(0, copy, done, piece);
    }
    Bytes list = Bytes.copyOf(copy, "threads");
    int at = 0;
    while (at <= size - PROCESS_HEAD) {
      Bytes head = list.slice(at, PROCESS_HEAD);
      if (head.i64(0x50) == pid) {
        int count = (int) Math.min(head.u32(4), (size - at - PROCESS_HEAD) / THREAD);
        List<TargetThread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          Bytes thread = list.slice(at + PROCESS_HEAD + THREAD * i, THREAD);
          threads.add(new TargetThread((int) thread.i64(0x30), thread.i64(0x10)));
        }
        return threads;
      }
      long next = head.u32(0);
      if (next == 0 || next > size) {
        break;
      }
      at += (int) next;
    }
    return List.of();
  }

  /** A handle of the agent, or 0 if the thread is gone. */
  private long open(TargetThread thread) {
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
   * Stops all threads; each has really stopped when this is done.
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
    if (status == TERMINATING || status == INVALID_CID) {
      return false;
    }
    if (status < 0) {
      throw new CannotGoOn("a thread could not be stopped (0x%x)".formatted(status), "");
    }
    return true;
  }

  /**
   * A thread that was stopped.
   *
   * @param handle of the agent
   */
  public record Stopped(TargetThread thread, long handle) {}

  /** Lets threads go on. */
  public void resume(List<Stopped> stopped) {
    calls.call(
        stopped.stream()
            .map(thread -> calls.prepare("ntdll!NtResumeThread", thread.handle(), 0))
            .toList());
  }

  /**
   * The registers of a stopped thread. Asking for them is also what makes sure that it stands.
   *
   * @param what {@link ThreadContext#FULL} or {@link ThreadContext#CONTROL}
   */
  public ThreadContext context(long handle, int what) {
    BytesOut structure = new BytesOut(ThreadContext.SIZE).zeros(ThreadContext.SIZE);
    structure.setU32(ThreadContext.FLAGS_AT, what);
    long at = calls.put(0, structure);
    calls.mustSucceed(
        "the registers of a thread could not be read", "ntdll!NtGetContextThread", handle, at);
    return new ThreadContext(calls.get(0, ThreadContext.SIZE).array(0, ThreadContext.SIZE));
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
    bufferSize = 0;
  }
}
