package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.StateRundown.Missing;
import java.util.List;
import java.util.Optional;

/** Starts sessions of providers, which need no privilege beyond the right to have sessions. */
public final class ProviderRecorder {
  private final SessionControl control;
  private final Optional<MachineRegistry> registry;

  /** Records with the calls of a system; states are asked for at the start alone. */
  public ProviderRecorder(SessionControl control) {
    this.control = control;
    this.registry = Optional.empty();
  }

  /** Records with the calls and the registry of a system. */
  public ProviderRecorder(SessionControl control, MachineRegistry registry) {
    this.control = control;
    this.registry = Optional.of(registry);
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
          control, request.properties(), takesOver, handle -> setUp(handle, request));
    } catch (CannotGoOn e) {
      CannotGoOn failed = e;
      for (Started other : before) {
        failed = SessionLaunch.undone(control, other, failed);
      }
      throw failed;
    }
  }

  private List<Missing> setUp(long handle, ProviderSessionRequest request) {
    try {
      registry.ifPresent(its -> SessionMemo.of(request.providers()).write(its, request.name()));
      return SessionLaunch.enable(control, handle, request.providers());
    } catch (CannotGoOn e) {
      registry.ifPresent(its -> SessionMemo.forget(its, request.name()));
      throw e;
    }
  }
}
