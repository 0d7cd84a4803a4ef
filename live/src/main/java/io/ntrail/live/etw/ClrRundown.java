package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.SessionControl.Reply;
import java.time.Duration;
import java.util.List;

/**
 * Rundown of .NET before a session ends: methods that were compiled before it began get their names
 * only from the events that the runtime writes when it is asked for them.
 *
 * <p>A session is asked for it if the runtime's provider is enabled in it, which Windows tells, so
 * that whoever stops it need not know how it was started. Windows does not say when all processes
 * have answered: the session counts as complete when nothing more is written for a while.
 */
public final class ClrRundown {
  /** Microsoft-Windows-DotNETRuntime. */
  public static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

  /** Microsoft-Windows-DotNETRuntimeRundown. */
  public static final Guid RUNDOWN = Guid.parse("a669021c-c450-4609-a035-5af59af4df18");

  /** Loader, Jit, NGen, forced rundown at the end, and the maps of instructions to IL. */
  private static final long KEYWORDS = 0x2_0138;

  /** Pauses that a session in memory is given. */
  private static final int SETTLING = 8;

  /** Outcome. */
  public enum Outcome {
    /** .NET is not recorded. */
    NOT_RECORDED,
    /** Nothing more is written. */
    COMPLETE,
    /** It was asked for and waited for; Windows does not count what a session keeps in memory. */
    NOT_COUNTED,
    /** Something was written to the last: the rundown, or other events. */
    CUT_SHORT,
    /** Windows refused. */
    REFUSED
  }

  private final SessionControl control;
  private final Duration pause;
  private final Duration most;

  /**
   * Asks with the calls of a system.
   *
   * @param pause between two looks; four without a change count as the end
   * @param most how long the rundown may take
   */
  public ClrRundown(SessionControl control, Duration pause, Duration most) {
    this.control = control;
    this.pause = pause;
    this.most = most;
  }

  /** Has the runtime write what it knows into a session that records it. */
  public Outcome before(SessionState session) {
    try {
      if (session.isKernel() || !control.isEnabled(session.handle(), RUNTIME)) {
        return Outcome.NOT_RECORDED;
      }
    } catch (CannotGoOn e) {
      return Outcome.REFUSED;
    }
    EnableParameters none = new EnableParameters(0, Guid.ZERO, List.of());
    int error = control.enable(session.handle(), RUNDOWN, ProviderRequest.VERBOSE, KEYWORDS, none);
    if (error != 0) {
      return Outcome.REFUSED;
    }
    return session.isInMemory() ? settle() : await(session.name());
  }

  private Outcome settle() {
    return pauses(SETTLING) ? Outcome.NOT_COUNTED : Outcome.CUT_SHORT;
  }

  /** Waits; returns false if that is interrupted. */
  private boolean pauses(int count) {
    try {
      Thread.sleep(pause.multipliedBy(count));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Outcome await(String name) {
    long end = System.nanoTime() + most.toNanos();
    long written = -1;
    for (int quiet = 0; quiet < 4; ) {
      if (System.nanoTime() > end) {
        return Outcome.CUT_SHORT;
      }
      if (!pauses(1)) {
        return Outcome.CUT_SHORT;
      }
      // What a buffer holds is counted when it is written.
      control.flush(name);
      Reply now = control.query(name);
      if (now.error() != 0) {
        return Outcome.CUT_SHORT;
      }
      quiet = now.state().written() == written ? quiet + 1 : 0;
      written = now.state().written();
    }
    return Outcome.COMPLETE;
  }
}
