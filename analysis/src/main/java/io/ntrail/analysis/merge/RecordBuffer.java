package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.EtlFileWriter;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;
import java.util.Arrays;

/** Buffer of a new recording that is being filled. */
final class RecordBuffer {
  private final EtlFileWriter out;
  private final RecordRewriter rewriter;
  private final byte[] data;
  private byte[] header = new byte[0];
  private int length;
  private int count;
  private boolean hasLoss;

  /** Place of the last record with a time, and number of records before it. */
  private int timed;

  private int beforeTimed;

  /** Makes an empty one. */
  RecordBuffer(EtlFileWriter out, RecordRewriter rewriter) {
    this.out = out;
    this.rewriter = rewriter;
    this.data = new byte[out.bufferSize() - EtlFileWriter.BUFFER_HEADER];
  }

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

  /** Adds the record of a cursor, from a buffer with a header. */
  void add(RecordCursor record, byte[] itsHeader) throws IOException {
    int size = record.size();
    room(size + 7 & ~7, record.hasTime(), itsHeader);
    record.bytes().copyTo(record.offset(), data, length, size);
    rewriter.rewrite(record, data, length);
    pad(size);
  }

  /** Adds records of a buffer with a header. */
  void add(KeptRecords records, byte[] itsHeader) throws IOException {
    if (records.isApart()) {
      flush();
    }
    int from = 0;
    int next = 0;
    while (next < records.count()) {
      room(records.end(next) - from, records.hasTime(next), itsHeader);
      int first = next;
      int most = from + data.length - length;
      while (next < records.count() && records.end(next) <= most) {
        next++;
      }
      int end = records.end(next - 1);
      int last = records.lastTimed(next);
      if (last >= first) {
        timed = length + (last == 0 ? 0 : records.end(last - 1)) - from;
        beforeTimed = count + last - first;
      }
      System.arraycopy(records.data(), from, data, length, end - from);
      length += end - from;
      count += next - first;
      from = end;
    }
    if (records.isAlone()) {
      flush();
    }
  }

  /** Adds the bytes of a record as they are. */
  void add(byte[] record, byte[] itsHeader) throws IOException {
    room(record.length, true, itsHeader);
    System.arraycopy(record, 0, data, length, record.length);
    pad(record.length);
  }

  private void room(int size, boolean hasTime, byte[] itsHeader) throws IOException {
    if (length + size > data.length) {
      if (hasTime) {
        flush();
      } else {
        flushBeforeTimed(itsHeader);
      }
    }
    if (length == 0) {
      header = itsHeader;
    }
    if (hasTime) {
      timed = length;
      beforeTimed = count;
    }
  }

  /**
   * Writes what is in front of the last record with a time: a record without one has that of the
   * record before it in its buffer.
   */
  private void flushBeforeTimed(byte[] itsHeader) throws IOException {
    byte[] rest = Arrays.copyOfRange(data, timed, length);
    int records = count - beforeTimed;
    length = timed;
    count = beforeTimed;
    flush();
    System.arraycopy(rest, 0, data, 0, rest.length);
    length = rest.length;
    count = records;
    header = itsHeader;
  }

  private void pad(int size) {
    length += size;
    count++;
    while (length % 8 != 0) {
      data[length++] = 0;
    }
  }

  /** Writes what is in it, if anything is. */
  void flush() throws IOException {
    if (length > 0) {
      out.buffer(header, hasLoss, data, length, count);
      hasLoss = false;
    }
    length = 0;
    count = 0;
    timed = 0;
    beforeTimed = 0;
  }
}
