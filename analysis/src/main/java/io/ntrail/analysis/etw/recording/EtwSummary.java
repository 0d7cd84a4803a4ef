package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Summary of a recording from one pass over all record headers: numbers of records by kind, first
 * and last time, CPUs, losses.
 *
 * @param files one part a file, in the order given
 */
public record EtwSummary(List<Part> files) {

  /**
   * One file, or all of them together.
   *
   * @param name of the file
   * @param records number of records, the header record and metadata included
   * @param buffers number of buffers, the header buffer included
   * @param compressedBuffers how many of them are compressed
   * @param buffersAfterLoss how many the recorder marked as having losses before them
   * @param recordsByKind counts, indexed by {@link RecordKind#ordinal()}
   * @param recordBytes bytes of all records
   * @param cpus processors that filled buffers, the header buffer left out
   * @param cpusConfigured processors as the header says; 0 if unknown
   * @param eventsLost as the recorder counted them
   * @param buffersLost as the recorder counted them
   * @param neverFinalised files whose session did not end in an orderly way
   * @param firstFileTime earliest record as FILETIME, the header record left out; 0 if unknown
   * @param lastFileTime latest record as FILETIME; 0 if unknown
   * @param firstNanos earliest record, see {@link EtwRecording}; {@link Long#MAX_VALUE} if there is
   *     none
   * @param lastNanos latest record; {@link Long#MIN_VALUE} if there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // indexed by kind, never handed to hash tables
  public record Part(
      String name,
      long records,
      int buffers,
      int compressedBuffers,
      int buffersAfterLoss,
      long[] recordsByKind,
      long recordBytes,
      BitSet cpus,
      long cpusConfigured,
      long eventsLost,
      long buffersLost,
      int neverFinalised,
      long firstFileTime,
      long lastFileTime,
      long firstNanos,
      long lastNanos) {

    /** Returns true if any record but the header record has a time. */
    public boolean hasTimes() {
      return firstNanos <= lastNanos;
    }
  }

  /** Counts in a survey, together with whatever else is learned in the same pass. */
  public static final class Counting implements SurveyPart<Counting> {
    final long[][] kinds;
    final long[] bytes;
    final long[] first;
    final long[] last;
    private final List<EtlFile> files;
    private final boolean[] headerSeen;

    /** Has counted nothing yet. */
    public Counting(EtwRecording recording) {
      files = recording.files();
      int count = files.size();
      kinds = new long[count][RecordKind.values().length];
      bytes = new long[count];
      first = new long[count];
      last = new long[count];
      headerSeen = new boolean[count];
      Arrays.fill(first, Long.MAX_VALUE);
      Arrays.fill(last, Long.MIN_VALUE);
    }

    @Override
    public void visit(int file, RecordCursor record) {
      kinds[file][record.kindOrdinal()]++;
      bytes[file] += record.size();
      look(file, record);
    }

    private void look(int file, RecordCursor record) {
      lookAtItems(record);
      if (record.buffer() == 0 && !headerSeen[file]) {
        headerSeen[file] = true;
        if (files.get(file).header().isPresent()) {
          return;
        }
      }
      noteTime(file, record);
    }

    /**
     * Looks at some records of a buffer as {@link #visit} does, without counting them.
     *
     * @param others the rows of those that do not name their event by a hook id
     * @see #count
     */
    public void visitListed(
        int file, RecordCursor record, RecordTable table, RowsByUse.Rows others, int from, int to) {
      if (record.buffer() != 0 && haveTimes(record, table, others)) {
        first[file] = Math.min(first[file], table.earliest(from, to));
        last[file] = Math.max(last[file], table.latest(from, to));
        return;
      }
      for (int i = from; i < to; i++) {
        record.moveTo(table, i);
        look(file, record);
      }
    }

    /** Counts the records that were listed by type, which {@link #visitListed} did not. */
    public void count(RowsByUse listed) {
      listed.forEach((file, kind, _, _, count, size) -> {
        kinds[file][kind] += count;
        bytes[file] += size;
      });
    }

    /**
     * Looks at the chains of items of some records that do not name their event by a hook id;
     * returns whether all of them have times.
     */
    private static boolean haveTimes(
        RecordCursor record, RecordTable table, RowsByUse.Rows others) {
      boolean haveTimes = true;
      for (int i = 0; i < others.count(); i++) {
        record.moveTo(table, others.get(i));
        lookAtItems(record);
        haveTimes &= record.hasTime();
      }
      return haveTimes;
    }

    private static void lookAtItems(RecordCursor record) {
      if (record.hasExtendedItems()) {
        // Looks at the chain of items, so that a broken one is found here too.
        record.payloadOffset();
      }
    }

    private void noteTime(int file, RecordCursor record) {
      if (record.hasTime()) {
        long ticks = record.ticks();
        first[file] = Math.min(first[file], ticks);
        last[file] = Math.max(last[file], ticks);
      }
    }

    @Override
    public Counting merge(Counting other) {
      for (int f = 0; f < kinds.length; f++) {
        for (int k = 0; k < kinds[f].length; k++) {
          kinds[f][k] += other.kinds[f][k];
        }
        bytes[f] += other.bytes[f];
        first[f] = Math.min(first[f], other.first[f]);
        last[f] = Math.max(last[f], other.last[f]);
      }
      return this;
    }

    @Override
    public void settle() {
      // Sums and extremes are in no order.
    }

    /** Returns the summary of all that was counted. */
    public EtwSummary summary(EtwRecording recording) {
      List<Part> parts = new ArrayList<>();
      for (int f = 0; f < files.size(); f++) {
        parts.add(part(recording, files.get(f), this, f));
      }
      return new EtwSummary(List.copyOf(parts));
    }
  }

  /** Counts all records. */
  public static EtwSummary of(EtwRecording recording, int cores) {
    return recording.survey(cores, () -> new Counting(recording)).summary(recording);
  }

  private static Part part(EtwRecording recording, EtlFile file, Counting counted, int f) {
    int compressed = 0;
    BitSet cpus = new BitSet();
    for (int b = 0; b < file.buffers().count(); b++) {
      compressed += file.buffers().compressed(b) ? 1 : 0;
      if (!file.buffers().isHeader(b)) {
        cpus.set(file.buffers().cpu(b));
      }
    }
    long records = 0;
    for (long count : counted.kinds[f]) {
      records += count;
    }
    boolean any = counted.first[f] <= counted.last[f];
    return new Part(
        file.name(),
        records,
        file.buffers().count(),
        compressed,
        file.buffers().afterLoss(),
        counted.kinds[f],
        counted.bytes[f],
        cpus,
        file.header().map(LogFileHeader::processors).orElse(0L),
        file.header().map(LogFileHeader::eventsLost).orElse(0L),
        file.header().map(LogFileHeader::buffersLost).orElse(0L),
        EtwRecording.isNeverFinalised(file) ? 1 : 0,
        any ? file.clock().fileTime(counted.first[f]) : 0,
        any ? file.clock().fileTime(counted.last[f]) : 0,
        any ? recording.nanos(file, counted.first[f]) : Long.MAX_VALUE,
        any ? recording.nanos(file, counted.last[f]) : Long.MIN_VALUE);
  }

  /** All files together. */
  public Part total() {
    if (files.size() == 1) {
      return files.getFirst();
    }
    long[] kinds = new long[RecordKind.values().length];
    BitSet cpus = new BitSet();
    long records = 0;
    int buffers = 0;
    int compressed = 0;
    int afterLoss = 0;
    long bytes = 0;
    long configured = 0;
    long eventsLost = 0;
    long buffersLost = 0;
    int neverFinalised = 0;
    long firstFileTime = Long.MAX_VALUE;
    long lastFileTime = 0;
    long firstNanos = Long.MAX_VALUE;
    long lastNanos = Long.MIN_VALUE;
    for (Part part : files) {
      for (int k = 0; k < kinds.length; k++) {
        kinds[k] += part.recordsByKind[k];
      }
      cpus.or(part.cpus);
      records += part.records;
      buffers += part.buffers;
      compressed += part.compressedBuffers;
      afterLoss += part.buffersAfterLoss;
      bytes += part.recordBytes;
      configured = Math.max(configured, part.cpusConfigured);
      eventsLost += part.eventsLost;
      buffersLost += part.buffersLost;
      neverFinalised += part.neverFinalised;
      firstNanos = Math.min(firstNanos, part.firstNanos);
      lastNanos = Math.max(lastNanos, part.lastNanos);
      if (part.firstFileTime != 0) {
        firstFileTime = Math.min(firstFileTime, part.firstFileTime);
        lastFileTime = Math.max(lastFileTime, part.lastFileTime);
      }
    }
    return new Part(
        files.size() + " files",
        records,
        buffers,
        compressed,
        afterLoss,
        kinds,
        bytes,
        cpus,
        configured,
        eventsLost,
        buffersLost,
        neverFinalised,
        firstFileTime == Long.MAX_VALUE ? 0 : firstFileTime,
        lastFileTime,
        firstNanos,
        lastNanos);
  }
}
