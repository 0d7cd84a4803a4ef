package io.ntrail.cli.selftest;

import java.io.IOException;

/** Time until which something has to have happened. */
record Deadline(long nanos) {
  private static final long POLL_MILLIS = 20;

  /** Something that is awaited. */
  interface Condition {
    /** Returns whether it is so. */
    boolean holds() throws IOException;
  }

  static Deadline in(long seconds) {
    return new Deadline(System.nanoTime() + seconds * 1_000_000_000L);
  }

  Deadline orEarlier(Deadline other) {
    return nanos - other.nanos < 0 ? this : other;
  }

  long millisLeft() {
    return Math.max(0, (nanos - System.nanoTime()) / 1_000_000);
  }

  boolean isOver() {
    return System.nanoTime() - nanos >= 0;
  }

  /** Waits until something is so; returns false if it is not in time. */
  boolean await(Condition condition) throws IOException, InterruptedException {
    while (!condition.holds()) {
      if (isOver()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }
}
