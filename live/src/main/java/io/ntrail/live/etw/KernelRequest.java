package io.ntrail.live.etw;

import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.live.etw.SessionProperties.Buffers;
import java.util.List;

/**
 * Session of the kernel that is to be started.
 *
 * @param name of the session; versions before Windows 8 have only {@link SessionState#KERNEL_NAME}
 * @param file path of the recording
 * @param buffers memory for events
 * @param mode bits of {@link SessionMode}
 * @param mebibytes size of the file at which it ends or begins anew; 0: none
 * @param groups that are logged
 * @param stacks events that have stacks
 * @param more what only newer versions of Windows have
 */
public record KernelRequest(
    String name,
    String file,
    Buffers buffers,
    int mode,
    int mebibytes,
    GroupMask groups,
    List<StackEvent> stacks,
    More more) {
  /**
   * Settings that Windows 8 and later have, and providers of the system, which Windows 11 and
   * Server 2022 have.
   *
   * @param machine settings of the machine: intervals, counters by which samples are taken
   * @param session settings of the session, in this order
   * @param providers of the system
   * @param poolTags of the pool allocations that are logged, four characters each; none: all. All
   *     versions have them
   */
  public record More(
      List<TraceSetting> machine,
      List<TraceSetting> session,
      List<ProviderRequest> providers,
      List<Integer> poolTags) {
    /** Nothing more. */
    public static final More NOTHING = new More(List.of(), List.of(), List.of());

    /** Keeps the lists from changes. */
    public More {
      machine = List.copyOf(machine);
      session = List.copyOf(session);
      providers = List.copyOf(providers);
      poolTags = List.copyOf(poolTags);
    }

    /** Makes one that logs all tags. */
    public More(
        List<TraceSetting> machine, List<TraceSetting> session, List<ProviderRequest> providers) {
      this(machine, session, providers, List.of());
    }
  }

  /** Tags of pool allocations that can be chosen, by Windows' own limit. */
  public static final int MOST_TAGS = 4;

  /** Keeps the list from changes. */
  public KernelRequest {
    stacks = List.copyOf(stacks);
  }
}
