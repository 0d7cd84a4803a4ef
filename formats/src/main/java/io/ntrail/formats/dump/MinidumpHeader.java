package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;

/**
 * The first 32 bytes of a minidump (MINIDUMP_HEADER).
 *
 * @param version A793h
 * @param implementation of the writer; a number without a meaning for others
 * @param streams entries of the directory
 * @param directory its offset
 * @param checksum 0 if the writer made none
 * @param timestamp seconds since 1970 UTC; 0 if unknown
 * @param flags MINIDUMP_TYPE: {@link DumpFlag}
 */
public record MinidumpHeader(
    int version,
    int implementation,
    long streams,
    long directory,
    long checksum,
    long timestamp,
    long flags) {
  static final int BYTES = 32;

  /** MINIDUMP_VERSION. */
  public static final int VERSION = 0xA793;

  static MinidumpHeader read(Bytes head) {
    return new MinidumpHeader(
        head.u16(4),
        head.u16(6),
        head.u32(8),
        head.u32(12),
        head.u32(16),
        head.u32(20),
        head.i64(24));
  }
}
