package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.ClassRecord;
import io.ntrail.formats.etl.CopiedGaps;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.EtlFileWriter;
import io.ntrail.formats.etl.HeaderChanges;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One recording out of several files of the same machine, boot and clock: each record of theirs as
 * it is, in buffers of its processor and session, in the order of time. What could not be read in
 * them is told by the new file ({@link CopiedGaps}).
 */
public final class RecordingMerge {
  private static final int LEAST_BUFFER = 1 << 10;

  /** Memory for buffers that are being filled. */
  private static final long MOST_OPEN_BYTES = 64L << 20;

  private final EtwRecording recording;
  private final EtlFileWriter out;
  private final RecordRewriter rewriter;
  private long headerRecords;
  private final LinkedHashMap<Stream, OpenBuffer> open = new LinkedHashMap<>();

  /** Buffer that is written as soon as the records of one buffer are in it. */
  private final OpenBuffer single;

  /** Processor of a session of a file: its records follow each other in time. */
  private record Stream(int file, int cpu, int session) {}

  /**
   * Result of a merge.
   *
   * @param bytes of the new file
   * @param records of it, but for those that tell gaps
   * @param buffers of it, the header buffer included
   * @param headerRecords of further files, which are not in it: records of their header buffers
   * @param gaps of the files that it was made of
   */
  public record Written(
      long bytes, long records, long buffers, long headerRecords, List<Gap> gaps) {
    /** Copies. */
    public Written {
      gaps = List.copyOf(gaps);
    }
  }

  private RecordingMerge(EtwRecording recording, EtlFileWriter out, RecordRewriter rewriter) {
    this.recording = recording;
    this.out = out;
    this.rewriter = rewriter;
    this.single = new OpenBuffer();
  }

  /**
   * Returns true if some buffer of a recording is compressed.
   *
   * @param recording the files that are merged
   */
  public static boolean isCompressed(EtwRecording recording) {
    for (EtlFile file : recording.files()) {
      for (int buffer = 0; buffer < file.buffers().count(); buffer++) {
        if (file.buffers().compressed(buffer)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Writes a recording.
   *
   * @param recording of one or several files
   * @param isCompressed true if its buffers are to be compressed
   * @param more records that are added
   * @throws CannotGoOn if the files do not share a clock, or have lost their headers
   * @throws IOException if it cannot be written
   */
  public static Written write(
      EtwRecording recording,
      SeekableByteChannel channel,
      boolean isCompressed,
      ImageIdentities.Found more)
      throws IOException {
    return write(recording, channel, isCompressed, more, RecordRewriter.NONE);
  }

  /**
   * Writes a recording whose records are changed on the way.
   *
   * @param recording of one or several files
   * @param isCompressed true if its buffers are to be compressed
   * @param more records that are added
   * @param rewriter what becomes of records
   * @throws CannotGoOn if the files do not share a clock, or have lost their headers
   * @throws IOException if it cannot be written
   */
  public static Written write(
      EtwRecording recording,
      SeekableByteChannel channel,
      boolean isCompressed,
      ImageIdentities.Found more,
      RecordRewriter rewriter)
      throws IOException {
    mustBeOne(recording);
    EtlFileWriter out = new EtlFileWriter(channel, bufferSize(recording), isCompressed);
    return new RecordingMerge(recording, out, rewriter).write(isCompressed, more);
  }

  private static void mustBeOne(EtwRecording recording) {
    for (EtlFile file : recording.files()) {
      if (file.header().isEmpty()) {
        throw new CannotGoOn(
            file.name() + ": its header is destroyed, so that its clock is unknown", "");
      }
    }
    if (!recording.oneClock()) {
      String clocks =
          recording.files().stream()
              .map(file ->
                  "%s: %s, %,d Hz, boot time %d"
                      .formatted(
                          file.name(),
                          file.clock().kind(),
                          file.clock().ticksPerSecond(),
                          file.header().map(LogFileHeader::bootTime).orElse(0L)))
              .collect(Collectors.joining("; "));
      throw new CannotGoOn(
          "these files have different clocks, so that no file can hold both: " + clocks,
          "read them together instead: ntrail info " + String.join(" ", recording.fileNames()));
    }
  }

  /** Returns the size of the largest buffer with its records as they are before compression. */
  private static int bufferSize(EtwRecording recording) {
    long most = LEAST_BUFFER;
    for (EtlFile file : recording.files()) {
      most = Math.max(most, file.sessionBufferSize());
      for (int buffer = 0; buffer < file.buffers().count(); buffer++) {
        most =
            Math.max(
                most, EtlFileWriter.BUFFER_HEADER + (long) file.buffers().inflatedBytes(buffer));
      }
    }
    return Math.toIntExact(most + 7 & ~7);
  }

  private Written write(boolean isCompressed, ImageIdentities.Found more) throws IOException {
    List<EtlFile> files = recording.files();
    RecordCursor[] cursors = files.stream().map(recording::cursor).toArray(RecordCursor[]::new);
    int[][] orders = files.stream().map(RecordingMerge::order).toArray(int[][]::new);
    int[] next = new int[orders.length];
    try {
      for (int file = first(orders, next); file >= 0; file = first(orders, next)) {
        if (recording.reading().isStopping()) {
          throw CannotGoOn.interrupted();
        }
        copy(file, orders[file][next[file]++], cursors[file]);
      }
    } finally {
      for (RecordCursor cursor : cursors) {
        cursor.close();
      }
    }
    for (OpenBuffer one : open.values()) {
      one.flush();
    }
    add(more.records().stream().map(this::rewritten).toList());
    long records = out.records();
    List<Gap> gaps = recording.gaps();
    tell(gaps);
    EtlFile first = files.getFirst();
    out.finish(headerBuffer(first), first.buffers().headerEnd(), changes(isCompressed));
    return new Written(out.bytes(), records, out.buffers(), headerRecords, gaps);
  }

  private byte[] rewritten(byte[] record) {
    byte[] copy = record.clone();
    rewriter.rewrite(copy, ClassRecord.HEADER, copy.length);
    return copy;
  }

  /** Returns the header buffer of a file, its records rewritten. */
  private Bytes headerBuffer(EtlFile file) {
    int length = file.buffers().fileBytes(0);
    byte[] copy = file.window(0, length).array(0, length);
    try (RecordCursor cursor = recording.cursor(file)) {
      cursor.open(0);
      while (cursor.next()) {
        rewriter.rewrite(cursor, copy, cursor.offset());
      }
    }
    return Bytes.copyOf(copy, file.name());
  }

  /** Returns the buffers of a file as they were handed out, the header buffer first. */
  private static int[] order(EtlFile file) {
    BufferIndex index = file.buffers();
    long[] sequences = new long[index.count()];
    for (int buffer = 1; buffer < sequences.length; buffer++) {
      sequences[buffer] = index.sequence(buffer);
    }
    sequences[0] = Long.MIN_VALUE;
    return RowSort.ascending(sequences, sequences.length);
  }

  /** Returns the file whose next buffer begins first; -1 if there is none. */
  private int first(int[][] orders, int[] next) {
    int first = -1;
    long least = Long.MAX_VALUE;
    for (int file = 0; file < orders.length; file++) {
      if (next[file] < orders[file].length) {
        EtlFile its = recording.files().get(file);
        long key = recording.key(its, its.buffers().firstTicks(orders[file][next[file]]));
        if (first < 0 || key < least) {
          first = file;
          least = key;
        }
      }
    }
    return first;
  }

  /** Returns true if buffers of a file are so small that several come into one. */
  private boolean isPacked(EtlFile file) {
    return recording.files().size() > 1 && 2 * file.sessionBufferSize() <= out.bufferSize();
  }

  private OpenBuffer open(Stream stream) throws IOException {
    OpenBuffer known = open.get(stream);
    if (known == null) {
      if (!open.isEmpty() && (open.size() + 1L) * out.bufferSize() > MOST_OPEN_BYTES) {
        open.pollFirstEntry().getValue().flush();
      }
      known = new OpenBuffer();
      open.put(stream, known);
    }
    return known;
  }

  private void copy(int number, int buffer, RecordCursor cursor) throws IOException {
    EtlFile file = recording.files().get(number);
    BufferIndex index = file.buffers();
    cursor.open(buffer);
    if (buffer == 0) {
      // Its records are those of the new header buffer, or of a session that needs none.
      while (cursor.next()) {
        headerRecords += number > 0 ? 1 : 0;
      }
      recording.visited(cursor);
      return;
    }
    boolean isPacked = isPacked(file);
    Stream stream = new Stream(number, index.cpu(buffer), index.loggerId(buffer));
    OpenBuffer to = isPacked ? open(stream) : single;
    byte[] header =
        file.window(index.fileOffset(buffer), EtlFileWriter.BUFFER_HEADER)
            .array(0, EtlFileWriter.BUFFER_HEADER);
    boolean hasLoss = index.lossBefore(buffer);
    int most = index.compressed(buffer) ? index.inflatedBytes(buffer) : index.fileBytes(buffer);
    to.begin(header, hasLoss, most);
    boolean isFirst = true;
    while (cursor.next()) {
      if (isFirst && !cursor.hasTime()) {
        // It has the time of the buffer or of the record behind it, not of one before it.
        to.flush();
      }
      isFirst = false;
      if (!CopiedGaps.isOne(cursor)) {
        to.add(cursor, header);
      }
    }
    if (!isPacked) {
      to.flush();
    }
    recording.visited(cursor);
  }

  /** Writes the gaps, in buffers of their own. */
  private void tell(List<Gap> gaps) throws IOException {
    long ticks = recording.files().getFirst().clock().headerTicks();
    int room = out.bufferSize() - EtlFileWriter.BUFFER_HEADER;
    add(gaps.stream().map(gap -> CopiedGaps.record(rewritten(gap), ticks, room)).toList());
  }

  private Gap rewritten(Gap gap) {
    return new Gap(
        rewriter.rewrite(gap.file()),
        gap.offset(),
        gap.bytes(),
        rewriter.rewrite(gap.what()),
        rewriter.rewrite(gap.why()));
  }

  /** Writes records that are in none of the files, in buffers of their own. */
  private void add(List<byte[]> records) throws IOException {
    OpenBuffer to = new OpenBuffer();
    byte[] header = new byte[EtlFileWriter.BUFFER_HEADER];
    to.begin(header, false, 0);
    for (byte[] record : records) {
      to.add(record, header);
    }
    to.flush();
  }

  private HeaderChanges changes(boolean isCompressed) {
    Set<String> sessions = new LinkedHashSet<>();
    Set<String> names = new LinkedHashSet<>();
    long end = 0;
    boolean isFinal = true;
    long processors = 0;
    long events = 0;
    long buffers = 0;
    // Who reads it must not take the number of a buffer for that of a processor.
    boolean isOneStream = true;
    List<LogFileHeader> headers = new ArrayList<>();
    recording.files().forEach(file -> file.header().ifPresent(headers::add));
    for (LogFileHeader header : headers) {
      sessions.add(header.sessionName());
      names.add(header.logFileName());
      end = Math.max(end, header.endTime());
      isFinal &= header.finalised();
      isOneStream &=
          (header.logFileMode() & LogFileHeader.EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING) != 0;
      processors = Math.max(processors, header.processors());
      events += header.eventsLost();
      buffers += header.buffersLost();
    }
    sessions.remove("");
    return new HeaderChanges(
        EtlFileWriter.RELOGGED
            | (isCompressed ? EtlFileWriter.COMPRESSED_MODE : 0)
            | (isOneStream ? LogFileHeader.EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING : 0),
        isFinal ? end : 0,
        processors,
        events,
        buffers,
        rewriter.rewrite(String.join(" + ", sessions)),
        headers.size() == 1 ? rewriter.rewrite(names.iterator().next()) : "[multiple files]");
  }

  /** Buffer that is being filled. */
  private final class OpenBuffer {
    private final byte[] data = new byte[out.bufferSize() - EtlFileWriter.BUFFER_HEADER];
    private byte[] header = new byte[0];
    private int length;
    private int count;
    private boolean hasLoss;

    /**
     * Goes on with the records of another buffer, all of which come into one.
     *
     * @param most bytes of them at most
     */
    void begin(byte[] itsHeader, boolean itsLoss, int most) throws IOException {
      // What was lost lies between.
      if (itsLoss || length + most > data.length) {
        flush();
      }
      hasLoss |= itsLoss;
      header = length == 0 ? itsHeader : header;
    }

    void add(RecordCursor record, byte[] itsHeader) throws IOException {
      int size = record.size();
      room(size + 7 & ~7, itsHeader);
      record.bytes().copyTo(record.offset(), data, length, size);
      rewriter.rewrite(record, data, length);
      pad(size);
    }

    void add(byte[] record, byte[] itsHeader) throws IOException {
      room(record.length, itsHeader);
      System.arraycopy(record, 0, data, length, record.length);
      pad(record.length);
    }

    private void room(int size, byte[] itsHeader) throws IOException {
      if (length + size > data.length) {
        flush();
        header = itsHeader;
      }
    }

    private void pad(int size) {
      length += size;
      count++;
      while (length % 8 != 0) {
        data[length++] = 0;
      }
    }

    void flush() throws IOException {
      if (length > 0) {
        out.buffer(header, hasLoss, data, length, count);
        hasLoss = false;
      }
      length = 0;
      count = 0;
    }
  }
}
