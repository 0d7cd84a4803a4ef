package io.ntrail.live.etw;

import io.ntrail.formats.registry.RegistryChanges;
import java.util.List;

/**
 * Session of providers that Windows starts when it boots, from a key in the registry: an
 * autologger, with a key below its own for each provider.
 *
 * <p>Source: Microsoft's page on AutoLogger sessions. Filters and states of providers are not in
 * it.
 *
 * @param file path on the recorded machine; empty: that which Windows chooses
 * @param mebibytes size of the file at which recording ends
 * @param providers that log into it
 */
public record BootProviders(String file, int mebibytes, List<ProviderRequest> providers) {
  /** Name by which it is stopped. */
  public static final String SESSION = "ntrail-boot-user";

  /** Its key. */
  public static final String KEY =
      "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\WMI\\Autologger\\" + SESSION;

  /** Identity: any, but always the same, so that it can be found. */
  private static final String GUID = "{5c3d1f0e-7a42-4b6e-9a0d-6e7472617501}";

  private static final int BUFFER_KIB = 256;
  private static final int LEAST_BUFFERS = 32;
  private static final int MOST_BUFFERS = 128;

  /** QueryPerformanceCounter. */
  private static final int CLOCK = 1;

  /** Keeps the list from changes. */
  public BootProviders {
    providers = List.copyOf(providers);
  }

  /** Returns the path that Windows chooses. */
  public static String defaultFile() {
    return "%SystemRoot%\\System32\\LogFiles\\WMI\\" + SESSION + ".etl";
  }

  /** Returns the path of the recording on the recorded machine. */
  public String recording() {
    return file.isEmpty() ? defaultFile() : file;
  }

  /** Sets it up. */
  public void set(RegistryChanges to) {
    to.key(KEY).number("Start", 1).string("GUID", GUID);
    if (!file.isEmpty()) {
      to.string("FileName", file);
    }
    to.number("BufferSize", BUFFER_KIB)
        .number("MinimumBuffers", LEAST_BUFFERS)
        .number("MaximumBuffers", MOST_BUFFERS)
        .number("ClockType", CLOCK)
        .number("MaxFileSize", mebibytes)
        .number("LogFileMode", SessionMode.SEQUENTIAL);
    for (ProviderRequest one : providers) {
      to.key(KEY + "\\{" + one.guid() + "}")
          .number("Enabled", 1)
          .number("EnableLevel", one.level())
          .wide("MatchAnyKeyword", one.keywords())
          .number("EnableProperty", one.properties());
    }
  }

  /** Removes what was set up; no error if nothing was. */
  public static void remove(RegistryChanges from) {
    from.deleteKey(KEY);
  }
}
