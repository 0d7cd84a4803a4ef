package io.ntrail.cli.info;

import io.ntrail.analysis.etw.machine.SystemConfiguration;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.common.WindowsVersions;
import io.ntrail.formats.etl.LogFileHeader;
import org.jspecify.annotations.Nullable;

/**
 * The recorded machine from its records, and where they lack it, from the header of the first file
 * does.
 *
 * @param hardware from the records
 * @param major Windows version; 0 if unknown
 * @param minor Windows version
 * @param build build of Windows; 0 if unknown
 * @param pointerBytes 4 or 8; 0 if unknown
 * @param processors number of logical processors; 0 if unknown
 * @param megahertz nominal speed; 0 if unknown
 */
record WindowsMachine(
    SystemConfiguration hardware,
    int major,
    int minor,
    long build,
    int pointerBytes,
    long processors,
    long megahertz) {
  /** Windows 10 and all that came after it have the version 10.0 from this build on. */
  private static final long FIRST_OF_10 = 10240;

  static WindowsMachine of(EtwRecording recording, SystemConfiguration hardware) {
    LogFileHeader header = recording.files().getFirst().header().orElse(null);
    long build = hardware.build();
    // The header's version is what Windows reports to a merger without a manifest for newer
    // versions; where both name the same build, it is right.
    boolean asHeader = header != null && (build == 0 || build == header.providerVersion());
    int major = 0;
    int minor = 0;
    if (header != null && asHeader) {
      major = header.osMajor();
      minor = header.osMinor();
      build = header.providerVersion();
    } else if (build >= FIRST_OF_10) {
      major = 10;
    }
    long processors = hardware.processors();
    // A session with one stream of buffers says that there is one processor.
    int oneStream = LogFileHeader.EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING;
    if (processors == 0 && header != null && (header.logFileMode() & oneStream) == 0) {
      processors = header.processors();
    }
    return new WindowsMachine(
        hardware,
        major,
        minor,
        build,
        header == null ? 0 : header.pointerBytes(),
        processors,
        hardware.megahertz() > 0 || header == null ? hardware.megahertz() : header.cpuSpeedInMHz());
  }

  /** Returns the product name with its version; null if unknown. */
  @Nullable String windows() {
    if (build == 0 && major == 0) {
      return null;
    }
    return WindowsVersions.text(
        major == 0 ? "" : major + "." + minor + ".",
        build,
        hardware.build() == 0 ? null : hardware.productName());
  }

  /** {@code x64}, or how wide its pointers are; null if unknown. */
  @Nullable String architecture() {
    String known = hardware.architecture();
    return known != null ? known : pointerBytes == 0 ? null : pointerBytes * 8 + "-bit";
  }
}
