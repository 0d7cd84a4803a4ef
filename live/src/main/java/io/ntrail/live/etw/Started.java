package io.ntrail.live.etw;

import io.ntrail.live.etw.StateRundown.Missing;
import java.util.List;
import java.util.Optional;

/**
 * Session that was started.
 *
 * @param state right after its start
 * @param replaced last state of the session that was stopped for it; empty if none was
 * @param missing states that providers were asked for and have not told in time
 */
public record Started(SessionState state, Optional<SessionState> replaced, List<Missing> missing) {
  /** Keeps the list from changes. */
  public Started {
    missing = List.copyOf(missing);
  }
}
