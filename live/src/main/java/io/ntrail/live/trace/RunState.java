package io.ntrail.live.trace;

/** State of a {@link TraceRun}; it only advances in the order of the constants. */
enum RunState {
  /** Tracing is set up in the target; no function is patched. */
  PREPARED,

  /** Functions are patched, or being patched, and are recorded. */
  ARMED,

  /** The functions are restored, or none could be patched; the program may go on. */
  DISARMED,

  /** The program has ended; nothing is left to restore. */
  ENDED,

  /** The recording is complete. */
  FINISHED;

  /** Returns whether the program may still run with something of this run in it. */
  boolean isLive() {
    return this == PREPARED || this == ARMED || this == DISARMED;
  }
}
