package io.ntrail.cli.common;

import org.jspecify.annotations.Nullable;

/** Names of the builds of Windows. A server and a client of one build look the same. */
public final class WindowsVersions {
  private record Build(long number, String client, String server) {
    String name(@Nullable String product) {
      if (product != null) {
        boolean isServer = server.isEmpty() || client.isEmpty() || product.contains("Server");
        return isServer && !server.isEmpty() ? "Windows " + server : "Windows " + client;
      }
      // Versions that Windows reports to programs without a manifest for newer ones: mergers pass
      // that on.
      return number == WINDOWS_8
          ? "Windows 8 or later"
          : "Windows " + client + (client.isEmpty() || server.isEmpty() ? "" : " or ") + server;
    }
  }

  private static final int WINDOWS_8 = 9200;

  // @formatter:off
  private static final Build[] BUILDS = {
    new Build(6000,  "Vista", ""),
    new Build(6001,  "Vista SP1", "Server 2008"),
    new Build(6002,  "Vista SP2", "Server 2008 SP2"),
    new Build(7600,  "7", "Server 2008 R2"),
    new Build(7601,  "7 SP1", "Server 2008 R2 SP1"),
    new Build(WINDOWS_8, "8", "Server 2012"),
    new Build(9600,  "8.1", "Server 2012 R2"),
    new Build(10240, "10 1507", ""),
    new Build(10586, "10 1511", ""),
    new Build(14393, "10 1607", "Server 2016"),
    new Build(15063, "10 1703", ""),
    new Build(16299, "10 1709", ""),
    new Build(17134, "10 1803", ""),
    new Build(17763, "10 1809", "Server 2019"),
    new Build(18362, "10 1903", ""),
    new Build(18363, "10 1909", ""),
    new Build(19041, "10 2004", ""),
    new Build(19042, "10 20H2", ""),
    new Build(19043, "10 21H1", ""),
    new Build(19044, "10 21H2", ""),
    new Build(19045, "10 22H2", ""),
    new Build(20348, "", "Server 2022"),
    new Build(22000, "11 21H2", ""),
    new Build(22621, "11 22H2", ""),
    new Build(22631, "11 23H2", ""),
    new Build(26100, "11 24H2", "Server 2025"),
    new Build(26200, "11 25H2", ""),
  };

  // @formatter:on

  private WindowsVersions() {}

  /**
   * {@code Windows 11 23H2 (10.0.22631)}; without a name if the build is none that was sold.
   *
   * @param version what is before the build: {@code 10.0.}
   * @param product name of the product as the registry has it, which distinguishes servers from
   *     clients; null if unknown
   */
  public static String text(String version, long build, @Nullable String product) {
    String numbers = version + build;
    for (Build known : BUILDS) {
      if (known.number == build) {
        return known.name(product) + " (" + numbers + ")";
      }
    }
    return "Windows " + numbers;
  }
}
