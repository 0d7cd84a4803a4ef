package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;

/** Starts sessions of providers, which need no privilege beyond the right to have sessions. */
public final class ProviderRecorder {
  private final SessionControl control;

  /** Records with the calls of a system. */
  public ProviderRecorder(SessionControl control) {
    this.control = control;
  }

  /**
   * Starts a session.
   *
   * @param takesOver whether a session of that name is stopped
   * @throws CannotGoOn if it cannot be started, or a provider not be enabled
   */
  public Started start(ProviderSessionRequest request, boolean takesOver) {
    return SessionLaunch.start(
        control,
        request.properties(),
        takesOver,
        handle -> SessionLaunch.enable(control, handle, request.providers()));
  }
}
