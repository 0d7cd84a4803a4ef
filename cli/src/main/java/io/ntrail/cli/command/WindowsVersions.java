package io.ntrail.cli.command;

/** What the builds of Windows are called. A server and a client of one build look the same. */
final class WindowsVersions {
  private record Build(long number, String name) {}

  // @formatter:off
  private static final Build[] BUILDS = {
    new Build(6000,  "Windows Vista"),
    new Build(6001,  "Windows Vista SP1 or Server 2008"),
    new Build(6002,  "Windows Vista SP2 or Server 2008 SP2"),
    new Build(7600,  "Windows 7 or Server 2008 R2"),
    new Build(7601,  "Windows 7 SP1 or Server 2008 R2 SP1"),
    // What Windows tells programs that do not say that they know it: mergers pass that on.
    new Build(9200,  "Windows 8 or later"),
    new Build(9600,  "Windows 8.1 or Server 2012 R2"),
    new Build(10240, "Windows 10 1507"),
    new Build(10586, "Windows 10 1511"),
    new Build(14393, "Windows 10 1607 or Server 2016"),
    new Build(15063, "Windows 10 1703"),
    new Build(16299, "Windows 10 1709"),
    new Build(17134, "Windows 10 1803"),
    new Build(17763, "Windows 10 1809 or Server 2019"),
    new Build(18362, "Windows 10 1903"),
    new Build(18363, "Windows 10 1909"),
    new Build(19041, "Windows 10 2004"),
    new Build(19042, "Windows 10 20H2"),
    new Build(19043, "Windows 10 21H1"),
    new Build(19044, "Windows 10 21H2"),
    new Build(19045, "Windows 10 22H2"),
    new Build(20348, "Windows Server 2022"),
    new Build(22000, "Windows 11 21H2"),
    new Build(22621, "Windows 11 22H2"),
    new Build(22631, "Windows 11 23H2"),
    new Build(26100, "Windows 11 24H2 or Server 2025"),
    new Build(26200, "Windows 11 25H2"),
  };

  // @formatter:on

  private WindowsVersions() {}

  /** {@code Windows 11 23H2 (10.0.22631)}; without a name if the build is none that was sold. */
  static String text(int major, int minor, long build) {
    String numbers = major + "." + minor + "." + build;
    for (Build known : BUILDS) {
      if (known.number == build) {
        return known.name + " (" + numbers + ")";
      }
    }
    return "Windows " + numbers;
  }
}
