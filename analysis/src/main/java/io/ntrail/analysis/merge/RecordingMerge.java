package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.Omission;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
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
  private final MachineRecords machine;
  private final RecordSelection selection;
  private final RecordRewriter rewriter;

  /** Records that were left out, by the answer of the selection. */
  private final long[] left = new long[RecordSelection.ANSWERS];

  private long headerRecords;
  private final LinkedHashMap<Stream, RecordBuffer> open = new LinkedHashMap<>();

  /** Buffer that is written as soon as the records of one buffer are in it. */
  private final RecordBuffer single;

  /** Processor of a session of a file: its records follow each other in time. */
  private record Stream(int file, int cpu, int session) {}

  /**
   * Result of a merge.
   *
   * @param bytes of the new file
   * @param records of it, but for those that tell gaps
   * @param buffers of it, the header buffer included
   * @param headerRecords header records of further files, which are not in it
   * @param left records that a selection left out
   * @param gaps of the files that it was made of
   */
  public record Written(
      long bytes, long records, long buffers, long headerRecords, Left left, List<Gap> gaps) {
    /** Copies. */
    public Written {
      gaps = List.copyOf(gaps);
    }
  }

  /**
   * Numbers of records that were left out, by reason.
   *
   * @param time outside of the time range
   * @param filter not of what was selected
   * @param samples all but each nth of a processor
   */
  public record Left(long time, long filter, long samples) {
    /** Returns the sum. */
    public long all() {
      return time + filter + samples;
    }
  }

  private RecordingMerge(
      EtwRecording recording,
      EtlFileWriter out,
      MachineRecords machine,
      RecordSelection selection,
      RecordRewriter rewriter) {
    this.machine = machine;
    this.selection = selection;
    this.recording = recording;
    this.out = out;
    this.rewriter = rewriter;
    this.single = new RecordBuffer(out, rewriter);
  }

  /**
   * Returns true if some buffer of a recording is compressed, or would be if that made it smaller.
   *
   * @param recording the files that are merged
   */
  public static boolean isCompressed(EtwRecording recording) {
    for (EtlFile file : recording.files()) {
      int mode = file.header().map(LogFileHeader::logFileMode).orElse(0);
      if ((mode & EtlFileWriter.COMPRESSED_MODE) != 0) {
        return true;
      }
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
   * @param machine adds facts about the recorded system that are missing
   * @throws CannotGoOn if the files do not share a clock, or have lost their headers
   * @throws IOException if it cannot be written
   */
  public static Written write(
      EtwRecording recording,
      SeekableByteChannel channel,
      boolean isCompressed,
      List<AddedRecord> more,
      MachineRecords machine)
      throws IOException {
    return write(
        recording,
        channel,
        isCompressed,
        more,
        machine,
        RecordSelection.ALL,
        RecordRewriter.NONE,
        _ -> List.of());
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
      List<AddedRecord> more,
      RecordRewriter rewriter)
      throws IOException {
    return write(
        recording,
        channel,
        isCompressed,
        more,
        MachineRecords.without(""),
        RecordSelection.ALL,
        rewriter,
        _ -> List.of());
  }

  /**
   * Writes some records of a recording.
   *
   * @param machine notes what is copied
   * @param rewriter what becomes of records
   * @param notes tells what was left out
   * @throws CannotGoOn if the files do not share a clock, or have lost their headers
   * @throws IOException if it cannot be written
   */
  static Written write(
      EtwRecording recording,
      SeekableByteChannel channel,
      boolean isCompressed,
      List<AddedRecord> more,
      MachineRecords machine,
      RecordSelection selection,
      RecordRewriter rewriter,
      Function<Left, List<Omission>> notes)
      throws IOException {
    mustBeOne(recording);
    int bufferSize = bufferSize(recording, more);
    EtlFile first = recording.files().getFirst();
    Bytes header = first.window(0, first.buffers().fileBytes(0));
    HeaderChanges changes = MergedHeader.of(recording, isCompressed, rewriter);
    int headerBytes =
        isCompressed
            ? EtlFileWriter.headerBytes(header, first.buffers().headerEnd(), changes, bufferSize)
            : bufferSize;
    EtlFileWriter out = new EtlFileWriter(channel, bufferSize, isCompressed, headerBytes);
    return new RecordingMerge(recording, out, machine, selection, rewriter)
        .write(changes, more, notes);
  }

  static void mustBeOne(EtwRecording recording) {
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

  /**
   * Returns the size of the largest buffer with its records as they are before compression; a
   * record that is added fits, too.
   */
  private static int bufferSize(EtwRecording recording, List<AddedRecord> more) {
    long most = LEAST_BUFFER;
    for (AddedRecord record : more) {
      most = Math.max(most, EtlFileWriter.BUFFER_HEADER + (long) record.bytes().length);
    }
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

  private Written write(
      HeaderChanges changes, List<AddedRecord> more, Function<Left, List<Omission>> notes)
      throws IOException {
    List<EtlFile> files = recording.files();
    RecordCursor[] cursors = files.stream().map(recording::cursor).toArray(RecordCursor[]::new);
    int[][] orders = files.stream().map(RecordingMerge::order).toArray(int[][]::new);
    int[] next = new int[orders.length];
    try {
      for (int file = first(orders, next); file >= 0; file = first(orders, next)) {
        recording.reading().mustGoOn();
        copy(file, orders[file][next[file]++], cursors[file]);
      }
    } finally {
      for (RecordCursor cursor : cursors) {
        cursor.close();
      }
    }
    for (RecordBuffer one : open.values()) {
      one.flush();
    }
    List<AddedRecord> added = new ArrayList<>(more);
    added.addAll(machine.records(recording, out.bufferSize() - EtlFileWriter.BUFFER_HEADER));
    add(AddedRecord.inOrder(added).stream().map(one -> rewritten(one.bytes())).toList());
    long records = out.records();
    List<Gap> gaps = recording.gaps();
    Left omitted =
        new Left(
            left[RecordSelection.TIME], left[RecordSelection.FILTER], left[RecordSelection.SAMPLE]);
    List<Omission> omissions = new ArrayList<>(recording.omissions());
    omissions.addAll(notes.apply(omitted));
    tell(gaps, omissions);
    EtlFile first = files.getFirst();
    out.finish(headerBuffer(first), first.buffers().headerEnd(), changes);
    return new Written(out.bytes(), records, out.buffers(), headerRecords, omitted, gaps);
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
    return !selection.isAll()
        || recording.files().size() > 1 && 2 * file.sessionBufferSize() <= out.bufferSize();
  }

  private RecordBuffer open(Stream stream) throws IOException {
    RecordBuffer known = open.get(stream);
    if (known == null) {
      if (!open.isEmpty() && (open.size() + 1L) * out.bufferSize() > MOST_OPEN_BYTES) {
        open.pollFirstEntry().getValue().flush();
      }
      known = new RecordBuffer(out, rewriter);
      open.put(stream, known);
    }
    return known;
  }

  private void copy(int number, int buffer, RecordCursor cursor) throws IOException {
    EtlFile file = recording.files().get(number);
    BufferIndex index = file.buffers();
    cursor.open(buffer);
    boolean isPacked = isPacked(file);
    Stream stream = new Stream(number, index.cpu(buffer), index.loggerId(buffer));
    RecordBuffer to = isPacked ? open(stream) : single;
    byte[] header =
        file.window(index.fileOffset(buffer), EtlFileWriter.BUFFER_HEADER)
            .array(0, EtlFileWriter.BUFFER_HEADER);
    if (buffer == 0) {
      copyHeaderBuffer(number, cursor, to, EtlFileWriter.ofData(header));
      if (!isPacked) {
        to.flush();
      }
      recording.visited(cursor);
      return;
    }
    boolean hasLoss = index.lossBefore(buffer);
    // Of a buffer of which only some records are kept, these may come into two.
    int most =
        !selection.isAll()
            ? 0
            : index.compressed(buffer) ? index.inflatedBytes(buffer) : index.fileBytes(buffer);
    to.begin(header, hasLoss, most);
    copy(number, cursor, to, header);
    if (!isPacked) {
      to.flush();
    }
    recording.visited(cursor);
  }

  /**
   * Copies what a further session tells of itself behind its header record, which no file has
   * twice. The header buffer of the first one becomes that of the new file.
   */
  private void copyHeaderBuffer(int number, RecordCursor cursor, RecordBuffer to, byte[] header)
      throws IOException {
    to.begin(header, false, 0);
    while (cursor.next()) {
      machine.visit(cursor);
      if (number > 0 && cursor.kind().isHook() && cursor.hookId() == 0) {
        headerRecords++;
      } else if (number > 0) {
        to.add(cursor, header);
      }
    }
  }

  /** Copies the selected records of the open buffer. */
  private void copy(int number, RecordCursor cursor, RecordBuffer to, byte[] header)
      throws IOException {
    boolean isFirst = true;
    // Records without a time stand in front of the first one with a time.
    boolean isLeading = false;
    // The last record with a time of its own, as long as it is left out: its place and the answer.
    int timed = -1;
    int timedAnswer = RecordSelection.KEPT;
    while (cursor.next()) {
      if (CopiedGaps.isOne(cursor)) {
        isFirst = false;
        continue;
      }
      machine.visit(cursor);
      boolean hasTime = cursor.hasTime();
      int answer = selection.of(number, cursor);
      if (isLeading) {
        answer = RecordSelection.KEPT;
      }
      if (answer != RecordSelection.KEPT) {
        left[answer]++;
        if (hasTime) {
          timed = cursor.offset();
          timedAnswer = answer;
        }
        isFirst &= !hasTime;
        continue;
      }
      if (!hasTime && timed >= 0) {
        // Its time is that of the record before it.
        to.add(copyOf(cursor, timed), header);
        left[timedAnswer]--;
      } else if (isFirst && !hasTime) {
        // It has the time of the buffer or of the record behind it, not of one before it.
        to.flush();
        isLeading = true;
      }
      isLeading &= !hasTime;
      timed = -1;
      isFirst = false;
      to.add(cursor, header);
    }
    if (isLeading) {
      // They have the time of the buffer.
      to.flush();
    }
  }

  /** Returns a record of the open buffer that was passed, as it is written. */
  private byte[] copyOf(RecordCursor current, int offset) {
    // What is damaged there was told when it was passed.
    try (RecordCursor again = current.file().cursor(new Gaps())) {
      again.open(current.buffer());
      while (again.next()) {
        if (again.offset() == offset) {
          byte[] record = again.bytes().array(offset, again.size());
          byte[] copy = Arrays.copyOf(record, record.length + 7 & ~7);
          rewriter.rewrite(again, copy, 0);
          return copy;
        }
      }
    }
    throw new IllegalStateException("no record at " + offset);
  }

  /** Writes the gaps and what was left out, in buffers of their own. */
  private void tell(List<Gap> gaps, List<Omission> omissions) throws IOException {
    long ticks = recording.files().getFirst().clock().headerTicks();
    int room = out.bufferSize() - EtlFileWriter.BUFFER_HEADER;
    List<byte[]> records = new ArrayList<>();
    gaps.forEach(gap -> records.add(CopiedGaps.record(rewritten(gap), ticks, room)));
    omissions.forEach(one ->
        records.add(
            CopiedGaps.record(new Omission(rewriter.rewrite(one.what()), one.records()), ticks)));
    add(records);
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
    RecordBuffer to = new RecordBuffer(out, rewriter);
    byte[] header = new byte[EtlFileWriter.BUFFER_HEADER];
    to.begin(header, false, 0);
    for (byte[] record : records) {
      to.add(record, header);
    }
    to.flush();
  }
}
