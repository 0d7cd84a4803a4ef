package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.StateRundown.Missing;
import java.util.List;

/** Starts sessions of the heaps of programs, and undoes what they leave in the registry. */
public final class HeapRecorder {
  private final SessionControl control;
  private final MachineRegistry registry;

  /** Records with the calls and the registry of a system. */
  public HeapRecorder(SessionControl control, MachineRegistry registry) {
    this.control = control;
    this.registry = registry;
  }

  /**
   * Starts a session. A program that is traced from its start is noted, so that the end of the
   * session ends that, too.
   *
   * @param takesOver whether a session of that name is stopped
   * @param before sessions of the same recording, which are stopped if this one cannot be started
   * @throws CannotGoOn if it cannot be started; the message tells what is left
   */
  public Started start(HeapRequest request, boolean takesOver, List<Started> before) {
    try {
      // It helps where Windows asks for it; what is missing shows in the call itself.
      control.enablePrivilege(SessionControl.PROFILE_PRIVILEGE);
      return SessionLaunch.start(control, request.properties(), takesOver, _ -> program(request));
    } catch (CannotGoOn e) {
      CannotGoOn failed = e;
      for (Started other : before) {
        failed = SessionLaunch.undone(control, other, failed);
      }
      throw failed;
    }
  }

  private List<Missing> program(HeapRequest request) {
    // A session that ended by itself left its own.
    ended(request.name());
    if (request.program().isEmpty()) {
      return List.of();
    }
    // Noted first: what is not noted is never undone.
    new SessionMemo(request.program(), List.of()).write(registry, request.name());
    try {
      if (!HeapRequest.trace(registry, request.program())) {
        SessionMemo.forget(registry, request.name());
      }
    } catch (CannotGoOn e) {
      SessionMemo.forget(registry, request.name());
      throw e;
    }
    return List.of();
  }

  /** Returns the command that undoes by hand what a session leaves in the registry. */
  public static String undo(String program) {
    return HeapRequest.undo(program);
  }

  /** Undoes what a session that has ended left in the registry. */
  public void ended(String session) {
    String program = SessionMemo.read(registry, session).program();
    if (!program.isEmpty()) {
      HeapRequest.forget(registry, program);
    }
    SessionMemo.forget(registry, session);
  }
}
