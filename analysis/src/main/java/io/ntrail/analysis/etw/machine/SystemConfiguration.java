package io.ntrail.analysis.etw.machine;

import org.jspecify.annotations.Nullable;

/**
 * The machine that was recorded, as records of the class SystemConfig (CPU) and of a merge's
 * SystemConfigEx (BuildInfo) have it; many recordings have neither. Of several machines in one
 * recording the first.
 *
 * @param computerName name; null if unknown
 * @param processors number of logical processors; 0 if unknown
 * @param megahertz nominal speed; 0 if unknown
 * @param memoryMebibytes memory; 0 if unknown
 * @param architecture {@code x86}, {@code x64}, {@code ARM} or {@code ARM64}; null if unknown
 * @param buildLab {@code 26100.4652.amd64fre.ge_release.240331-1435}; null if unknown
 * @param productName as the registry has it, which calls every Windows 11 {@code Windows 10}; null
 *     if unknown
 */
public record SystemConfiguration(
    @Nullable String computerName,
    long processors,
    long megahertz,
    long memoryMebibytes,
    @Nullable String architecture,
    @Nullable String buildLab,
    @Nullable String productName) {

  /**
   * The build of Windows that the build lab begins with; 0 if unknown. The number after it is not
   * the revision: on Windows 10 it stays 1 whatever was updated.
   */
  public long build() {
    String lab = buildLab;
    long number = 0;
    for (int i = 0; lab != null && i < Math.min(9, lab.length()); i++) {
      int digit = lab.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
