package io.ntrail.live.etw;

import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.SessionProperties.Buffers;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Session of providers that is to be started.
 *
 * @param name of the session
 * @param file path of the recording
 * @param buffers memory for events
 * @param mode bits of {@link SessionMode}
 * @param mebibytes size of the file at which it ends or begins anew; 0: none
 * @param providers that log into it
 */
public record ProviderSessionRequest(
    String name,
    String file,
    Buffers buffers,
    int mode,
    int mebibytes,
    List<ProviderRequest> providers) {
  /** Keeps the list from changes. */
  public ProviderSessionRequest {
    providers = List.copyOf(providers);
  }

  /** Returns what the session is started with. */
  SessionProperties properties() {
    return new SessionProperties(
        name,
        file,
        Guid.ZERO,
        buffers,
        mode,
        mebibytes,
        0,
        0,
        Optional.empty(),
        OptionalLong.empty());
  }
}
