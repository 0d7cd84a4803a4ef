package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.List;

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
   * @param before sessions of the same recording, which are stopped if this one cannot be started
   * @throws CannotGoOn if it cannot be started, or a provider not be enabled; the message tells
   *     what is left
   */
  public Started start(ProviderSessionRequest request, boolean takesOver, List<Started> before) {
    try {
      return SessionLaunch.start(
          control,
          request.properties(),
          takesOver,
          handle -> SessionLaunch.enable(control, handle, request.providers()));
    } catch (CannotGoOn e) {
      CannotGoOn failed = e;
      for (Started other : before) {
        failed = SessionLaunch.undone(control, other, failed);
      }
      throw failed;
    }
  }
}
