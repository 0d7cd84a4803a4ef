package io.ntrail.cli.record;

import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.etw.SessionState;
import io.ntrail.live.etw.SessionState.Lost;
import java.util.Optional;

/** Tells of losses while they happen: whenever Windows counts more of them than before. */
final class LossWatch {
  private final String what;
  private final RecordMachine machine;
  private final Terminal terminal;
  private Optional<SessionState> last = Optional.empty();
  private Lost told = new Lost(0, 0, 0);
  private boolean hasEnded;

  private LossWatch(String what, RecordMachine machine, Terminal terminal) {
    this.what = what;
    this.machine = machine;
    this.terminal = terminal;
  }

  /** Watches the only session of a recording. */
  LossWatch(RecordMachine machine, Terminal terminal) {
    this("", machine, terminal);
  }

  /** Watches one of several sessions, which is named. */
  static LossWatch of(String name, RecordMachine machine, Terminal terminal) {
    return new LossWatch(" of " + name, machine, terminal);
  }

  /**
   * Looks at a session.
   *
   * @param state empty if it does not run any more
   */
  void look(Optional<SessionState> state) {
    if (state.isEmpty()) {
      ended(SessionEnding.of(last, machine));
      return;
    }
    last = state;
    Lost now = state.get().lost();
    if (!now.equals(told)) {
      told = now;
      terminal
          .err()
          .println(
              "warning: %s and %s%s lost so far"
                  .formatted(
                      Numbers.counted(now.events(), "event"),
                      Numbers.counted(now.buffers() + now.realTime(), "buffer"),
                      what));
    }
  }

  /** Tells once that a session has ended. */
  void ended(String why) {
    if (!hasEnded) {
      terminal.err().println("warning: the session%s has ended: %s".formatted(called(), why));
    }
    hasEnded = true;
  }

  private String called() {
    return what.isEmpty() ? "" : what.substring(" of".length());
  }
}
