package io.ntrail.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Measures the memory that a piece of work allocates, for the bounds that hold for hostile inputs.
 */
public final class Allocation {
  private Allocation() {}

  /** Bytes that the calling thread has allocated while {@code work} ran, given back or not. */
  public static long during(Runnable work) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    work.run();
    return thread.getCurrentThreadAllocatedBytes() - before;
  }
}
