package io.ntrail.live.modules;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.session.DllNotificationRing;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Callback in a target that reports the loading and unloading of modules, and the heartbeat that it
 * needs.
 */
public final class DllNotificationHook implements AutoCloseable {
  private static final long ROUTINE_MILLIS = 20_000;

  /** STATUS_DLL_NOT_FOUND: it was unregistered already. */
  private static final int NOT_THERE = 0xC000_0135;

  private static final long BEAT_NANOS = 50_000_000;
  private static final int PAGE = 0x1000;
  private static final int ROUTINE = 0xC00;
  private static final int PARAMETERS = PAGE;
  private static final int COOKIE = PAGE + 64;

  private final TargetProcess target;
  private final TracingMemory tracing;
  private final DllNotificationRing board;
  private final Thread heartbeat;
  private volatile boolean closed;
  private long block;
  private boolean installed;

  DllNotificationHook(TargetProcess target, TracingMemory tracing, DllNotificationRing board) {
    this.target = target;
    this.tracing = tracing;
    this.board = board;
    board.beat();
    heartbeat = Thread.ofPlatform().name("heartbeat").daemon(true).start(this::live);
  }

  private void live() {
    while (!closed) {
      LockSupport.parkNanos(BEAT_NANOS);
      if (!closed) {
        board.beat();
      }
    }
  }

  /** Returns the notifications of the target. */
  DllNotificationRing board() {
    return board;
  }

  /**
   * Registers the callback with the target's loader.
   *
   * @param before hears where it lies, before the loader does
   */
  void install(LoaderCalls calls, LongConsumer before) {
    CallbackCode callback = target.architecture().dllNotification(tracing.control(), calls);
    byte[] code = callback.code();
    int tableAt = code.length + 0xF & ~0xF;
    byte[] table = callback.table(tableAt);
    if (tableAt + table.length > ROUTINE) {
      throw new IllegalStateException("the callback is too long");
    }
    TargetMemory memory = target.memory();
    block = memory.allocate(2 * PAGE, TargetMemory.READ_WRITE);
    memory.write(block, code);
    memory.write(block + tableAt, table);
    memory.write(block + ROUTINE, target.architecture().callRoutine());
    memory.protect(block, PAGE, TargetMemory.EXECUTE_READ);
    tracing.lookup().add(block, 2 * PAGE);
    tracing.beside(new TracingMemory.Block(block, block, 2 * PAGE));
    tracing.table(
        new TracingMemory.Table(block + tableAt, callback.entries(), block, block + tableAt));
    tracing.register();
    before.accept(block);
    int status =
        call(target, block, "ntdll!LdrRegisterDllNotification", 0, block, 0, block + COOKIE);
    if (status != 0) {
      throw new CannotGoOn(
          "LdrRegisterDllNotification failed (status 0x%08x)".formatted(status), "");
    }
    installed = true;
  }

  /**
   * Unregisters the callback. If the loader does not allow it in time, the callback stays, and
   * never waits as long as nothing is recorded.
   */
  void uninstall() {
    if (installed) {
      installed = false;
      String before = tracing.stays();
      tracing.stay("the program's loader is busy");
      uninstall(target, block);
      tracing.stay(before);
    }
  }

  /**
   * Unregisters the callback of any session.
   *
   * @param block where it lies
   * @throws CannotGoOn if the loader may call it still
   */
  public static void uninstall(TargetProcess target, long block) {
    long cookie = target.memory().read(block + COOKIE, 8).i64(0);
    if (cookie != 0) {
      int status = call(target, block, "ntdll!LdrUnregisterDllNotification", cookie, 0, 0, 0);
      if (status != 0 && status != NOT_THERE) {
        throw new CannotGoOn(
            "LdrUnregisterDllNotification failed (status 0x%08x)".formatted(status), "");
      }
    }
  }

  private static int call(TargetProcess target, long block, String function, long... arguments) {
    BytesBuilder parameters = new BytesBuilder(48).u64(target.calls().address(function));
    for (long argument : arguments) {
      parameters.u64(argument);
    }
    target.memory().write(block + PARAMETERS, parameters.toArray());
    return target.run(block + ROUTINE, block + PARAMETERS, ROUTINE_MILLIS);
  }

  /** Ends the heartbeat: no thread waits for an answer any more. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(heartbeat);
    boolean interrupted = false;
    while (heartbeat.isAlive()) {
      try {
        heartbeat.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
