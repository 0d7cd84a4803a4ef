package io.ntrail.live.etw;

import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.SessionMemo.State;
import java.util.ArrayList;
import java.util.List;

/**
 * States of providers before what a session recorded is written: those are asked that the start of
 * the session noted.
 */
public final class StateRundown {
  /**
   * State that is missing.
   *
   * @param why in words
   */
  public record Missing(Guid provider, String why) {
    /** Returns that of a provider that has not answered in time. */
    static Missing late(Guid provider) {
      return new Missing(provider, "not all of its processes answered in 10 s");
    }
  }

  private final SessionControl control;
  private final MachineRegistry registry;

  /** Asks with the calls and the registry of a system. */
  public StateRundown(SessionControl control, MachineRegistry registry) {
    this.control = control;
    this.registry = registry;
  }

  /** Has providers log their states; returns what is missing then. */
  public List<Missing> before(SessionState session) {
    List<Missing> missing = new ArrayList<>();
    for (State state : SessionMemo.read(registry, session.name()).states()) {
      int error = captured(session.handle(), state);
      if (error == SessionFailure.TIMEOUT) {
        missing.add(Missing.late(state.provider()));
      } else if (error != 0) {
        missing.add(
            new Missing(state.provider(), new SessionFailure("EnableTraceEx2", error).message()));
      }
    }
    return missing;
  }

  private int captured(long handle, State state) {
    if (state.isOnly()) {
      EnableParameters none = new EnableParameters(0, Guid.ZERO, List.of());
      int error = control.enable(handle, state.provider(), state.level(), state.keywords(), none);
      if (error != 0) {
        return error;
      }
    }
    int error = control.capture(handle, state.provider(), state.level(), state.keywords());
    if (state.isOnly()) {
      int disabled = control.disable(handle, state.provider());
      return error == 0 ? disabled : error;
    }
    return error;
  }
}
