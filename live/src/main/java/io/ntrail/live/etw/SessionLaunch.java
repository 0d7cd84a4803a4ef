package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.SessionControl.Reply;
import io.ntrail.live.etw.StateRundown.Missing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;

/** Start of a session: one in the way, and what is left of one that cannot be set up. */
final class SessionLaunch {
  /** Starts that are tried, and the pause between them, when the session before was stopped. */
  private static final int TRIES = 20;

  private static final int PAUSE_MILLIS = 100;

  private SessionLaunch() {}

  /**
   * Starts a session.
   *
   * @param takesOver whether a session of that name is stopped
   * @param setUp is given the handle, and returns states that were not told in time; the session is
   *     stopped again if it fails
   * @throws CannotGoOn if it cannot be started; the session in the way is named
   */
  static Started start(
      SessionControl control,
      SessionProperties properties,
      boolean takesOver,
      LongFunction<List<Missing>> setUp) {
    Optional<SessionState> replaced = Optional.empty();
    Reply reply = control.start(properties);
    if (reply.error() == SessionFailure.EXISTS) {
      if (!takesOver) {
        throw inTheWay(control, properties.name());
      }
      Reply stopped = control.stop(properties.name());
      SessionFailure.check("ControlTrace", stopped.error());
      replaced = Optional.of(stopped.state());
      reply = startInItsPlace(control, properties);
    }
    List<Missing> missing;
    try {
      SessionFailure.check("StartTrace", reply.error());
      missing = setUp(control, reply.state().handle(), setUp, properties.name());
    } catch (CannotGoOn e) {
      throw forNothing(replaced, e);
    }
    return new Started(reply.state(), replaced, missing);
  }

  /** Starts a session when one of its name was just stopped, which may take Windows a moment. */
  private static Reply startInItsPlace(SessionControl control, SessionProperties properties) {
    Reply reply = control.start(properties);
    for (int i = 0; i < TRIES && reply.error() == SessionFailure.EXISTS; i++) {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return reply;
      }
      reply = control.start(properties);
    }
    return reply;
  }

  /** Sets what the start does not; stops the session if that fails. */
  private static List<Missing> setUp(
      SessionControl control, long handle, LongFunction<List<Missing>> setUp, String name) {
    try {
      return setUp.apply(handle);
    } catch (CannotGoOn e) {
      throw stopped(control, name, e);
    }
  }

  /** Stops a session after a failure; returns the failure, which tells if that failed, too. */
  private static CannotGoOn stopped(SessionControl control, String name, CannotGoOn failed) {
    return control.stop(name).error() == 0
        ? failed
        : told(
            failed,
            "; \"%s\" runs on, as it could not be stopped".formatted(name),
            "ntrail record stop \"%s\"".formatted(name));
  }

  /**
   * Stops a session since another one of its recording could not be started.
   *
   * @return the failure, which also tells what is left, and what was stopped for nothing
   */
  static CannotGoOn undone(SessionControl control, Started started, CannotGoOn failed) {
    return forNothing(started.replaced(), stopped(control, started.state().name(), failed));
  }

  private static CannotGoOn forNothing(Optional<SessionState> replaced, CannotGoOn failed) {
    return replaced
        .map(state ->
            told(failed, "; \"%s\" was stopped for it".formatted(state.name()), failed.nextStep()))
        .orElse(failed);
  }

  private static CannotGoOn told(CannotGoOn failed, String more, String nextStep) {
    return CannotGoOn.of(failed.reason(), failed.file(), failed.message() + more, nextStep);
  }

  private static CannotGoOn inTheWay(SessionControl control, String name) {
    SessionFailure failure = new SessionFailure("StartTrace", SessionFailure.EXISTS);
    Reply other = control.query(name);
    String file = other.error() == 0 ? other.state().file() : "";
    return new CannotGoOn(
        "%s: \"%s\"%s"
            .formatted(failure.message(), name, file.isEmpty() ? "" : ", recording to " + file),
        failure.nextStep());
  }

  /**
   * Enables providers in a session, and asks those for their states that are to tell them now.
   *
   * @return states that were not told in time
   */
  static List<Missing> enable(
      SessionControl control, long handle, List<ProviderRequest> providers) {
    List<Missing> missing = new ArrayList<>();
    for (ProviderRequest one : providers) {
      try {
        enable(control, handle, one).ifPresent(missing::add);
      } catch (CannotGoOn e) {
        throw told(e, "; provider " + one.name(), e.nextStep());
      }
    }
    return missing;
  }

  private static Optional<Missing> enable(
      SessionControl control, long handle, ProviderRequest one) {
    OptionalLong state = one.capture().atStart();
    if (!one.capture().isOnly() || state.isPresent()) {
      int error = control.enable(handle, one.guid(), one.level(), one.keywords(), one.parameters());
      SessionFailure.check("EnableTraceEx2", error);
    }
    if (state.isEmpty()) {
      return Optional.empty();
    }
    int error = control.capture(handle, one.guid(), one.level(), state.getAsLong());
    // The session goes on: what else it records is not late.
    boolean isLate = error == SessionFailure.TIMEOUT;
    SessionFailure.check("EnableTraceEx2", isLate ? 0 : error);
    if (one.capture().isOnly()) {
      SessionFailure.check("EnableTraceEx2", control.disable(handle, one.guid()));
    }
    return isLate ? Optional.of(Missing.late(one.guid())) : Optional.empty();
  }
}
