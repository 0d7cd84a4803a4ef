package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Form in which a version of Windows takes the request for a session of the kernel. */
public enum KernelSessionKind {
  /** Windows Vista: the one session, with an extension for all that EnableFlags cannot say. */
  EXTENSION,

  /** Windows 7: the one session; stacks are set afterwards, groups are in an extension. */
  KERNEL_LOGGER,

  /**
   * Windows 8 and later: up to eight sessions of any name; stacks and groups are set afterwards.
   */
  SYSTEM_LOGGER;

  private static final int VISTA = 6;

  /**
   * Returns the one of a version.
   *
   * @param major as in 6 of Windows 7, 10 of Windows 11
   * @param minor as in 1 of Windows 7
   * @throws CannotGoOn if that is before Windows Vista
   */
  public static KernelSessionKind of(int major, int minor) {
    if (major < VISTA) {
      throw CannotGoOn.impossible(
          "recording needs Windows Vista or later; this is version %d.%d".formatted(major, minor),
          "");
    }
    if (major > VISTA || minor > 1) {
      return SYSTEM_LOGGER;
    }
    return minor == 1 ? KERNEL_LOGGER : EXTENSION;
  }

  /** Returns whether it has intervals, counters, branches and a cache of stacks to be set. */
  public boolean hasSettings() {
    return this == SYSTEM_LOGGER;
  }

  /** Returns Windows' own limit of a buffer in KiB (EVENT_TRACE_PROPERTIES, as documented). */
  public int mostKibibytes() {
    return this == SYSTEM_LOGGER ? 16_384 : 1024;
  }

  /** Returns the name that a session has: before Windows 8 there is only one. */
  public String session(String wanted) {
    return this == SYSTEM_LOGGER ? wanted : SessionState.KERNEL_NAME;
  }

  /** Returns what the session is started with. */
  public SessionProperties properties(KernelRequest request) {
    boolean isOne = this != SYSTEM_LOGGER;
    return new SessionProperties(
        session(request.name()),
        request.file(),
        isOne ? SessionState.KERNEL : Guid.ZERO,
        request.buffers(),
        request.mode() | (isOne ? 0 : SessionMode.SYSTEM_LOGGER),
        request.mebibytes(),
        0,
        request.groups().word(0),
        extension(request),
        OptionalLong.empty());
  }

  private Optional<FlagExtension> extension(KernelRequest request) {
    boolean isNeeded =
        switch (this) {
          case EXTENSION ->
              !isInFlags(request.groups())
                  || !request.stacks().isEmpty()
                  || !request.more().poolTags().isEmpty();
          case KERNEL_LOGGER ->
              !isInFlags(request.groups()) || !request.more().poolTags().isEmpty();
          case SYSTEM_LOGGER -> false;
        };
    if (!isNeeded) {
      return Optional.empty();
    }
    FlagExtension extension = new FlagExtension().groups(request.groups());
    List<StackEvent> stacks = request.stacks();
    if (this == EXTENSION && !stacks.isEmpty()) {
      extension = extension.stacks(stacks);
    }
    List<Integer> tags = request.more().poolTags();
    return Optional.of(tags.isEmpty() ? extension : extension.poolTags(tags));
  }

  /** Returns whether EnableFlags can say all groups. */
  private static boolean isInFlags(GroupMask groups) {
    return groups.without(GroupMask.of(groups.word(0))).isEmpty();
  }

  /** Returns whether tags of pool allocations are set when the session runs. */
  boolean setsPoolTags() {
    return this == SYSTEM_LOGGER;
  }

  /** Returns what is set when the session runs, in this order. */
  public List<TraceSetting> settings(KernelRequest request) {
    List<TraceSetting> settings = new ArrayList<>();
    if (this != EXTENSION && !request.stacks().isEmpty()) {
      settings.add(TraceSetting.stacks(request.stacks()));
    }
    if (this == SYSTEM_LOGGER) {
      settings.add(TraceSetting.groups(request.groups()));
    }
    settings.addAll(request.more().session());
    return settings;
  }
}
