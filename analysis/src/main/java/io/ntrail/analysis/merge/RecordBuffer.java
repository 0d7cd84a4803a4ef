package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.EtlFileWriter;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;

/** Buffer of a new recording that is being filled. */
final class RecordBuffer {
  private final EtlFileWriter out;
  private final RecordRewriter rewriter;
  private final byte[] data;
  private byte[] header = new byte[0];
  private int length;
  private int count;
  private boolean hasLoss;

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
    room(size + 7 & ~7, itsHeader);
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
      room(records.end(next) - from, itsHeader);
      int first = next;
      int most = from + data.length - length;
      while (next < records.count() && records.end(next) <= most) {
        next++;
      }
      int end = records.end(next - 1);
      System.arraycopy(records.data(), from, data, length, end - from);
      length += end - from;
      count += next - first;
      from = end;
    }
  }

  /** Adds the bytes of a record as they are. */
  void add(byte[] record, byte[] itsHeader) throws IOException {
    room(record.length, itsHeader);
    System.arraycopy(record, 0, data, length, record.length);
    pad(record.length);
  }

  private void room(int size, byte[] itsHeader) throws IOException {
    if (length + size > data.length) {
      flush();
    }
    if (length == 0) {
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

  /** Writes what is in it, if anything is. */
  void flush() throws IOException {
    if (length > 0) {
      out.buffer(header, hasLoss, data, length, count);
      hasLoss = false;
    }
    length = 0;
    count = 0;
  }
}
