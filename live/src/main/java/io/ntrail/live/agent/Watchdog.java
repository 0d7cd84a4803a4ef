package io.ntrail.live.agent;

import java.time.Duration;

/**
 * Ends what does not answer. A thread of its own looks now and then whether a question waits too
 * long.
 */
final class Watchdog implements AutoCloseable {
  private final long patience;
  private final Runnable bite;
  private final Thread thread;

  /** When the question was asked, in nanoseconds of the system's clock; 0 = none waits. */
  private volatile long asked;

  private volatile boolean bit;
  private volatile boolean closed;

  Watchdog(Duration patience, Runnable bite) {
    this.patience = patience.toNanos();
    this.bite = bite;
    this.thread = Thread.ofVirtual().name("agent watchdog").start(this::watch);
  }

  private void watch() {
    long step = Math.max(1, Math.min(500, patience / 4_000_000));
    while (!closed) {
      try {
        Thread.sleep(step);
      } catch (InterruptedException e) {
        continue;
      }
      long since = asked;
      if (since != 0 && System.nanoTime() - since > patience) {
        bit = true;
        bite.run();
        return;
      }
    }
  }

  void begin() {
    // 0 means that nothing waits.
    asked = System.nanoTime() | 1;
  }

  void end() {
    asked = 0;
  }

  /** Whether it ended what it watches. */
  boolean bit() {
    return bit;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
