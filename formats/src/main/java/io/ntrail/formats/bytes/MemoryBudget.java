package io.ntrail.formats.bytes;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limit of the native memory that some content may take together. Whoever holds some reserves it
 * first, and releases it afterwards; what does not fit goes elsewhere. Thread-safe.
 */
public final class MemoryBudget {
  /**
   * The budget of all content of archives in this process: 1 GiB, or half of the heap if that is
   * less, since the JVM limits native memory by the size of the heap. Memory belongs to the
   * process, so that there is one budget whatever was opened, by whom and for what.
   */
  private static final MemoryBudget OF_PROCESS =
      new MemoryBudget(Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 2));

  private final long limit;
  private final AtomicLong reserved = new AtomicLong();

  /** A budget of {@code limit} bytes. */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** The budget of all content of archives in this process. */
  public static MemoryBudget ofProcess() {
    return OF_PROCESS;
  }

  /** Number of bytes that may be held. */
  public long limit() {
    return limit;
  }

  /** Number of bytes that are held now. */
  public long reserved() {
    return reserved.get();
  }

  /** Reserves some bytes; false if they do not fit. */
  boolean reserve(long bytes) {
    if (reserved.addAndGet(bytes) <= limit) {
      return true;
    }
    reserved.addAndGet(-bytes);
    return false;
  }

  /** Gives back what was reserved. */
  void release(long bytes) {
    reserved.addAndGet(-bytes);
  }
}
