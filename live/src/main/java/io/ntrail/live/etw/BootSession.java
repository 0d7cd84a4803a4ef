package io.ntrail.live.etw;

import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.formats.registry.RegistryChanges;
import java.util.List;

/**
 * Kernel session that Windows starts when it boots, from a key in the registry.
 *
 * <p>Values are those of keys that xbootmgr wrote; limits are such that a forgotten session cannot
 * fill a disk.
 *
 * @param kind key that it is started from
 * @param file path on the recorded machine; empty: that which Windows chooses
 * @param mebibytes size of the file at which recording ends; 0: none
 * @param groups what is logged
 * @param stacks events with stacks
 */
public record BootSession(
    Kind kind, String file, int mebibytes, GroupMask groups, List<StackEvent> stacks) {
  /** Key that a session is started from. */
  public enum Kind {
    /** The one session of all versions since Vista: it is the NT Kernel Logger. */
    GLOBAL("GlobalLogger", "trace.log"),
    /** System logger of Windows 8 and later, which leaves the NT Kernel Logger to others. */
    AUTOLOGGER("ntrail-boot", "ntrail-boot.etl");

    private final String session;
    private final String file;

    Kind(String session, String file) {
      this.session = session;
      this.file = file;
    }

    /** Returns the name by which it is stopped. */
    public String session() {
      return session;
    }

    /** Returns the path that Windows chooses. */
    public String defaultFile() {
      return "%SystemRoot%\\System32\\LogFiles\\WMI\\" + file;
    }

    /** Returns the key. */
    public String key() {
      return WMI + (this == GLOBAL ? "" : "Autologger\\") + session;
    }
  }

  private static final String WMI = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\WMI\\";

  /** Identity of the autologger: any, but always the same, so that it can be found. */
  private static final String GUID = "{5c3d1f0e-7a42-4b6e-9a0d-6e7472617500}";

  private static final int BUFFER_KIB = 1024;
  private static final int LEAST_BUFFERS = 64;
  private static final int MOST_BUFFERS = 256;

  /** QueryPerformanceCounter. */
  private static final int CLOCK = 1;

  /** EVENT_TRACE_FILE_MODE_SEQUENTIAL: ends when the file is as large as allowed. */
  private static final int SEQUENTIAL = 1;

  /** EVENT_TRACE_SYSTEM_LOGGER_MODE. */
  private static final int SYSTEM_LOGGER = 0x0200_0000;

  /** Keeps the list from changes. */
  public BootSession {
    stacks = List.copyOf(stacks);
  }

  /** Returns the path of the recording on the recorded machine. */
  public String recording() {
    return file.isEmpty() ? kind.defaultFile() : file;
  }

  /** Sets it up. */
  public void set(RegistryChanges to) {
    to.key(kind.key()).number("Start", 1);
    if (kind == Kind.AUTOLOGGER) {
      to.string("GUID", GUID);
    }
    if (!file.isEmpty()) {
      to.string("FileName", file);
    }
    to.binary("EnableKernelFlags", groups.toBytes());
    if (!stacks.isEmpty()) {
      to.binary("StackWalkingFilter", StackEvents.filter(stacks));
    }
    to.number("BufferSize", BUFFER_KIB)
        .number("MinimumBuffers", LEAST_BUFFERS)
        .number("MaximumBuffers", MOST_BUFFERS)
        .number("ClockType", CLOCK)
        .number("MaxFileSize", mebibytes)
        .number("LogFileMode", SEQUENTIAL | (kind == Kind.AUTOLOGGER ? SYSTEM_LOGGER : 0));
  }

  /**
   * Removes what was set up. Of the Global Logger the values that {@link #set} sets and that
   * Windows adds are deleted, as its key may have others; an autologger's key is ours.
   */
  public static void remove(Kind kind, RegistryChanges from) {
    if (kind == Kind.AUTOLOGGER) {
      from.deleteKey(kind.key());
      return;
    }
    from.key(kind.key());
    List.of(
            "Start",
            "FileName",
            "EnableKernelFlags",
            "StackWalkingFilter",
            "BufferSize",
            "MinimumBuffers",
            "MaximumBuffers",
            "ClockType",
            "MaxFileSize",
            "LogFileMode",
            "Status",
            "FileCounter")
        .forEach(from::deleteValue);
  }
}
