package io.ntrail.cli.record;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.HeapRecorder;
import io.ntrail.live.etw.SessionMemo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Entries of the registry that sessions left behind which ended by themselves: Windows goes on
 * tracing the heaps of a program until they are removed.
 */
public final class SessionLeftovers {
  private static final List<String> SESSIONS = List.of(SessionStarter.USER, SessionStarter.HEAP);

  private SessionLeftovers() {}

  /** Removes them; returns in words what was removed, or why not. */
  static List<String> removed(Sessions sessions) {
    List<String> told = new ArrayList<>();
    for (String session : SESSIONS) {
      Optional<SessionMemo> left = left(sessions, session);
      if (left.isPresent()) {
        String program = left.get().program();
        try {
          sessions.starter().ended(session);
          if (!program.isEmpty()) {
            told.add("%s: it is deleted now".formatted(text(session, program)));
          }
        } catch (CannotGoOn e) {
          told.add("%s, and stays: %s".formatted(text(session, program), e.message()));
        }
      }
    }
    return told;
  }

  /**
   * Returns them in words, with the commands that remove them; nothing is changed.
   *
   * @throws CannotGoOn if the machine is no Windows, or does not answer
   */
  public static List<String> on(RecordMachine machine) {
    return machine.ask(sessions -> {
      List<String> told = new ArrayList<>();
      for (String session : SESSIONS) {
        left(sessions, session)
            .map(SessionMemo::program)
            .filter(program -> !program.isEmpty())
            .ifPresent(program ->
                told.add(
                    "%s: ntrail record list deletes it, or %s"
                        .formatted(text(session, program), HeapRecorder.undo(program))));
      }
      return told;
    });
  }

  private static String text(String session, String program) {
    return "%s ended by itself and left TracingFlags of %s".formatted(session, program);
  }

  /** Returns what is kept for a session that does not run; empty if nothing is, or it may run. */
  private static Optional<SessionMemo> left(Sessions sessions, String session) {
    SessionMemo memo = SessionMemo.read(sessions.registry(), session);
    if (memo.isEmpty()) {
      return Optional.empty();
    }
    try {
      return sessions.recorder().find(session).isPresent() ? Optional.empty() : Optional.of(memo);
    } catch (CannotGoOn e) {
      // Who may not ask does not know that it has ended.
      return Optional.empty();
    }
  }
}
