package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The records that a walk gave, each as a line of numbers: comparable as a whole. */
final class RecordWalk {
  /** One record: where it stands and what it says. */
  record Line(
      long time,
      int cpu,
      long sequence,
      int file,
      int buffer,
      int offset,
      int kind,
      int size,
      int pid,
      int tid,
      int id,
      long hash) {}

  static final class Taker {
    private final List<Line> lines = new ArrayList<>();
    private long late;
    private long backwards;
    private long last = Long.MIN_VALUE;

    void take(int file, RecordCursor record, long time) {
      lines.add(line(file, record, time));
      if (time < last) {
        backwards++;
      }
      last = time;
    }

    RecordWalk walked() {
      return new RecordWalk(lines, late, backwards);
    }
  }

  private final List<Line> lines;
  private final long late;
  private final long backwards;

  private RecordWalk(List<Line> lines, long late, long backwards) {
    this.lines = lines;
    this.late = late;
    this.backwards = backwards;
  }

  static Line line(int file, RecordCursor record, long time) {
    BufferIndex index = record.file().buffers();
    int buffer = record.buffer();
    int offset = record.offset() + (index.compressed(buffer) ? 72 : 0);
    return new Line(
        time,
        record.cpu(),
        index.sequence(buffer),
        file,
        buffer,
        offset,
        record.kindOrdinal(),
        record.size(),
        record.processId(),
        record.threadId(),
        record.id(),
        hash(record.bytes(), record.offset(), record.size()));
  }

  /** The records in the order of the walk in time. */
  static RecordWalk inOrder(EtwRecording recording) {
    Taker taker = new Taker();
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        taker.take(cursor.fileNumber(), record, recording.key(record.file(), record.ticks()));
      }
      taker.late = cursor.lateRecords();
    }
    return taker.walked();
  }

  /** The records buffer after buffer. */
  static RecordWalk everyBuffer(EtwRecording recording) {
    Taker taker = new Taker();
    for (int f = 0; f < recording.files().size(); f++) {
      EtlFile file = recording.files().get(f);
      try (RecordCursor cursor = recording.cursor(file)) {
        for (int b = 0; b < file.buffers().count(); b++) {
          cursor.open(b);
          while (cursor.next()) {
            taker.take(f, cursor, recording.key(file, cursor.ticks()));
          }
        }
      }
    }
    return taker.walked();
  }

  /** Returns the records in the order of the contract, by a sort that is not the reader's. */
  RecordWalk sorted() {
    List<Line> sorted = new ArrayList<>(lines);
    sorted.sort(
        Comparator.comparingLong(Line::time)
            .thenComparingInt(Line::cpu)
            .thenComparingLong(Line::sequence)
            .thenComparingInt(Line::file)
            .thenComparingInt(Line::buffer)
            .thenComparingInt(Line::offset));
    return new RecordWalk(sorted, late, 0);
  }

  List<Line> lines() {
    return lines;
  }

  int count() {
    return lines.size();
  }

  long late() {
    return late;
  }

  long backwards() {
    return backwards;
  }

  /** All lines, shown in short where two differ. */
  Sequence sequence() {
    return new Sequence(lines);
  }

  /** Equal if all lines are; its text begins at the first lines only, to stay readable. */
  record Sequence(List<Line> lines) {
    @Override
    public String toString() {
      return lines.size()
          + " records, hash "
          + lines.hashCode()
          + ", first "
          + lines.subList(0, Math.min(3, lines.size()));
    }
  }

  static long hash(Bytes bytes, int at, int length) {
    return Arrays.hashCode(bytes.array(at, length));
  }
}
