package io.ntrail.live.etw;

import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.live.etw.SessionProperties.Buffers;
import java.util.List;

/**
 * Request for a session of the kernel, whatever the version of Windows.
 *
 * @param name of the session, where the version lets it be chosen
 * @param file path of the recording
 * @param buffers memory for events
 * @param mode bits of {@link SessionMode}
 * @param mebibytes size of the file at which it ends or begins anew
 * @param groups what is logged
 * @param stacks events with stacks
 * @param interval of samples in units of 100 ns; 0: as it is
 */
public record KernelRequest(
    String name,
    String file,
    Buffers buffers,
    int mode,
    int mebibytes,
    GroupMask groups,
    List<StackEvent> stacks,
    int interval) {
  /** Keeps the list from changes. */
  public KernelRequest {
    stacks = List.copyOf(stacks);
  }
}
