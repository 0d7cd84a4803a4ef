package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Memory that the process used (MINIDUMP_PROCESS_VM_COUNTERS_1 and _2); all in bytes but for the
 * number of page faults.
 *
 * @param peakVirtual in revision 2 alone
 * @param virtual in revision 2 alone
 * @param privateUsage in the first revision only if it was recorded
 */
public record ProcessVmCounters(
    int revision,
    long pageFaults,
    long peakWorkingSet,
    long workingSet,
    long pagefile,
    long peakPagefile,
    OptionalLong peakVirtual,
    OptionalLong virtual,
    long privateUsage) {
  private static final int REVISION_2 = 2;

  /** Returns what a dump has. */
  public static Optional<ProcessVmCounters> of(Minidump dump) {
    return dump.read(
        StreamType.PROCESS_VM_COUNTERS, Optional.empty(), bytes -> Optional.of(read(bytes)));
  }

  private static ProcessVmCounters read(Bytes bytes) {
    boolean isSecond = bytes.u16(0) >= REVISION_2;
    return new ProcessVmCounters(
        bytes.u16(0),
        bytes.u32(4),
        bytes.i64(8),
        bytes.i64(16),
        bytes.i64(56),
        bytes.i64(64),
        isSecond ? OptionalLong.of(bytes.i64(72)) : OptionalLong.empty(),
        isSecond ? OptionalLong.of(bytes.i64(80)) : OptionalLong.empty(),
        bytes.i64(isSecond ? 88 : 72));
  }
}
