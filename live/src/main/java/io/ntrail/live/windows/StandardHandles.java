package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.StdioHelper;

/**
 * Standard handles for a target, as inheritable handles of the agent.
 *
 * @param input 0 if there is none
 * @param output 0 if there is none
 * @param errors 0 if there is none
 */
public record StandardHandles(long input, long output, long errors) {
  private static final long PATIENCE_MILLIS = 60_000;
  private static final int DUPLICATE_HANDLES = 0x40;
  private static final int SAME_ACCESS = 2;
  private static final int READ = 4;

  /** No standard handles. */
  public static final StandardHandles NONE = new StandardHandles(0, 0, 0);

  /**
   * Returns the standard streams that a helper owns: files, pipes, a terminal.
   *
   * @throws CannotGoOn if they cannot be given on
   */
  public static StandardHandles of(WindowsApi calls, StdioHelper holder) {
    long section = open(calls, holder);
    long view = calls.must("a section", "kernel32!MapViewOfFile", section, READ, 0, 0, 0);
    long process;
    Bytes told;
    try {
      told = awaited(calls, view, holder);
      process =
          calls.must(
              "the standard streams", "kernel32!OpenProcess", DUPLICATE_HANDLES, 0, told.u32(4));
    } finally {
      calls.call("kernel32!UnmapViewOfFile", view);
      calls.call("kernel32!CloseHandle", section);
    }
    // Of a terminal the handles mean something only to who is attached to it.
    calls.call("kernel32!FreeConsole");
    calls.call("kernel32!AttachConsole", told.u32(4));
    StandardHandles streams =
        new StandardHandles(
            duplicate(calls, process, told.i64(8)),
            duplicate(calls, process, told.i64(16)),
            duplicate(calls, process, told.i64(24)));
    calls.call("kernel32!CloseHandle", process);
    return streams;
  }

  private static long open(WindowsApi calls, StdioHelper holder) {
    long name = calls.put(0, new BytesBuilder(128).utf16z(holder.name()));
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    while (true) {
      long section = calls.call("kernel32!OpenFileMappingW", READ, 0, name).result();
      if (section != 0) {
        return section;
      }
      pause(end, holder);
    }
  }

  private static Bytes awaited(WindowsApi calls, long view, StdioHelper holder) {
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    while (true) {
      Bytes told = calls.agent().peek(view, 32);
      if (told.u32(0) == 1) {
        return told;
      }
      pause(end, holder);
    }
  }

  private static void pause(long end, StdioHelper holder) {
    if (System.nanoTime() - end > 0 || !holder.isAlive()) {
      throw new CannotGoOn("cannot pass standard handles to the target", "");
    }
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }

  private static long duplicate(WindowsApi calls, long process, long handle) {
    // INVALID_HANDLE_VALUE has all bits of a handle.
    if (handle == 0 || (int) handle == -1) {
      return 0;
    }
    long to = calls.put(0, new BytesBuilder(8).u64(0));
    boolean done =
        calls.call("kernel32!DuplicateHandle", process, handle, -1, to, 0, 1, SAME_ACCESS).isTrue();
    return done ? calls.get(0, 8).i64(0) : 0;
  }

  /** Closes the agent's handles. */
  public void close(WindowsApi calls) {
    for (long handle : new long[] {input, output, errors}) {
      if (handle != 0) {
        calls.call("kernel32!CloseHandle", handle);
      }
    }
  }
}
