package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.SessionTimes;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
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
  private final int cores;

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
      RecordRewriter rewriter,
      int cores) {
    this.machine = machine;
    this.cores = cores;
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
        1,
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
        1,
        _ -> List.of());
  }

  /**
   * Writes some records of a recording.
   *
   * @param machine notes what is copied
   * @param rewriter what becomes of records
   * @param cores number of threads that select records
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
      int cores,
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
    return new RecordingMerge(recording, out, machine, selection, rewriter, cores)
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
    SelectedBuffers.Order order = SelectedBuffers.Order.of(recording);
    if (selection.isAll()) {
      copyAll(order);
    } else {
      SelectedBuffers.copy(recording, order, selection, rewriter, cores, this::copySelected);
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
    boolean hasLoss = files.stream().anyMatch(file -> file.buffers().afterLoss() > 0);
    out.finish(headerBuffer(first), first.buffers().headerEnd(), changes, hasLoss);
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

  /** Returns true if buffers of a file are so small that several come into one. */
  private boolean isPacked(EtlFile file) {
    return recording.files().size() > 1 && 2 * file.sessionBufferSize() <= out.bufferSize();
  }

  private RecordBuffer open(int file, int buffer) throws IOException {
    BufferIndex index = recording.files().get(file).buffers();
    Stream stream = new Stream(file, index.cpu(buffer), index.loggerId(buffer));
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

  private void copyAll(SelectedBuffers.Order order) throws IOException {
    RecordCursor[] cursors =
        recording.files().stream().map(recording::cursor).toArray(RecordCursor[]::new);
    try {
      for (int i = 0; i < order.count(); i++) {
        recording.reading().mustGoOn();
        RecordCursor cursor = cursors[order.file(i)];
        cursor.open(order.buffer(i));
        copy(order.file(i), order.buffer(i), cursor);
        recording.visited(cursor);
      }
    } finally {
      for (RecordCursor cursor : cursors) {
        cursor.close();
      }
    }
  }

  private void copy(int number, int buffer, RecordCursor cursor) throws IOException {
    EtlFile file = recording.files().get(number);
    BufferIndex index = file.buffers();
    boolean isPacked = isPacked(file);
    RecordBuffer to = isPacked ? open(number, buffer) : single;
    byte[] header = header(file, buffer);
    if (buffer == 0) {
      copyHeaderBuffer(number, cursor, to, EtlFileWriter.ofData(header));
    } else {
      int length = index.compressed(buffer) ? index.inflatedBytes(buffer) : index.fileBytes(buffer);
      to.begin(header, index.lossBefore(buffer), length);
      copy(cursor, to, header);
    }
    if (!isPacked) {
      to.flush();
    }
  }

  /** Copies what is kept of a buffer. */
  private void copySelected(int number, int buffer, KeptRecords records) throws IOException {
    recording.reading().mustGoOn();
    EtlFile file = recording.files().get(number);
    RecordBuffer to = open(number, buffer);
    if (buffer == 0) {
      try (RecordCursor cursor = recording.cursor(file)) {
        cursor.open(buffer);
        copyHeaderBuffer(number, cursor, to, EtlFileWriter.ofData(header(file, buffer)));
      }
      return;
    }
    byte[] header = header(file, buffer);
    // Of a buffer of which only some records are kept, these may come into two.
    to.begin(header, file.buffers().lossBefore(buffer), 0);
    to.add(records, header);
    for (int answer = 0; answer < left.length; answer++) {
      left[answer] += records.left(answer);
    }
  }

  private static byte[] header(EtlFile file, int buffer) {
    return file.window(file.buffers().fileOffset(buffer), EtlFileWriter.BUFFER_HEADER)
        .array(0, EtlFileWriter.BUFFER_HEADER);
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

  /** Copies the records of the open buffer. */
  private void copy(RecordCursor cursor, RecordBuffer to, byte[] header) throws IOException {
    boolean isFirst = true;
    // Records without a time stand in front of the first one with a time.
    boolean isLeading = false;
    while (cursor.next()) {
      if (!CopiedGaps.isOne(cursor)) {
        machine.visit(cursor);
        if (isFirst && !cursor.hasTime()) {
          // It has the time of the buffer or of the record behind it, not of one before it.
          to.flush();
          isLeading = true;
        }
        isLeading &= !cursor.hasTime();
        to.add(cursor, header);
      }
      isFirst = false;
    }
    if (isLeading) {
      // They have the time of the buffer.
      to.flush();
    }
  }

  /** Writes the gaps and what was left out, in buffers of their own. */
  private void tell(List<Gap> gaps, List<Omission> omissions) throws IOException {
    long ticks = recording.files().getFirst().clock().headerTicks();
    int room = out.bufferSize() - EtlFileWriter.BUFFER_HEADER;
    List<byte[]> records = new ArrayList<>();
    for (Gap gap : gaps) {
      // A payload is found damaged again where its record was copied to.
      if (!SessionTimes.isOne(gap) && !gap.what().equals(RecordCursor.PAYLOAD)) {
        records.add(CopiedGaps.record(rewritten(gap), ticks, room));
      }
    }
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
