package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.math.BigInteger;
import java.time.Instant;

/**
 * Header record of a recording (TRACE_LOGFILE_HEADER, evntrace.h) and framing of its buffers.
 * Starts as a finalised Windows 11 recording of a 64-bit logger; set what differs.
 */
public final class EtlSettings {
  /** LogFileMode bits (evntrace.h EVENT_TRACE_*). */
  public static final int MODE_SEQUENTIAL = 1;

  /** LogFileMode: a ring of buffers. */
  public static final int MODE_CIRCULAR = 2;

  /** LogFileMode: added to an older file. */
  public static final int MODE_APPEND = 4;

  /** LogFileMode: a series of files. */
  public static final int MODE_NEW_FILE = 8;

  /** LogFileMode: the file was made in full before the first event. */
  public static final int MODE_PREALLOCATE = 0x20;

  /** LogFileMode: secure. */
  public static final int MODE_SECURE = 0x80;

  /** LogFileMode: private logger. */
  public static final int MODE_PRIVATE = 0x800;

  /** LogFileMode: sizes in KB. */
  public static final int MODE_KB = 0x2000;

  /** LogFileMode: written by a merger. */
  public static final int MODE_RELOG = 0x10000;

  /** LogFileMode: private in-process logger. */
  public static final int MODE_PRIVATE_IN_PROC = 0x20000;

  /** LogFileMode: system logger. */
  public static final int MODE_SYSTEM_LOGGER = 0x2000000;

  /** LogFileMode: compressed buffers. */
  public static final int MODE_COMPRESSED = 0x4000000;

  /** LogFileMode: one stream instead of one per processor. */
  public static final int MODE_NO_PER_PROCESSOR_BUFFERING = 0x10000000;

  /** Ticks of 100 ns between 1601 and 1970. */
  private static final long FILETIME_OF_1970 = 116_444_736_000_000_000L;

  int pointer = 8;
  int osMajor = 10;
  int osMinor;
  int build = 26100;
  int logMajor = 1;
  int logMinor = 5;
  int processors = 8;
  int bufferSize = 65536;
  int mode = MODE_SEQUENTIAL;
  int clock = 1;
  long perfFreq = 10_000_000;
  int cpuMhz = 2904;
  long startTicks = 3_072_009_292_933L;
  long startTime = fileTime(Instant.parse("2026-03-14T08:26:53.5890000Z"));
  long bootTime = fileTime(Instant.parse("2026-03-10T23:06:52.6600000Z"));
  long endTime = -1;
  long buffersWritten = -1;
  long eventsLost;
  long buffersLost;
  long maximumFileSize;
  int timerResolution = 156_250;
  int startBuffers = 1;
  String sessionName = "shop";
  String logFileName = "C:\\shop\\shop.etl";
  int bias = -60;
  String standardName = "@tzres.dll,-322";
  String daylightName = "@tzres.dll,-321";
  boolean processorIndexFlag = true;
  boolean savedOffsetOfHeader = true;
  int headerLogger = 0x1C;
  int headerBufferSize;
  long ownPid = 7000;
  long ownTid = 7004;
  BufferCompression compression = BufferCompression.NONE;
  int slack = 0xFF;
  boolean cutsRoom;

  private EtlSettings() {}

  /** A Windows 11 recording (26100), log format 1.5, 8 processors, QPC at 10 MHz. */
  public static EtlSettings windows11() {
    return new EtlSettings();
  }

  /** A Windows 7 recording (7601), log format 1.5, processor number in the low byte. */
  public static EtlSettings windows7(int pointer) {
    EtlSettings made = new EtlSettings().pointerSize(pointer).version(6, 1, 7601, 1, 5);
    made.processorIndexFlag = false;
    made.savedOffsetOfHeader = false;
    return made.perfFreq(2_533_281).timerResolution(156_001);
  }

  /** A Vista SP1 recording (6001), log format 1.4. */
  public static EtlSettings vista(int pointer) {
    return windows7(pointer).version(6, 0, 6001, 1, 4);
  }

  /** A merged, compressed recording of Windows 11, log format 2.0. */
  public static EtlSettings compressed(BufferCompression format) {
    EtlSettings made = new EtlSettings().version(10, 0, 26100, 2, 0).names("Relogger", "in.etl");
    return made.compression(format).mode(MODE_SEQUENTIAL | MODE_RELOG | MODE_COMPRESSED);
  }

  /** Bytes of a pointer of the logger, 4 or 8. */
  public EtlSettings pointerSize(int value) {
    pointer = value;
    return this;
  }

  /** The system's version and build and the log format's version. */
  public EtlSettings version(int major, int minor, int buildNumber, int logMaj, int logMin) {
    osMajor = major;
    osMinor = minor;
    build = buildNumber;
    logMajor = logMaj;
    logMinor = logMin;
    return this;
  }

  /** NumberOfProcessors. */
  public EtlSettings processors(int value) {
    processors = value;
    return this;
  }

  /** Bytes of a buffer of the session. */
  public EtlSettings bufferSize(int bytes) {
    bufferSize = bytes;
    return this;
  }

  /** Bytes of the header buffer where it is not a whole buffer; 0 = as all others. */
  public EtlSettings headerBufferSize(int bytes) {
    headerBufferSize = bytes;
    return this;
  }

  /** LogFileMode, a sum of {@code MODE_*}. */
  public EtlSettings mode(int value) {
    mode = value;
    return this;
  }

  /** ReservedFlags = clock type: 1 QPC, 2 system time, 3 CPU cycles, 0 unstated. */
  public EtlSettings clock(int type) {
    clock = type;
    return this;
  }

  /** Ticks of the performance counter a second. */
  public EtlSettings perfFreq(long value) {
    perfFreq = value;
    return this;
  }

  /** CpuSpeedInMHz. */
  public EtlSettings cpuMhz(int value) {
    cpuMhz = value;
    return this;
  }

  /** The header record's own time stamp in ticks of the session's clock. */
  public EtlSettings startTicks(long value) {
    startTicks = value;
    return this;
  }

  /** StartTime, a FILETIME. */
  public EtlSettings startTime(long value) {
    startTime = value;
    return this;
  }

  /** BootTime, a FILETIME. */
  public EtlSettings bootTime(long value) {
    bootTime = value;
    return this;
  }

  /** EndTime, a FILETIME; 0 = never finalised; without a call: the last record's time. */
  public EtlSettings endTime(long value) {
    endTime = value;
    return this;
  }

  /** BuffersWritten; 0 = never finalised; without a call: the truth. */
  public EtlSettings buffersWritten(long value) {
    buffersWritten = value;
    return this;
  }

  /** Sets the header of a recording whose machine crashed: no end and no count. */
  public EtlSettings neverFinalised() {
    return endTime(0).buffersWritten(0);
  }

  /** EventsLost and BuffersLost. */
  public EtlSettings lost(long events, long buffers) {
    eventsLost = events;
    buffersLost = buffers;
    return this;
  }

  /** MaximumFileSize in MB, or KB with {@link #MODE_KB}. */
  public EtlSettings maximumFileSize(long value) {
    maximumFileSize = value;
    return this;
  }

  /** TimerResolution in 100 ns. */
  public EtlSettings timerResolution(int value) {
    timerResolution = value;
    return this;
  }

  /** Session name and log file name. */
  public EtlSettings names(String session, String logFile) {
    sessionName = session;
    logFileName = logFile;
    return this;
  }

  /** Time zone: UTC = local + bias minutes; the names of standard and daylight time. */
  public EtlSettings timeZone(int biasMinutes, String standard, String daylight) {
    bias = biasMinutes;
    standardName = standard;
    daylightName = daylight;
    return this;
  }

  /** Sets if buffers carry flag 0x20 and a full processor index (Windows 8), or a low byte only. */
  public EtlSettings processorIndexFlag(boolean value) {
    processorIndexFlag = value;
    return this;
  }

  /** Sets if the header buffer's SavedOffset covers its first record (newer), or is 0. */
  public EtlSettings savedOffsetOfHeader(boolean value) {
    savedOffsetOfHeader = value;
    return this;
  }

  /** LoggerId of the header buffer. */
  public EtlSettings headerLogger(int value) {
    headerLogger = value;
    return this;
  }

  /** Process and thread of the header record: who started the session. */
  public EtlSettings starter(long processId, long threadId) {
    ownPid = processId;
    ownTid = threadId;
    return this;
  }

  /** Sets the compression of data buffers; does not touch mode or version. */
  public EtlSettings compression(BufferCompression format) {
    compression = format;
    return this;
  }

  /** The byte that fills buffers after their last record. */
  public EtlSettings slack(int value) {
    slack = value;
    return this;
  }

  /** Writes buffers that end with their last record, as tools do that unpack compressed ones. */
  public EtlSettings cutsRoom() {
    cutsRoom = true;
    return this;
  }

  /** The session's buffer size in bytes. */
  public int bufferSize() {
    return bufferSize;
  }

  /** The header record's time stamp. */
  public long startTicks() {
    return startTicks;
  }

  /** StartTime, a FILETIME. */
  public long startTime() {
    return startTime;
  }

  /** A point in time as a FILETIME: units of 100 ns since 1601. */
  public static long fileTime(Instant instant) {
    return instant.getEpochSecond() * 10_000_000 + instant.getNano() / 100 + FILETIME_OF_1970;
  }

  /**
   * The FILETIME of a raw time stamp by exact arithmetic, rounded down: the oracle for a reader.
   *
   * @param raw ticks of the session's clock
   */
  public long fileTimeOf(long raw) {
    BigInteger ticks = BigInteger.valueOf(raw).subtract(BigInteger.valueOf(startTicks));
    BigInteger start = BigInteger.valueOf(startTime);
    return switch (clock) {
      case 2 -> raw;
      case 3 -> start.add(floorDiv(ticks.multiply(BigInteger.TEN), cpuMhz)).longValue();
      default ->
          start.add(floorDiv(ticks.multiply(BigInteger.valueOf(10_000_000)), perfFreq)).longValue();
    };
  }

  /** A number of ticks of the performance counter in nanoseconds, rounded down. */
  public long nanosOf(long ticks) {
    BigInteger scaled = BigInteger.valueOf(ticks).multiply(BigInteger.valueOf(1_000_000_000));
    return floorDiv(scaled, perfFreq).longValue();
  }

  private static BigInteger floorDiv(BigInteger value, long by) {
    BigInteger[] parts = value.divideAndRemainder(BigInteger.valueOf(by));
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }

  EtlRecord headerRecord(long lastTime, long buffers) {
    LittleEndian out = new LittleEndian(512);
    out.u32(bufferSize).u8(osMajor).u8(osMinor).u8(logMajor).u8(logMinor).u32(build);
    out.u32(processors).u64(endTime >= 0 ? endTime : fileTimeOf(lastTime)).u32(timerResolution);
    out.u32(maximumFileSize).u32(mode).u32(buffersWritten >= 0 ? buffersWritten : buffers);
    out.u32(startBuffers).u32(pointer).u32(eventsLost).u32(cpuMhz);
    // Name pointers: since log format 1.5 the first is a platform timer source and so never a name.
    out.pointer(pointer, 0).pointer(pointer, 0);
    out.u32(bias).utf16(standardName, 32).u16(0).u16(10).u16(0).u16(5).u16(3).u16(0).u16(0).u16(0);
    out.u32(0).utf16(daylightName, 32).u16(0).u16(3).u16(0).u16(5).u16(2).u16(0).u16(0).u16(0);
    out.u32(-60).u32(0);
    out.u64(bootTime).u64(perfFreq).u64(startTime).u32(clock).u32(buffersLost);
    out.utf16z(sessionName).utf16z(logFileName);
    return EtlRecords.system(pointer, 0)
        .time(startTicks)
        .thread(ownPid, ownTid)
        .payload(out)
        .build();
  }
}
