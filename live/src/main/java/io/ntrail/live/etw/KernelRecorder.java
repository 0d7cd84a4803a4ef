package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionControl.Reply;
import io.ntrail.live.etw.StateRundown.Missing;
import java.util.List;
import java.util.Optional;

/**
 * Starts and stops recordings of the kernel. Nothing is left behind by a start that fails, unless
 * it says so, and what was started is stopped by its name from any process.
 */
public final class KernelRecorder {
  /** Provider that has the kernel log what there is: KernelRundownGuid. */
  private static final Guid RUNDOWN = Guid.parse("3b9c9951-3480-4220-9377-9c8e5184f5cd");

  /** Has it log as at the end of a session, what the session in memory of Windows itself logs. */
  private static final int RUNDOWN_AT_THE_END = 8;

  private final SessionControl control;
  private final KernelSessionKind kind;

  /** Records with the calls of a system. */
  public KernelRecorder(SessionControl control, KernelSessionKind kind) {
    this.control = control;
    this.kind = kind;
  }

  /**
   * Starts a session.
   *
   * @param takesOver whether a session of that name is stopped
   * @throws CannotGoOn if it cannot be started; the session in the way is named
   */
  public Started start(KernelRequest request, boolean takesOver) {
    check("AdjustTokenPrivileges", control.enablePrivilege(SessionControl.PROFILE_PRIVILEGE));
    return SessionLaunch.start(
        control, kind.properties(request), takesOver, handle -> setUp(handle, request));
  }

  private List<Missing> setUp(long handle, KernelRequest request) {
    for (TraceSetting setting : request.more().machine()) {
      check("TraceSetInformation", control.set(0, setting));
    }
    // Before the groups: nothing is logged that is not chosen.
    if (kind.setsPoolTags() && !request.more().poolTags().isEmpty()) {
      check("NtSetSystemInformation", control.setPoolTags(handle, request.more().poolTags()));
    }
    for (TraceSetting setting : kind.settings(request)) {
      check("TraceSetInformation", control.set(handle, setting));
    }
    return SessionLaunch.enable(control, handle, request.more().providers());
  }

  /** Returns the name that a session has here: before Windows 8 there is only one. */
  public String session(String wanted) {
    return kind.session(wanted);
  }

  /** Returns the state of a session; empty if none of this name runs. */
  public Optional<SessionState> find(String name) {
    Reply reply = control.query(name);
    if (reply.error() == SessionFailure.NOT_FOUND) {
      return Optional.empty();
    }
    check("ControlTrace", reply.error());
    return Optional.of(reply.state());
  }

  /**
   * Returns the state of a session.
   *
   * @throws CannotGoOn if none of this name runs
   */
  public SessionState status(String name) {
    Reply reply = control.query(name);
    check("ControlTrace", reply.error());
    return reply.state();
  }

  /**
   * Stops a session.
   *
   * @return its last state, with what it lost
   * @throws CannotGoOn if none of this name runs
   */
  public SessionState stop(String name) {
    Reply reply = control.stop(name);
    check("ControlTrace", reply.error());
    return reply.state();
  }

  /**
   * Has what a session keeps in memory written to a file; it goes on.
   *
   * @return its state before
   * @throws CannotGoOn if none of this name runs, or it writes a file anyway
   */
  public SessionState snapshot(String name, String file) {
    SessionState state = status(name);
    if (!state.isInMemory()) {
      throw new CannotGoOn(
          "\"%s\" keeps nothing in memory: it records to %s".formatted(name, state.file()),
          "ntrail record start --flight-recorder");
    }
    check("ControlTrace", control.flush(name, file).error());
    return state;
  }

  /**
   * Has the kernel log its processes, threads and images into a session in memory, where those of
   * the start may be written over.
   *
   * <p>Not documented; Windows' own diagnostics do it so for the session that is always in memory.
   *
   * @return false if Windows refuses
   */
  public boolean rundown(SessionState session) {
    EnableParameters none = new EnableParameters(0, Guid.ZERO, List.of());
    try {
      return control.enable(session.handle(), RUNDOWN, 0, RUNDOWN_AT_THE_END, none) == 0;
    } catch (CannotGoOn e) {
      // Windows Vista has no EnableTraceEx2.
      return false;
    }
  }

  /** Outcome of a request to write buffers. */
  public enum Flushed {
    /** They are written, and the session goes on. */
    GOES_ON,
    /** No session of this name runs. */
    NONE,
    /** They could not be written, as the disk is full; Windows ends the session. */
    DISK_FULL,
    /** They could not be written, as the file has its size; Windows ends the session. */
    FILE_FULL
  }

  /** Has the buffers of a session written that are not full yet. */
  public Flushed flush(String name) {
    int error = control.flush(name).error();
    return switch (error) {
      case SessionFailure.NOT_FOUND -> Flushed.NONE;
      case SessionFailure.DISK_FULL -> Flushed.DISK_FULL;
      case SessionFailure.FILE_FULL -> Flushed.FILE_FULL;
      default -> {
        check("ControlTrace", error);
        yield Flushed.GOES_ON;
      }
    };
  }

  /**
   * Writes a mark into a session.
   *
   * @param text in ASCII
   * @return its state
   * @throws CannotGoOn if none of this name runs, or Windows refuses
   */
  public SessionState mark(String name, String text) {
    SessionState state = status(name);
    // Each helps where Windows asks for it; what is missing shows in the call itself.
    control.enablePrivilege(SessionControl.PROFILE_PRIVILEGE);
    control.enablePrivilege(SessionControl.DEBUG_PRIVILEGE);
    boolean isDefault = name.equalsIgnoreCase(SessionState.KERNEL_NAME);
    check("EtwSetMark", control.mark(isDefault ? 0 : state.handle(), text));
    return state;
  }

  /** Returns all sessions that run. */
  public Listing all() {
    Listing listing = control.all();
    check("QueryAllTraces", listing.error());
    return listing;
  }

  private static void check(String call, int error) {
    SessionFailure.check(call, error);
  }
}
