package io.ntrail.formats.identity;

import java.util.List;

/**
 * Facts that a running Windows tells about itself and that recordings of it have, too: by some of
 * them it is recognised, the others are what a merge adds to a recording.
 *
 * @param bootTime FILETIME of its boot, as headers of recordings have it
 * @param ticksPerSecond of its performance counter
 * @param build number of Windows
 * @param names of the machine, each in any case: NetBIOS name, name of the host
 * @param systemDirectory as in {@code C:\Windows\system32}; empty if unknown
 * @param windowsDirectory as in {@code C:\Windows\}; empty if unknown
 * @param installed FILETIME of its installation
 * @param buildLab build with branch and date; empty if unknown
 * @param productName as in {@code Windows 10 Enterprise}; empty if unknown
 * @param volumes that have drive letters, by letter
 */
public record RunningWindows(
    long bootTime,
    long ticksPerSecond,
    int build,
    List<String> names,
    String systemDirectory,
    String windowsDirectory,
    long installed,
    String buildLab,
    String productName,
    List<Volume> volumes) {
  /** Copies the lists. */
  public RunningWindows {
    names = List.copyOf(names);
    volumes = List.copyOf(volumes);
  }

  /**
   * A volume with a drive letter.
   *
   * @param device its path for the kernel, as in {@code \Device\HarddiskVolume3\}
   * @param drive its path for people, as in {@code C:\}
   */
  public record Volume(String device, String drive) {}
}
