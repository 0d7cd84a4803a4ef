package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.SessionControl.Reply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

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
   * @param setUp is given the handle; the session is stopped again if it fails
   * @throws CannotGoOn if it cannot be started; the session in the way is named
   */
  static Started start(
      SessionControl control, SessionProperties properties, boolean takesOver, LongConsumer setUp) {
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
    try {
      SessionFailure.check("StartTrace", reply.error());
      setUp(control, reply.state().handle(), setUp, properties.name());
    } catch (CannotGoOn e) {
      throw forNothing(replaced, e);
    }
    return new Started(reply.state(), replaced);
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
  private static void setUp(SessionControl control, long handle, LongConsumer setUp, String name) {
    try {
      setUp.accept(handle);
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

  /** Enables providers in a session, and asks those for their states that are to tell them now. */
  static void enable(SessionControl control, long handle, List<ProviderRequest> providers) {
    for (ProviderRequest one : providers) {
      try {
        enable(control, handle, one);
      } catch (CannotGoOn e) {
        throw told(e, "; provider " + one.name(), e.nextStep());
      }
    }
  }

  private static void enable(SessionControl control, long handle, ProviderRequest one) {
    OptionalLong state = one.capture().atStart();
    if (!one.capture().isOnly() || state.isPresent()) {
      int error = control.enable(handle, one.guid(), one.level(), one.keywords(), one.parameters());
      SessionFailure.check("EnableTraceEx2", error);
    }
    if (state.isPresent()) {
      int error = control.capture(handle, one.guid(), one.level(), state.getAsLong());
      // A provider that answers late still answers: the session goes on.
      SessionFailure.check("EnableTraceEx2", error == SessionFailure.TIMEOUT ? 0 : error);
      if (one.capture().isOnly()) {
        SessionFailure.check("EnableTraceEx2", control.disable(handle, one.guid()));
      }
    }
  }
}
