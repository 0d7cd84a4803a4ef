package io.ntrail.live.session;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory that the buffers of all traced programs of a recording may take together. Any thread may
 * call it.
 */
public final class BufferMemory {
  /** Of the memory of the machine, buffers take a tenth unless somebody says otherwise. */
  private static final int PART = 10;

  private long limit;
  private long taken;

  private BufferMemory(long limit) {
    this.limit = limit;
  }

  /**
   * Creates a limit.
   *
   * @param bytes 0: a tenth of the memory of the machine
   */
  public static BufferMemory of(long bytes) {
    return new BufferMemory(bytes);
  }

  /** Notes memory that is taken in any case. */
  synchronized void hold(long bytes) {
    taken += bytes;
  }

  /** Returns how much of some memory may be taken, and notes that it is. */
  synchronized long take(long bytes) {
    if (limit == 0) {
      // Asked for late: loading these classes takes longer than the start of most sessions.
      limit =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize()
              / PART;
    }
    long granted = Math.clamp(limit - taken, 0, bytes);
    taken += granted;
    return granted;
  }

  /** Gives memory back. */
  synchronized void give(long bytes) {
    taken -= bytes;
  }
}
