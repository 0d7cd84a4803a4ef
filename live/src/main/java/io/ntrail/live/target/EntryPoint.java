package io.ntrail.live.target;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.ThreadContext.Registers;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.WindowsApi;
import java.util.Optional;

/**
 * Lets the loader of a new process work up to the program's entry point, and suspends the main
 * thread there. An endless loop replaces the first instructions meanwhile.
 */
final class EntryPoint {
  private final TargetProcess process;
  private final long thread;
  private final long address;
  private final byte[] loop;

  /**
   * Changes nothing yet.
   *
   * @param thread the main thread, suspended
   * @param address of the first instruction
   */
  EntryPoint(TargetProcess process, long thread, long address) {
    this.process = process;
    this.thread = thread;
    this.address = address;
    this.loop = process.architecture().endlessLoop();
  }

  /**
   * Runs the main thread up to the entry point.
   *
   * @param timeoutMillis how long it may stay at one instruction; three times as long in all, as on
   *     a busy system the loader is slow, but moves
   * @throws CannotGoOn if it does not arrive there
   */
  void reach(long timeoutMillis) {
    byte[] before = process.memory().read(address, loop.length).array(0, loop.length);
    patch(loop);
    boolean arrived = false;
    try {
      await(timeoutMillis);
      arrived = true;
    } finally {
      if (!arrived) {
        giveUp(before);
      }
    }
    patch(before);
  }

  private void await(long timeoutMillis) {
    long patience = timeoutMillis * 1_000_000;
    long begin = System.nanoTime();
    long moved = begin;
    long before = 0;
    while (true) {
      resume();
      TargetProcess.pause();
      Optional<ThreadContext> context = process.threads().suspend(thread, Registers.CONTROL);
      if (context.isEmpty()) {
        // Whoever started it looks whether it has ended.
        throw new CannotGoOn("a thread could not be suspended", "");
      }
      long at = context.get().instructionPointer();
      if (at == address || at == address + loop.length) {
        return;
      }
      long now = System.nanoTime();
      if (at != before) {
        before = at;
        moved = now;
      }
      if (now - moved > patience || now - begin > 3 * patience) {
        throw new CannotGoOn(
            "the program did not reach its entry point (stopped at 0x%x)".formatted(at), "");
      }
    }
  }

  private void resume() {
    process.calls().mustSucceed("a thread could not be resumed", TargetProcess.RESUME, thread, 0);
  }

  /** Restores the first instructions, with the thread suspended once wherever it is. */
  private void giveUp(byte[] before) {
    try {
      WindowsApi calls = process.calls();
      long count = calls.put(0, new BytesBuilder(8).u64(0));
      boolean stopped = calls.call("ntdll!NtSuspendThread", thread, count).isSuccess();
      int others = (int) calls.get(0, 4).u32(0);
      patch(before);
      if (stopped && others > 0) {
        resume();
      }
    } catch (CannotGoOn e) {
      // It has ended, or the agent has, and it with that.
    }
  }

  private void patch(byte[] bytes) {
    TargetMemory memory = process.memory();
    int old = memory.exchangeProtection(address, bytes.length, TargetMemory.EXECUTE_READ_WRITE);
    memory.write(address, bytes);
    memory.protect(address, bytes.length, old);
    memory.flush(address, bytes.length);
  }
}
