package io.ntrail.formats.dump.streams;

import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.Optional;

/**
 * Memory of the machine (MINIDUMP_SYSTEM_MEMORY_INFO_1), of which this is the part with constants.
 *
 * @param pageBytes bytes of a page
 * @param physicalPages pages of memory
 * @param allocationGranularity bytes
 * @param minimumUser first address that programs can use
 * @param maximumUser last address that programs can use
 * @param processors how many are active
 */
public record SystemMemoryInfo(
    long pageBytes,
    long physicalPages,
    long allocationGranularity,
    long minimumUser,
    long maximumUser,
    int processors) {
  /** Returns what a dump has. */
  public static Optional<SystemMemoryInfo> of(Minidump dump) {
    return dump.read(
        StreamType.SYSTEM_MEMORY_INFO,
        Optional.empty(),
        bytes -> {
          return Optional.of(
              new SystemMemoryInfo(
                  bytes.u32(8),
                  bytes.u32(12),
                  bytes.u32(24),
                  bytes.i64(28),
                  bytes.i64(36),
                  bytes.u8(52)));
        });
  }
}
