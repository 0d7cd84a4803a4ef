package io.ntrail.live.etw;

/** Bits of LogFileMode (evntrace.h). */
public final class SessionMode {
  /** The file ends when it is as large as allowed. */
  public static final int SEQUENTIAL = 0x1;

  /** The file begins anew when it is as large as allowed. */
  public static final int CIRCULAR = 0x2;

  /** Events go to consumers at once. */
  public static final int REAL_TIME = 0x100;

  /** Events stay in memory until they are flushed. */
  public static final int BUFFERING = 0x400;

  /** The kernel logs into it: Windows 8 and later. */
  public static final int SYSTEM_LOGGER = 0x0200_0000;

  private SessionMode() {}
}
