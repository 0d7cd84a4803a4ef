package io.ntrail.live.windows;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;

/**
 * Routine that runs in a thread of its own in a target, whose start and end no module learns of.
 */
public final class RemoteRoutine {
  /** SKIP_THREAD_ATTACH and HIDE_FROM_DEBUGGER. */
  private static final int FLAGS = 2 | 4;

  private static final int ALL_THREAD = 0x1F_FFFF;
  private static final int WAIT_TIMEOUT = 258;

  /** Milliseconds of one wait, after which the controller does something else. */
  private static final int WAIT = 10;

  private final WindowsApi calls;
  private final long thread;
  private final long patienceMillis;

  private RemoteRoutine(WindowsApi calls, long thread, long patienceMillis) {
    this.calls = calls;
    this.thread = thread;
    this.patienceMillis = patienceMillis;
  }

  /**
   * Starts a routine.
   *
   * @param patienceMillis how long it may take from when its end is awaited
   * @throws CannotGoOn if it could not be started
   */
  public static RemoteRoutine start(
      WindowsApi calls, long process, long routine, long argument, long patienceMillis) {
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
        FLAGS,
        0,
        0,
        0,
        0);
    return new RemoteRoutine(calls, calls.get(0, 8).i64(0), patienceMillis);
  }

  /**
   * Awaits its end; to be called once. Time that is spent on other things does not count: a routine
   * may need what a thread holds that waits for just these.
   *
   * @param meanwhile repeated until then
   * @return what it returned, 32 bits
   * @throws CannotGoOn if it did not end
   */
  public int await(Runnable meanwhile) {
    try {
      long waited = 0;
      long from = System.nanoTime();
      while (calls.call("kernel32!WaitForSingleObject", thread, WAIT).asInt() == WAIT_TIMEOUT) {
        waited += System.nanoTime() - from;
        if (waited > patienceMillis * 1_000_000) {
          throw new CannotGoOn("a routine in the target timed out", "");
        }
        meanwhile.run();
        from = System.nanoTime();
      }
      long code = calls.put(0, new BytesBuilder(8).u64(0));
      calls.must("a thread of the target", "kernel32!GetExitCodeThread", thread, code);
      return (int) calls.get(0, 4).u32(0);
    } finally {
      calls.call("kernel32!CloseHandle", thread);
    }
  }
}
