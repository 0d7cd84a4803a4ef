package io.ntrail.live.simulation;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Thread of a simulated program that loads libraries, one after the other: it publishes a
 * notification of each in the session file and waits for the answer, as the callback in a target
 * does.
 */
final class SimulatedLoader implements Runnable, AutoCloseable {
  private static final long PAUSE_NANOS = 20_000;
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final SharedFile file;
  private final List<Library> libraries;
  private boolean started;
  private volatile boolean finished;

  /**
   * Library to load.
   *
   * @param name address of the UNICODE_STRING with its path
   */
  record Library(long base, long size, long name) {}

  /**
   * Prepares a thread that loads libraries.
   *
   * @param session the session file, which may be deleted afterwards
   * @throws IOException if it cannot be mapped
   */
  SimulatedLoader(Path session, List<Library> libraries) throws IOException {
    this.file = SharedFile.of(session);
    this.libraries = libraries;
  }

  /** Returns whether it has begun to load; it closes itself then. */
  boolean isStarted() {
    return started;
  }

  /** Begins to load, once. */
  void start() {
    if (!started) {
      started = true;
      Thread.ofPlatform().daemon().name("simulated loader").start(this);
    }
  }

  /** Returns whether all are loaded, or nobody answers. */
  boolean isFinished() {
    return finished;
  }

  @Override
  public void run() {
    try {
      for (int i = 0; i < libraries.size() && load(i, libraries.get(i)); i++) {
        // The next one.
      }
    } finally {
      finished = true;
      close();
    }
  }

  private boolean load(int index, Library library) {
    int count = index + 1;
    long place = SessionLayout.AT_NOTICE_RING + (long) SessionLayout.NOTICE_BYTES * index;
    file.setU32(place + SessionLayout.NOTICE_REASON, SessionLayout.NOTICE_LOADED);
    file.setU32(place + SessionLayout.NOTICE_SIZE, (int) library.size());
    file.setU64(place + SessionLayout.NOTICE_BASE, library.base());
    file.setU64(place + SessionLayout.NOTICE_NAME, library.name());
    file.setU64(place + SessionLayout.NOTICE_TICKS, System.nanoTime());
    file.setU32Release(SessionLayout.AT_NOTICE_STATE, state(count, SessionLayout.NOTICE_WAITS));
    file.setU32Release(SessionLayout.AT_NOTICES, count);
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (file.u32Acquire(SessionLayout.AT_ANSWERED) != count) {
      if (System.nanoTime() - until > 0) {
        return false;
      }
      if (file.u32Acquire(SessionLayout.AT_NOTICE_STATE)
          == state(count, SessionLayout.TABLE_OFFERED)) {
        file.setU32(SessionLayout.AT_OFFERED_STATUS, 0);
        file.setU64(SessionLayout.AT_OFFERED_HANDLE, count);
        file.setU32Release(SessionLayout.AT_NOTICE_STATE, state(count, SessionLayout.TABLE_TAKEN));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    file.setU32Release(SessionLayout.AT_NOTICE_STATE, 0);
    return true;
  }

  private static int state(int count, int what) {
    return count << 2 | what;
  }

  /** Unmaps the session file. */
  @Override
  public void close() {
    file.close();
  }
}
