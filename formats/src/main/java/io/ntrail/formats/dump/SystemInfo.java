package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.context.ProcessorArchitecture;

/**
 * Processor and operating system (MINIDUMP_SYSTEM_INFO).
 *
 * @param architecture of the process, as its writer saw it
 * @param architectureNumber as stored
 * @param level family of the processor
 * @param revision model and stepping of the processor
 * @param processors how many there are
 * @param productType 1 workstation, 2 domain controller, 3 server; 0 unknown
 * @param major version of the system
 * @param minor version of the system
 * @param build build of the system
 * @param platform 2 Windows NT; others of Breakpad: {@link #isWindows}
 * @param servicePack text, or that of another system; empty if there is none
 * @param suite bits of VER_SUITE_
 * @param vendor of an x86 processor; empty if unknown
 */
public record SystemInfo(
    ProcessorArchitecture architecture,
    int architectureNumber,
    int level,
    int revision,
    int processors,
    int productType,
    long major,
    long minor,
    long build,
    long platform,
    String servicePack,
    int suite,
    String vendor) {
  static final int LEAST = 32;
  private static final int WITH_CPU = 56;
  private static final int WINDOWS_NT = 2;
  private static final int LAST_OF_WINDOWS = 3;

  static SystemInfo read(Bytes bytes, String servicePack) {
    ProcessorArchitecture architecture = ProcessorArchitecture.of(bytes.u16(0));
    boolean hasVendor = bytes.length() >= WITH_CPU && "x86".equals(architecture.word());
    String vendor = hasVendor ? bytes.latin1z(32, 44) : "";
    return new SystemInfo(
        architecture,
        bytes.u16(0),
        bytes.u16(2),
        bytes.u16(4),
        bytes.u8(6),
        bytes.u8(7),
        bytes.u32(8),
        bytes.u32(12),
        bytes.u32(16),
        bytes.u32(20),
        servicePack,
        bytes.u16(28),
        vendor.chars().allMatch(c -> c >= ' ' && c < 0x7F) ? vendor : "");
  }

  /** Returns true for Windows: 0 to 3, of which all since Windows 2000 are 2. */
  public boolean isWindows() {
    return platform <= LAST_OF_WINDOWS;
  }

  /** Returns true for Windows NT and all that came after it. */
  public boolean isWindowsNt() {
    return platform == WINDOWS_NT;
  }

  /** Returns the name of a system other than Windows, as Breakpad numbers them. */
  public String otherSystem() {
    return switch ((int) platform) {
      case 0x8000 -> "Unix";
      case 0x8101 -> "macOS";
      case 0x8102 -> "iOS";
      case 0x8201 -> "Linux";
      case 0x8202 -> "Solaris";
      case 0x8203 -> "Android";
      case 0x8204 -> "PlayStation 3";
      case 0x8205 -> "NaCl";
      case 0x8206 -> "Fuchsia";
      default -> "platform 0x" + Long.toHexString(platform);
    };
  }
}
