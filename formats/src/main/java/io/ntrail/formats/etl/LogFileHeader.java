package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;

/**
 * {@code TRACE_LOGFILE_HEADER}, the payload of a recording's first record.
 *
 * @param pointerBytes width of the fields LoggerName and LogFileName, from the record's kind
 * @param bufferSize the session's buffer size in bytes
 * @param osMajor Windows version
 * @param osMinor Windows version
 * @param logMajor log format version, 1 or 2
 * @param logMinor log format version
 * @param providerVersion build of Windows
 * @param processors number of processors; 1 for sessions without buffers per processor
 * @param endTime FILETIME; 0 if the recording was never finalised
 * @param timerResolution in 100 ns
 * @param maximumFileSize in MB, or KB if the mode has 0x2000
 * @param logFileMode {@code EVENT_TRACE_*_MODE} bits
 * @param buffersWritten number of buffers with the header's; 0 if never finalised
 * @param startBuffers always 1
 * @param pointerSize pointer width of the machine as the field says
 * @param eventsLost events that the session lost
 * @param cpuSpeedInMHz nominal speed
 * @param timeZone zone of the machine
 * @param bootTime FILETIME
 * @param perfFreq ticks of the performance counter a second
 * @param startTime FILETIME
 * @param clockType {@code ReservedFlags}: 1 QPC, 2 system time, 3 CPU cycles
 * @param buffersLost buffers that the session lost
 * @param sessionName name of the session
 * @param logFileName name of the file as the session knew it
 */
public record LogFileHeader(
    int pointerBytes,
    long bufferSize,
    int osMajor,
    int osMinor,
    int logMajor,
    int logMinor,
    long providerVersion,
    long processors,
    long endTime,
    long timerResolution,
    long maximumFileSize,
    int logFileMode,
    long buffersWritten,
    long startBuffers,
    long pointerSize,
    long eventsLost,
    long cpuSpeedInMHz,
    TimeZoneInformation timeZone,
    long bootTime,
    long perfFreq,
    long startTime,
    int clockType,
    long buffersLost,
    String sessionName,
    String logFileName) {

  /** EVENT_TRACE_FILE_MODE_CIRCULAR. */
  public static final int EVENT_TRACE_FILE_MODE_CIRCULAR = 0x2;

  /** EVENT_TRACE_FILE_MODE_APPEND. */
  public static final int EVENT_TRACE_FILE_MODE_APPEND = 0x4;

  /** EVENT_TRACE_RELOG_MODE: a merger or another tool wrote the file again. */
  public static final int EVENT_TRACE_RELOG_MODE = 0x10000;

  /** EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING: one stream of buffers for all processors. */
  public static final int EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING = 0x1000_0000;

  /** Greatest number of lost events, or buffers, that a header can count. */
  public static final long MOST_LOST = 0xFFFF_FFFFL;

  /** EVENT_TRACE_USE_KBYTES_FOR_SIZE. */
  public static final int EVENT_TRACE_USE_KBYTES_FOR_SIZE = 0x2000;

  /**
   * Reads the payload.
   *
   * @param bytes window that holds it
   * @param at where it begins
   * @param end where it ends
   * @param pointerBytes 4 for a SYSTEM32 record, 8 for SYSTEM64
   */
  public static LogFileHeader read(Bytes bytes, int at, int end, int pointerBytes) {
    int zone = at + 56 + 2 * pointerBytes;
    int boot = zone + 176;
    int names = boot + 32;
    int firstName = bytes.utf16Length(Math.min(names, end), end);
    int second = Math.min(end, names + 2 * firstName + 2);
    return new LogFileHeader(
        pointerBytes,
        bytes.u32(at),
        bytes.u8(at + 4),
        bytes.u8(at + 5),
        bytes.u8(at + 6),
        bytes.u8(at + 7),
        bytes.u32(at + 8),
        bytes.u32(at + 12),
        bytes.i64(at + 16),
        bytes.u32(at + 24),
        bytes.u32(at + 28),
        bytes.i32(at + 32),
        bytes.u32(at + 36),
        bytes.u32(at + 40),
        bytes.u32(at + 44),
        bytes.u32(at + 48),
        bytes.u32(at + 52),
        TimeZoneInformation.read(bytes, zone),
        bytes.i64(boot),
        bytes.i64(boot + 8),
        bytes.i64(boot + 16),
        bytes.i32(boot + 24),
        bytes.u32(boot + 28),
        bytes.utf16(Math.min(names, end), firstName),
        bytes.utf16z(second, end));
  }

  /** Returns true if the session ended in an orderly way and completed this header. */
  public boolean finalised() {
    return endTime != 0;
  }

  /** Bytes that the file may grow to; 0 if unlimited or unknown. */
  long maximumBytes() {
    long unit = (logFileMode & EVENT_TRACE_USE_KBYTES_FOR_SIZE) != 0 ? 1 << 10 : 1 << 20;
    return maximumFileSize * unit;
  }
}
