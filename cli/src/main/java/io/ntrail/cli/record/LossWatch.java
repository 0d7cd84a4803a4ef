package io.ntrail.cli.record;

import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.etw.SessionState;
import io.ntrail.live.etw.SessionState.Lost;
import java.util.Optional;

/** Tells of losses while they happen: whenever Windows counts more of them than before. */
final class LossWatch {
  private final Terminal terminal;
  private Lost told = new Lost(0, 0, 0);
  private boolean hasEnded;

  LossWatch(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * Looks at a session.
   *
   * @param state empty if it does not run any more
   */
  void look(Optional<SessionState> state) {
    if (state.isEmpty()) {
      if (!hasEnded) {
        terminal.err().println("warning: the session has ended");
      }
      hasEnded = true;
      return;
    }
    Lost now = state.get().lost();
    if (!now.equals(told)) {
      told = now;
      terminal
          .err()
          .println(
              "warning: %s and %s lost so far"
                  .formatted(
                      Numbers.counted(now.events(), "event"),
                      Numbers.counted(now.buffers() + now.realTime(), "buffer")));
    }
  }
}
