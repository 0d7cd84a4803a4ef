package io.ntrail.analysis.etw.events;

import io.ntrail.formats.identity.Guid;
import org.jspecify.annotations.Nullable;

/** The one way to call a type of event on the screen. */
public final class EventDisplayName {
  /** Provider of all events of the kernel logger. */
  public static final String KERNEL = "Windows Kernel";

  /** Provider of what a merge adds. */
  static final String MERGE = "KernelTraceControl";

  private EventDisplayName() {}

  /** Returns true if events of a provider are named by their task alone. */
  static boolean byTask(@Nullable String provider) {
    return KERNEL.equals(provider) || MERGE.equals(provider);
  }

  /**
   * Returns the source of an event: the task of kernel events and of a merge's events, else the
   * provider.
   */
  public static String source(Guid guid, @Nullable String provider, @Nullable String event) {
    if (event != null && byTask(provider)) {
      int slash = event.indexOf('/');
      return slash < 0 ? event : event.substring(0, slash);
    }
    if (provider != null) {
      return provider;
    }
    return guid.equals(Guid.ZERO) ? "(no provider)" : guid.toString();
  }

  /**
   * Returns true for stack records of the kernel logger and what defines their keys: they are
   * attached to their events, and no events themselves.
   */
  static boolean isStackRecord(@Nullable String provider, @Nullable String event) {
    return KERNEL.equals(provider) && event != null && event.startsWith("StackWalk/");
  }

  /**
   * Returns true for records about the recording and the machine, which tell of no process though
   * the recorder or a merge wrote them.
   */
  public static boolean isOfRecorder(@Nullable String provider, @Nullable String event) {
    return MERGE.equals(provider)
        || KERNEL.equals(provider)
            && event != null
            && (event.startsWith("EventTrace/") || event.startsWith("SystemConfig/"));
  }

  /** {@code FileIo/Read}, {@code Provider/Event}, {@code Provider/143 v2}. */
  public static String text(
      Guid guid,
      @Nullable String provider,
      @Nullable String event,
      int id,
      int opcode,
      int version) {
    if (event != null && byTask(provider)) {
      return event;
    }
    StringBuilder name = new StringBuilder(source(guid, provider, event)).append('/');
    if (event != null) {
      return name.append(event).toString();
    }
    name.append(id);
    if (opcode != 0) {
      name.append(" opcode ").append(opcode);
    }
    if (version != 0) {
      name.append(" v").append(version);
    }
    return name.toString();
  }
}
