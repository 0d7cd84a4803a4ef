package io.ntrail.live.etw;

import java.util.Optional;

/**
 * Session that was started.
 *
 * @param state right after its start
 * @param replaced last state of the session that was stopped for it; empty if none was
 */
public record Started(SessionState state, Optional<SessionState> replaced) {}
