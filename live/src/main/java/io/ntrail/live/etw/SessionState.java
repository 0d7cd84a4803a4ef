package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;

/**
 * State of a session, as Windows writes it into EVENT_TRACE_PROPERTIES.
 *
 * @param name of the session
 * @param file path of its recording; empty: none
 * @param handle by which it is controlled; 0 if unknown
 * @param guid of the session
 * @param mode bits of {@link SessionMode}
 * @param flags EnableFlags
 * @param buffers of memory
 * @param used buffers that are not free
 * @param kibibytes size of a buffer
 * @param mebibytes size of the file at which it ends or begins anew; 0: none
 * @param written buffers that were written
 * @param lost what was not recorded
 */
public record SessionState(
    String name,
    String file,
    long handle,
    Guid guid,
    int mode,
    int flags,
    long buffers,
    long used,
    int kibibytes,
    int mebibytes,
    long written,
    Lost lost) {
  /**
   * Losses of a session.
   *
   * @param events for which no buffer was free
   * @param buffers that could not be written
   * @param realTime buffers that no consumer took
   */
  public record Lost(long events, long buffers, long realTime) {}

  /** Kernel session of all versions: 9e814aad-3204-11d2-9a82-006008a86939. */
  public static final Guid KERNEL = Guid.parse("9e814aad-3204-11d2-9a82-006008a86939");

  /** Name of the kernel session of all versions. */
  public static final String KERNEL_NAME = "NT Kernel Logger";

  private static final int LOGGER_THREAD = 0x68;

  /**
   * Reads the structure.
   *
   * @param pointerBytes size of a pointer of the code that made the call, 4 or 8
   */
  public static SessionState read(Bytes bytes, int pointerBytes) {
    int offsets = LOGGER_THREAD + pointerBytes;
    return new SessionState(
        name(bytes, bytes.u32(offsets + Integer.BYTES)),
        name(bytes, bytes.u32(offsets)),
        bytes.i64(0x08),
        Guid.read(bytes, 0x18),
        (int) bytes.u32(0x40),
        (int) bytes.u32(0x48),
        bytes.u32(0x50),
        Math.max(0, bytes.u32(0x50) - bytes.u32(0x54)),
        (int) bytes.u32(0x30),
        (int) bytes.u32(0x3C),
        bytes.u32(0x5C),
        new Lost(bytes.u32(0x58), bytes.u32(0x60), bytes.u32(0x64)));
  }

  /** Returns it with another handle. */
  SessionState withHandle(long other) {
    return new SessionState(
        name, file, other, guid, mode, flags, buffers, used, kibibytes, mebibytes, written, lost);
  }

  /** Returns whether the kernel logs into it. */
  public boolean isKernel() {
    return guid.equals(KERNEL) || (mode & SessionMode.SYSTEM_LOGGER) != 0;
  }

  /** Returns whether events stay in memory until they are asked for. */
  public boolean isInMemory() {
    return (mode & SessionMode.BUFFERING) != 0;
  }

  private static String name(Bytes bytes, long at) {
    return at < SessionProperties.HEAD || at >= bytes.length()
        ? ""
        : bytes.utf16z((int) at, bytes.length());
  }
}
