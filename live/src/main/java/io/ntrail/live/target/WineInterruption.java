package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetThreads.Begun;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext.Registers;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetMemory.Region;
import io.ntrail.live.windows.WindowsVersion;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Work that Wine has a thread of the target do, at a moment when that cannot harm it.
 *
 * <p>Wine creates a thread of another process, and maps a section into it, in a thread of that
 * process. Where none of them waits for one of Wine's objects, it interrupts one by a signal, whose
 * handler then allocates memory of the C library. A thread that was interrupted within that
 * library's allocator waits for itself from then on, and the program stands still (seen with one of
 * 12 attachments to an editor whose text is set all the time). Wine takes a suspended thread where
 * there is one: so one is suspended here, which was in code of Windows, was waiting in a system
 * call, or had just switched signals on again, as after each request to Wine's server.
 */
public final class WineInterruption {
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  /** Bytes of a signal stack that are read: more than a frame with all registers of AMX. */
  private static final int TOP = 0x8000;

  private static final long PAUSE_NANOS = 500_000;

  private final TargetThreads threads;
  private final TargetMemory memory;
  private final int pointerSize;

  private WineInterruption(TargetProcess target) {
    this.threads = target.threads();
    this.memory = target.memory();
    this.pointerSize = target.architecture().pointerSize();
  }

  /**
   * Does work in a target, on Windows as on Wine.
   *
   * @param work creates a thread, or maps a section
   * @throws CannotGoOn if no thread of the target came to a place where Wine can do that safely
   */
  public static <T> T during(TargetProcess target, Supplier<T> work) {
    return WindowsVersion.isWine(target.calls())
        ? new WineInterruption(target).during(work)
        : work.get();
  }

  private <T> T during(Supplier<T> work) {
    long begin = System.nanoTime();
    do {
      List<Begun> all = threads.begun(threads.list());
      if (all.isEmpty()) {
        // None has run yet, so that none can be in the middle of anything.
        return work.get();
      }
      for (Begun thread : all) {
        Optional<ThreadContext> context = threads.suspend(thread.handle(), Registers.CONTROL);
        if (context.isPresent()) {
          try {
            if (isSafe(thread, context.get())) {
              return work.get();
            }
          } finally {
            threads.resume(List.of(new Stopped(thread.thread(), thread.handle())));
          }
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    } while (System.nanoTime() - begin < PATIENCE_NANOS);
    throw new CannotGoOn(
        "all threads of the target are busy inside Wine: what tracing needs could stop it for ever",
        "try again when it has less to do");
  }

  private boolean isSafe(Begun thread, ThreadContext context) {
    long top = (thread.block() & -SignalFrame.BLOCK) + SignalFrame.BLOCK - TOP;
    byte[] bytes = memory.readUpTo(top, TOP);
    Optional<SignalFrame> found =
        SignalFrame.find(Bytes.copyOf(bytes, "signal stack"), top, pointerSize == Long.BYTES);
    if (found.isEmpty()) {
      // It was suspended before it ran, or this Wine is not known: then nothing is better than
      // this.
      return true;
    }
    SignalFrame frame = found.get();
    // Code of Wine's own libraries is at addresses that have no memory for Windows.
    boolean isInWindowsCode =
        frame.instruction() == context.instructionPointer()
            && memory.region(frame.instruction()).filter(Region::isReadable).isPresent();
    byte[] around = memory.readUpTo(frame.instruction() - 2, 4);
    return isInWindowsCode || frame.isWaiting(around) || frame.isUnblocking(around);
  }
}
