package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.SystemLayout;
import io.ntrail.live.windows.WindowsApi;
import java.util.ArrayList;
import java.util.List;

/** Processes and threads of the target's system. */
final class SystemProcesses implements AutoCloseable {
  private static final int SYSTEM_PROCESSES = 5;
  private static final int TOO_SMALL = 0xC000_0004;
  private static final int BUFFER = 0x10_0000;
  private static final int MAX_BUFFER = 0x1000_0000;
  private static final int PIECE = 0x8_0000;

  /** Bytes in front of the list, for its length. */
  private static final int LENGTH = 16;

  /** Bytes by which the list is expected to grow until it is read again. */
  private static final int MORE = 0x1000;

  // SYSTEM_PROCESS_INFORMATION and SYSTEM_THREAD_INFORMATION.
  private static final int THREADS = 4;
  private static final int CREATED = 0x20;
  private static final int NAME = 0x38;
  private static final int THREAD_CREATED = 0x10;

  /** The year 10,000, as FILETIME: later ones are memory that nobody has set. */
  private static final long LATEST = 2_650_467_744_000_000_000L;

  private final WindowsApi calls;
  private final SystemLayout layout;
  private long buffer;
  private int size;
  private int expected = MORE;

  SystemProcesses(WindowsApi calls) {
    this.calls = calls;
    this.layout = calls.layout();
  }

  /**
   * Lists the processes. One that is being created and has not begun is left out: under Wine 8 its
   * time of creation is not set then, and its name not always.
   */
  List<RunningProcess> list() {
    Bytes list = read();
    List<RunningProcess> processes = new ArrayList<>();
    long at = 0;
    while (at <= list.length() - layout.listedProcess()) {
      if (Long.compareUnsigned(list.i64((int) at + CREATED), LATEST) <= 0) {
        processes.add(process(list, (int) at));
      }
      long next = list.u32((int) at);
      if (next == 0) {
        break;
      }
      at += next;
    }
    return processes;
  }

  /** Lists the threads of a process; empty if it is gone. */
  List<TargetThread> threads(int pid) {
    Bytes list = read();
    long at = 0;
    while (at <= list.length() - layout.listedProcess()) {
      if (layout.pointer(list, (int) at + layout.listedPid()) == pid) {
        return process(list, (int) at).threads();
      }
      long next = list.u32((int) at);
      if (next == 0) {
        break;
      }
      at += next;
    }
    return List.of();
  }

  private RunningProcess process(Bytes list, int at) {
    int first = at + layout.listedProcess();
    int most = (list.length() - first) / layout.listedThread();
    long count = Math.min(list.u32(at + THREADS), most);
    List<TargetThread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int thread = first + layout.listedThread() * i;
      threads.add(
          new TargetThread(
              (int) layout.pointer(list, thread + layout.listedTid()),
              list.i64(thread + THREAD_CREATED)));
    }
    return new RunningProcess(
        (int) layout.pointer(list, at + layout.listedPid()),
        (int) layout.pointer(list, at + layout.listedParent()),
        list.i64(at + CREATED),
        name(list, at + NAME),
        threads);
  }

  /** Reads a UNICODE_STRING whose text lies in the list. */
  private String name(Bytes list, int at) {
    int length = list.u16(at) & ~1;
    long text = layout.pointer(list, at + layout.pointerBytes()) - buffer;
    return text >= 0 && text <= list.length() - length ? list.utf16((int) text, length / 2) : "";
  }

  private Bytes read() {
    while (true) {
      if (size == 0) {
        size = BUFFER;
        buffer = allocate(size);
      }
      // In front of the list, so that both come back at once.
      long length = buffer - LENGTH;
      int status =
          calls
              .call("ntdll!NtQuerySystemInformation", SYSTEM_PROCESSES, buffer, size, length)
              .asInt();
      if (status >= 0) {
        return copy();
      }
      if (status != TOO_SMALL || size >= MAX_BUFFER) {
        throw new CannotGoOn(
            "the threads of the system cannot be listed (0x%x)".formatted(status), "");
      }
      calls.call("kernel32!VirtualFree", buffer - LENGTH, 0, 0x8000);
      size *= 2;
      buffer = allocate(size);
    }
  }

  /** Buffer for the list, and its size. */
  private long allocate(int bytes) {
    return LENGTH
        + calls.must(
            "no memory in the agent", "kernel32!VirtualAlloc", 0, bytes + LENGTH, 0x3000, 4);
  }

  /** Returns the list; mostly, that is one exchange. */
  private Bytes copy() {
    int first = Math.min(expected, Math.min(size, PIECE - LENGTH));
    Bytes begin = calls.agent().peek(buffer - LENGTH, LENGTH + first);
    long length = begin.u32(0);
    int bytes = length > 0 && length <= size ? (int) length : size;
    byte[] copy = new byte[bytes];
    int done = Math.min(first, bytes);
    begin.copyTo(LENGTH, copy, 0, done);
    // In pieces, since the whole list of a large system is longer than an answer can be.
    while (done < bytes) {
      int piece = Math.min(PIECE, bytes - done);
      calls.agent().peek(buffer + done, piece).copyTo(0, copy, done, piece);
      done += piece;
    }
    expected = bytes + MORE;
    return Bytes.copyOf(copy, "processes");
  }

  @Override
  public void close() {
    if (buffer != 0) {
      calls.call("kernel32!VirtualFree", buffer - LENGTH, 0, 0x8000);
    }
    buffer = 0;
    size = 0;
  }
}
