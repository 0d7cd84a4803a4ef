package io.ntrail.live.session;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Thread that polls a {@link Recorder}: without pause while there is something to do, else every
 * few milliseconds.
 */
public final class RecorderThread implements AutoCloseable {
  private final Recorder recorder;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;

  private RecorderThread(Recorder recorder) {
    this.recorder = recorder;
    thread = Thread.ofPlatform().name("recorder").daemon(true).unstarted(this::run);
  }

  /** Starts polling. */
  public static RecorderThread start(Recorder recorder) {
    RecorderThread started = new RecorderThread(recorder);
    started.thread.start();
    return started;
  }

  private void run() {
    try {
      while (!stopped) {
        if (recorder.poll() == 0) {
          LockSupport.parkNanos(recorder.leisure());
        }
      }
    } catch (Throwable e) {
      // Whatever it is, the owner must hear of it: an error of the mapped file's disk, too.
      failure = e;
    }
  }

  /** Returns the failure that stopped it; empty if it runs or was stopped. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /** Stops polling and waits for the end of the thread. The recorder is not finished. */
  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
