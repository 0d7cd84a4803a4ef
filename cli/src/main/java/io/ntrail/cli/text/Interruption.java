package io.ntrail.cli.text;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ctrl+C while a command works. Reading is told to stop, the answer about what was read is printed,
 * and only then the process ends, with the exit code of the signal. A second request follows if the
 * answer takes long, so that it ends soon whatever the first pass had read.
 */
public final class Interruption {
  /** Time until a pass that followed the stopped one is stopped, too. */
  private static final long PATIENCE_SECONDS = 5;

  private final CountDownLatch finished = new CountDownLatch(1);
  private final boolean isOfProcess;
  private boolean isListening;
  private boolean isTold;
  private @Nullable Runnable stop;

  /** Works that are still to begin until one is stopped at its beginning; 0: none is. */
  private int untilStopped;

  private Interruption(boolean isOfProcess) {
    this.isOfProcess = isOfProcess;
  }

  /** Returns that of this process. */
  static Interruption ofProcess() {
    return new Interruption(true);
  }

  /** Returns one that comes only when {@link #interrupt} is called. */
  static Interruption called() {
    return new Interruption(false);
  }

  /** Work begins that can be stopped before its end. */
  public synchronized void begin(Runnable stopWork) {
    stop = stopWork;
    if (untilStopped > 0 && --untilStopped == 0) {
      stopWork.run();
    }
    if (isOfProcess && !isListening) {
      isListening = true;
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(this::signalled, "interruption"));
      } catch (IllegalStateException e) {
        // The process ends already, as a trace does that is stopped: this is its last work.
      }
    }
  }

  /** The work is over: what remains is not stopped. */
  public synchronized void end() {
    stop = null;
  }

  /** Stops the work. Returns whether there is any. */
  public boolean interrupt() {
    Runnable running;
    synchronized (this) {
      running = stop;
    }
    if (running != null) {
      running.run();
    }
    return running != null;
  }

  /** Interrupts when work begins: at once when it is the one of this number, from 1. */
  public synchronized void interruptAt(int number) {
    untilStopped = number;
  }

  /** Returns whether nobody has asked before: who asks first tells of the interruption. */
  public synchronized boolean isFirst() {
    boolean first = !isTold;
    isTold = true;
    return first;
  }

  /** The answer is a whole or none, as a new file is: nobody tells how much of it there is. */
  public synchronized void leavesNoPart() {
    isTold = true;
  }

  /** All is printed. */
  void finished() {
    finished.countDown();
  }

  /** The process ends: on its own, or by a signal, which then waits for the answer. */
  private void signalled() {
    try {
      boolean isWaiting = finished.getCount() > 0 && interrupt();
      while (isWaiting && !finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        // A pager may show the answer as long as its reader likes.
        interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
