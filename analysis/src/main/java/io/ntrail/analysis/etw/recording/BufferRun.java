package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import org.jspecify.annotations.Nullable;

/** One buffer that {@link OrderedCursor} reads: a run of records in order of time. */
final class BufferRun {
  private static final long[] NO_KEYS = {};
  private static final int MANY = 1000;

  /** Objects that read one buffer, used again for one buffer after the other. */
  record Opened(RecordCursor cursor, RecordTable table) {
    static Opened of(EtwRecording recording, EtlFile file) {
      // Of fewer buffers, many are open at once: memory for them costs as much as pages.
      boolean isRead = file.buffers().count() >= MANY;
      RecordCursor cursor = isRead ? recording.readingCursor(file) : recording.cursor(file);
      return new Opened(cursor, new RecordTable());
    }
  }

  final int file;
  final EtlFile etl;
  final int buffer;
  final int cpu;
  final long sequence;
  @Nullable Opened opened;

  /** The cursor of {@link #opened}, where a visit to each record finds it at once. */
  @Nullable RecordCursor cursor;

  long tableMemory;
  long bufferMemory;
  long[] keys = NO_KEYS;
  int count;

  /** The first record that is in no batch yet, and the one that was when the batch began. */
  int position;

  int begun;
  long nextKey;

  BufferRun(int file, EtlFile etl, int buffer) {
    this.file = file;
    this.etl = etl;
    this.buffer = buffer;
    BufferIndex index = etl.buffers();
    this.cpu = index.cpu(buffer);
    this.sequence = index.sequence(buffer);
  }

  /** Notes that what it was read into is used for another one. */
  void forget() {
    opened = null;
    cursor = null;
    keys = NO_KEYS;
  }

  /**
   * The order of records of one time stamp. Written out: comparators that the library puts together
   * are made at run time, which every start would wait for.
   */
  static int byTies(BufferRun a, BufferRun b) {
    int order = Integer.compare(a.cpu, b.cpu);
    order = order != 0 ? order : Long.compare(a.sequence, b.sequence);
    order = order != 0 ? order : Integer.compare(a.file, b.file);
    return order != 0 ? order : Integer.compare(a.buffer, b.buffer);
  }
}
