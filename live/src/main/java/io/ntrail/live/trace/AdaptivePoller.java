package io.ntrail.live.trace;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls for news from targets: often right after there was some, else seldom. */
final class AdaptivePoller {
  private static final long IDLE_NANOS = 2_000_000;
  private static final long BUSY_NANOS = 100_000;
  private static final long BUSY_FOR_NANOS = 20_000_000;

  private long lastNews = System.nanoTime() - BUSY_FOR_NANOS;

  /**
   * Polls for a while.
   *
   * @param look whether there was anything
   */
  void pay(int millis, BooleanSupplier look) {
    long end = System.nanoTime() + millis * 1_000_000L;
    do {
      if (look.getAsBoolean()) {
        lastNews = System.nanoTime();
      }
      long now = System.nanoTime();
      long pause = now - lastNews < BUSY_FOR_NANOS ? BUSY_NANOS : IDLE_NANOS;
      LockSupport.parkNanos(Math.min(pause, Math.max(0, end - now)));
    } while (System.nanoTime() - end < 0);
  }
}
