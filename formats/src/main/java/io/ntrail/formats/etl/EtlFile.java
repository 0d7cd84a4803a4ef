package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.NativeBuffer;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.bytes.SpareBuffers;
import io.ntrail.formats.compression.Compression;
import io.ntrail.formats.compression.WorkArrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One {@code .etl} file: its header record, its clock and the index of its buffers. Opening reads
 * buffer headers and the first record of each buffer, nothing else.
 *
 * <p>Immutable after opening; any number of {@link RecordCursor}s may walk it at once.
 */
public final class EtlFile implements AutoCloseable {
  /** Bytes of a first record in which its time is. */
  private static final int FIRST_RECORD = 96;

  /** Time before and after the session, in 100 ns, that records of others may have: 10 minutes. */
  private static final long BESIDE = 10 * 60 * 10_000_000L;

  /** Time before and after that a clock explains which was set meanwhile: two days. */
  private static final long FAR = 48 * 3600 * 10_000_000L;

  /** Gap of a clock whose ticks cannot be told. */
  private static final String CLOCK = "clock";

  /** Longest time of a session whose end is unknown, in 100 ns. */
  private static final long YEAR = 366 * 24 * 3600 * 10_000_000L;

  /** Passes over all buffers for which they are read; most programs make no more. */
  private static final int READ_PASSES = 4;

  private final InputFile input;
  private final @Nullable LogFileHeader header;
  private final EtlClock clock;
  private final BufferIndex buffers;
  private final Compression compression;
  private final WorkArrays arrays = new WorkArrays();
  private final SpareBuffers spareBuffers = new SpareBuffers();
  private final long sessionBufferSize;
  private final AtomicLong bytesRead = new AtomicLong();
  private List<Omission> omissions = List.of();

  private EtlFile(
      InputFile input,
      @Nullable LogFileHeader header,
      EtlClock clock,
      BufferIndex buffers,
      Compression compression,
      long sessionBufferSize) {
    this.input = input;
    this.header = header;
    this.clock = clock;
    this.buffers = buffers;
    this.compression = compression;
    this.sessionBufferSize = sessionBufferSize;
  }

  /** Returns true if the first bytes could be those of a recording. */
  public static boolean looksLikeRecording(InputFile input) {
    return readHeader(input).isPresent();
  }

  /**
   * Returns true if buffers of a recording follow each other in the first bytes, whatever became of
   * its header.
   */
  public static boolean hasBuffers(InputFile head) {
    return BufferScanner.guessBufferSize(head) > 0;
  }

  /**
   * Opens a recording.
   *
   * @param input closed with the returned file, or by this method if it fails
   * @param gaps receives what cannot be read
   * @throws CannotGoOn if it is not a recording, or nothing of it can be read
   */
  public static EtlFile open(InputFile input, Gaps gaps) {
    try {
      return openOrThrow(input, gaps);
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  private static EtlFile openOrThrow(InputFile input, Gaps gaps) {
    gaps.register(input.name());
    LogFileHeader header = readHeader(input).orElse(null);
    long sessionSize;
    EtlClock clock;
    if (header != null) {
      sessionSize = header.bufferSize();
      clock =
          EtlClock.of(
              header.clockType(),
              header.perfFreq(),
              header.cpuSpeedInMHz(),
              input.window(0, EtlLayout.BUFFER_HEADER + 32).i64(EtlLayout.BUFFER_HEADER + 16),
              header.startTime());
    } else {
      sessionSize = BufferScanner.guessBufferSize(input);
      if (sessionSize == 0) {
        throw notARecording(input);
      }
      clock = EtlClock.unknown(0);
      gaps.add(
          new Gap(
              input.name(),
              0,
              Math.min(input.size(), sessionSize),
              "header buffer",
              "damaged: times are raw, in units of 100 ns"));
    }
    EtlFile file;
    try (BufferScanner scanner = new BufferScanner(input, sessionSize, header == null, gaps);
        NativeBuffer memory = new NativeBuffer(FIRST_RECORD)) {
      BufferIndex buffers = scanner.index();
      Compression compression = declaredCompression(input);
      file = new EtlFile(input, header, clock, buffers, compression, sessionSize);
      EtlFile found = file;
      scanner.scan((window, i) -> found.findFirstTicks(i, window, memory));
      if (header == null) {
        EtlClock started = EtlClock.unknown(file.earliest());
        file.spareBuffers.close();
        return new EtlFile(input, null, started, buffers, compression, sessionSize);
      }
      file.reportMissingEnd(gaps, scanner.usedEnd(), scanner.skipped());
    }
    // A file tells of the clock of the one that it was made of.
    boolean isClockTold = false;
    if ((header.logFileMode() & LogFileHeader.EVENT_TRACE_RELOG_MODE) != 0) {
      Gaps told = new Gaps();
      file.omissions = CopiedGaps.read(file, told);
      told.list().forEach(gaps::add);
      isClockTold = told.list().stream().anyMatch(gap -> gap.what().equals(CLOCK));
    }
    if (clock.kind() == EtlClock.Kind.UNKNOWN && !isClockTold) {
      file.reportClock(header, gaps);
    }
    return file;
  }

  private void reportClock(LogFileHeader header, Gaps gaps) {
    gaps.add(
        new Gap(
            name(),
            EtlLayout.BUFFER_HEADER,
            -1,
            CLOCK,
            "its type is %d, PerfFreq %d, and the header record is not of StartTime: times are raw, in units of 100 ns"
                .formatted(header.clockType(), header.perfFreq())));
  }

  /** Returns what was left out of the files that it was made of, as it tells itself. */
  public List<Omission> omissions() {
    return List.copyOf(omissions);
  }

  private static CannotGoOn notARecording(InputFile input) {
    return input.size() == 0
        ? CannotGoOn.of(Reason.EMPTY, input.name(), input.name() + " is empty", "")
        : CannotGoOn.of(
            Reason.OTHER_KIND,
            input.name(),
            input.name() + " is not an ETW recording, or is truncated inside its header",
            "");
  }

  private static Optional<LogFileHeader> readHeader(InputFile input) {
    int record = EtlLayout.BUFFER_HEADER;
    if (input.size() < record + 32) {
      return Optional.empty();
    }
    try {
      Bytes start = input.window(0, (int) Math.min(input.size(), 1 << 16));
      BufferHeader buffer = BufferHeader.read(start, 0);
      int kind = RecordKind.ofMarker(start.i32(record));
      boolean system =
          kind == RecordKind.SYSTEM32.ordinal() || kind == RecordKind.SYSTEM64.ordinal();
      if (!buffer.plausibleSize() || !system || start.u16(record + 6) != 0) {
        return Optional.empty();
      }
      int end = Math.min(start.length(), record + start.u16(record + 4));
      LogFileHeader header =
          LogFileHeader.read(start, record + 32, end, RecordKind.at(kind).pointerBytes());
      boolean sane =
          header.bufferSize() >= EtlLayout.BUFFER_HEADER
              && header.bufferSize() <= EtlLayout.BUFFER_MAXIMUM;
      return sane ? Optional.of(header) : Optional.empty();
    } catch (DamagedInput e) {
      // Cut inside its header: no recording can be read from it.
      return Optional.empty();
    }
  }

  private static Compression declaredCompression(InputFile input) {
    int state = input.window(0, EtlLayout.BUFFER_HEADER).u16(EtlLayout.State);
    for (Compression compression : Compression.values()) {
      if (compression.number() == state) {
        return compression;
      }
    }
    return Compression.XPRESS;
  }

  /** The first record's time of a buffer: where the merge of all buffers may open it. */
  private void findFirstTicks(int buffer, HeaderWindow window, NativeBuffer memory) {
    try {
      if (buffers.compressed(buffer)) {
        int length = Math.min(FIRST_RECORD, buffers.inflatedBytes(buffer));
        Bytes packed = window(buffer);
        int got =
            compression.decompress(
                packed, EtlLayout.BUFFER_HEADER, packed.length(), memory, length, arrays);
        buffers.firstTicks(buffer, firstTicks(memory.view(got, name(), 0), 0, got, buffer));
      } else if (buffers.end(buffer) >= EtlLayout.BUFFER_HEADER + 8) {
        int length = Math.min(buffers.fileBytes(buffer), EtlLayout.BUFFER_HEADER + FIRST_RECORD);
        int at = window.moveTo(buffers.fileOffset(buffer), length);
        int first = at + EtlLayout.BUFFER_HEADER;
        buffers.firstTicks(buffer, firstTicks(window.bytes(), first, at + length, buffer));
      }
    } catch (DamagedInput e) {
      // Whoever opens the buffer reports it; until then it has no time.
      buffers.firstTicks(buffer, Long.MAX_VALUE);
    }
  }

  private long firstTicks(Bytes bytes, int at, int end, int buffer) {
    // A message may be no longer than this.
    if (at + 8 > end) {
      return Long.MAX_VALUE;
    }
    int kind = RecordKind.ofMarker(bytes.i32(at));
    if (kind < 0) {
      return Long.MAX_VALUE;
    }
    if (kind == RecordKind.MESSAGE.ordinal()) {
      return WppMessage.hasTime(bytes, at)
          ? WppMessage.time(bytes, at, end - at, clock.headerTicks())
          : firstStated(buffer);
    }
    int time = at + RecordKind.at(kind).timeOffset();
    return time + 8 <= end ? bytes.i64(time) : Long.MAX_VALUE;
  }

  /** Messages without a time take that of the next record with one, else that of the buffer. */
  private long firstStated(int buffer) {
    long flushed = bufferHeader(buffer).timeStamp();
    buffers.firstTicks(buffer, flushed == 0 ? clock.headerTicks() : flushed);
    try (RecordCursor cursor = cursor(new Gaps())) {
      cursor.open(buffer);
      while (cursor.next()) {
        if (cursor.hasTime()) {
          return cursor.ticks();
        }
      }
    }
    return buffers.firstTicks(buffer);
  }

  private long earliest() {
    long earliest = Long.MAX_VALUE;
    for (int i = 0; i < buffers.count(); i++) {
      earliest = Math.min(earliest, buffers.firstTicks(i));
    }
    return earliest == Long.MAX_VALUE ? 0 : earliest;
  }

  /** A finalised header counts the buffers: fewer of them mean that the end of the file is lost. */
  private void reportMissingEnd(Gaps gaps, long usedEnd, int skipped) {
    LogFileHeader header = this.header;
    if (header == null || !header.finalised() || header.buffersWritten() == 0) {
      return;
    }
    long expected = header.buffersWritten();
    boolean ring = (header.logFileMode() & LogFileHeader.EVENT_TRACE_FILE_MODE_CIRCULAR) != 0;
    if (ring && header.maximumBytes() > 0) {
      expected = Math.min(expected, header.maximumBytes() / sessionBufferSize);
    }
    boolean packed = anyShort();
    // A rest that is shorter than a buffer header is not a buffer.
    long whole = Math.ceilDiv(usedEnd - EtlLayout.BUFFER_HEADER + 1, sessionBufferSize);
    long present = packed ? (long) buffers.count() + skipped : whole;
    if (present < expected) {
      long missing = expected - present;
      gaps.add(
          new Gap(
              name(),
              input.size(),
              packed ? -1 : missing * sessionBufferSize,
              "buffers",
              "the file ends after "
                  + present
                  + " of "
                  + expected
                  + " buffers: what was recorded in the other "
                  + missing
                  + " is missing"));
    }
  }

  /**
   * Returns true if data buffers need not be as long as the session's: it is not size that counts.
   */
  private boolean anyShort() {
    for (int i = 0; i < buffers.count(); i++) {
      if (buffers.compressed(i) || !buffers.cut(i) && buffers.fileBytes(i) < sessionBufferSize) {
        return true;
      }
    }
    return false;
  }

  /** Name for messages. */
  public String name() {
    return input.name();
  }

  /** Bytes of the file, after inflating an archive. */
  public long size() {
    return input.size();
  }

  /** The header record; empty if it is destroyed. */
  public Optional<LogFileHeader> header() {
    return Optional.ofNullable(header);
  }

  /** Returns the clock of raw time stamps. */
  public EtlClock clock() {
    return clock;
  }

  /** The buffers. */
  public BufferIndex buffers() {
    return buffers;
  }

  /** The session's buffer size in bytes. */
  public long sessionBufferSize() {
    return sessionBufferSize;
  }

  /** Returns the compression of compressed buffers, from the first buffer. */
  public Compression compression() {
    return compression;
  }

  /** The header of a buffer. */
  public BufferHeader bufferHeader(int buffer) {
    return BufferHeader.read(input.window(buffers.fileOffset(buffer), EtlLayout.BUFFER_HEADER), 0);
  }

  /** All bytes of the file that are one window, for yardsticks: at most 2 GiB. */
  public Bytes window(long offset, int length) {
    return input.window(offset, length);
  }

  /** The bytes of a buffer as they are in the file. */
  Bytes window(int buffer) {
    return input.window(buffers.fileOffset(buffer), buffers.fileBytes(buffer));
  }

  /**
   * Walks records.
   *
   * @param gaps receives what cannot be read; the same place is kept once
   */
  public RecordCursor cursor(Gaps gaps) {
    return new RecordCursor(this, gaps, false);
  }

  /**
   * Walks records for who opens all buffers, one after the other: they are read into memory of the
   * cursor, since pages of the mapping are expensive to look at for the first time.
   *
   * @param gaps receives what cannot be read; the same place is kept once
   */
  public RecordCursor readingCursor(Gaps gaps) {
    return new RecordCursor(this, gaps, true);
  }

  /** Returns false if a time is so far from those of the session that it cannot be one of them. */
  boolean isPlausibleTime(long ticks) {
    return isWithin(ticks, BESIDE);
  }

  /**
   * Returns false if a time is days from those of the session: no clock that was set meanwhile
   * explains it.
   */
  public boolean isOfSession(long ticks) {
    return isWithin(ticks, FAR);
  }

  private boolean isWithin(long ticks, long beside) {
    LogFileHeader known = header;
    if (known == null) {
      return true;
    }
    long start = clock.startFileTime();
    long end = known.endTime() >= start ? known.endTime() : start + YEAR;
    long time = clock.fileTime(ticks);
    return start == 0 || time >= start - beside && time <= end + beside;
  }

  /** Returns false if so much was read already that the mapping will pay. */
  boolean isReadingCheaper() {
    return bytesRead.get() < READ_PASSES * input.size();
  }

  /** Reads the bytes of a buffer as they are in the file, if possible into memory. */
  Bytes read(int buffer, NativeBuffer memory) {
    int length = buffers.fileBytes(buffer);
    bytesRead.addAndGet(length);
    Bytes read = input.read(buffers.fileOffset(buffer), length, memory);
    return read == null ? window(buffer) : read;
  }

  /**
   * Decompresses a buffer. If the file's compression fails, the others are tried; what a failing
   * one wrote before it failed is given, and the rest is a gap.
   */
  Bytes inflate(int buffer, NativeBuffer memory, int length, Gaps gaps) {
    Bytes packed = window(buffer);
    int from = EtlLayout.BUFFER_HEADER;
    String failure;
    // Without a place where it fails, any of its bytes may be wrong.
    long failedAt = packed.base();
    int good;
    try {
      good = compression.decompress(packed, from, packed.length(), memory, length, arrays);
      if (good == length) {
        return memory.view(good, name(), 0);
      }
      failure = "the compressed data is truncated";
    } catch (DamagedInput e) {
      failure = e.what();
      failedAt = e.offset();
      good = memory.filled();
    }
    for (Compression other : Compression.values()) {
      if (other != compression && inflatesWith(other, packed, memory, length)) {
        return memory.view(length, name(), 0);
      }
    }
    // Once more the file's own one, for what it gave before it failed.
    if (good > 0 && !inflatesWith(compression, packed, memory, good)) {
      good = 0;
    }
    // A truncated file was reported when the buffers were found.
    if (!buffers.cut(buffer)) {
      gaps.add(
          new Gap(
              name(),
              failedAt,
              packed.base() + packed.length() - failedAt,
              "compressed buffer",
              failure + ": " + good + " of " + length + " bytes could be inflated"));
    }
    return memory.view(good, name(), 0);
  }

  private boolean inflatesWith(
      Compression compression, Bytes packed, NativeBuffer memory, int length) {
    try {
      return compression.decompress(
              packed, EtlLayout.BUFFER_HEADER, packed.length(), memory, length, arrays)
          == length;
    } catch (DamagedInput e) {
      return false;
    }
  }

  /** Memory for buffers that are read or decompressed. */
  SpareBuffers spareBuffers() {
    return spareBuffers;
  }

  @Override
  public void close() {
    spareBuffers.close();
    input.close();
  }
}
