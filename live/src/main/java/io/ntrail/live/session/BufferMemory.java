package io.ntrail.live.session;

import com.sun.management.OperatingSystemMXBean;
import io.ntrail.live.code.SessionLayout;
import java.lang.management.ManagementFactory;

/**
 * Memory that the buffers of all traced programs of a recording may take together. Any thread may
 * call it.
 */
public final class BufferMemory {
  /** Of the memory of the machine, buffers take a tenth unless somebody says otherwise. */
  private static final int PART = 10;

  /** In chunks; 0 if nobody set one. */
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
    return new BufferMemory(bytes == 0 ? 0 : Math.max(1, bytes / SessionLayout.CHUNK_BYTES));
  }

  /** Returns the limit that somebody set, in chunks; 0 if nobody did. */
  public synchronized long limit() {
    return limit;
  }

  /**
   * Takes chunks for a program that begins: fewer than it wants if the limit that somebody set is
   * near, but never fewer than it needs.
   *
   * @return how many
   */
  synchronized int begin(int chunks, int needed) {
    int granted = limit == 0 ? chunks : Math.clamp(limit - taken, needed, chunks);
    taken += granted;
    return granted;
  }

  /** Takes further chunks as far as the limit allows; returns how many. */
  synchronized int take(int chunks) {
    if (limit == 0) {
      // Asked for late: loading these classes takes longer than the start of most sessions.
      long all =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
      limit = Math.max(1, all / PART / SessionLayout.CHUNK_BYTES);
    }
    int granted = Math.clamp(limit - taken, 0, chunks);
    taken += granted;
    return granted;
  }

  /** Gives chunks back. */
  synchronized void give(int chunks) {
    taken -= chunks;
  }
}
