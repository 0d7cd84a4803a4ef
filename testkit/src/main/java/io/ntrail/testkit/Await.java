package io.ntrail.testkit;

import java.util.concurrent.TimeUnit;

/**
 * Waits for conditions that another thread or process brings about. The time limit only ends a test
 * that hangs: it is far longer than any machine needs.
 */
public final class Await {
  private static final long MINUTES = 2;
  private static final long POLL_MILLIS = 5;

  private Await() {}

  /** Condition to wait for; an exception ends the wait. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Returns once a condition holds.
   *
   * @param what the condition in words, for the message
   * @throws AssertionError if it does not hold within two minutes
   */
  public static void until(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + MINUTES + " minutes: " + what);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
