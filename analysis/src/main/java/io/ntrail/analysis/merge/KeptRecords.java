package io.ntrail.analysis.merge;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.etl.CopiedGaps;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Records of a buffer that a selection keeps, as they are written; used for buffer after buffer.
 */
final class KeptRecords {
  private static final int ALIGNMENT = 8;

  private byte[] data = new byte[1 << 16];
  private int[] ends = new int[1 << 10];
  private int count;
  private final BitSet times = new BitSet();
  private boolean isApart;
  private boolean isAlone;

  /** Records that were left out, by the answer of the selection. */
  private final long[] left = new long[RecordSelection.ANSWERS];

  KeptRecords() {}

  /** Returns the records, each padded to 8 bytes. */
  byte[] data() {
    return data;
  }

  /** Returns the number of records. */
  int count() {
    return count;
  }

  /** Returns the end of a record. */
  int end(int record) {
    return ends[record];
  }

  /** Returns true if the first one must not follow a record of another buffer. */
  boolean isApart() {
    return isApart;
  }

  /** Returns true if no record of another buffer may follow them. */
  boolean isAlone() {
    return isAlone;
  }

  /** Returns true if a record has a time of its own. */
  boolean hasTime(int record) {
    return times.get(record);
  }

  /** Returns the last record before another one that has a time of its own, or -1. */
  int lastTimed(int before) {
    return times.previousSetBit(before - 1);
  }

  /** Returns the number of records that were left out for a reason. */
  long left(int answer) {
    return left[answer];
  }

  /**
   * Takes the records of a buffer.
   *
   * @param file number of the file
   * @param cursor before the first record
   */
  void take(int file, RecordCursor cursor, RecordSelection selection, RecordRewriter rewriter) {
    count = 0;
    isApart = false;
    times.clear();
    Arrays.fill(left, 0);
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
      boolean hasTime = cursor.hasTime();
      int answer = selection.of(file, cursor);
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
        addPassed(cursor, timed, rewriter);
        left[timedAnswer]--;
      } else if (isFirst && !hasTime) {
        // It has the time of the buffer or of the record behind it, not of one before it.
        isApart = true;
        isLeading = true;
      }
      isLeading &= !hasTime;
      timed = -1;
      isFirst = false;
      add(cursor, rewriter);
    }
    // Such records alone have the time of the buffer.
    isAlone = isLeading;
  }

  /** Adds a record of the open buffer that was passed. */
  private void addPassed(RecordCursor current, int offset, RecordRewriter rewriter) {
    // What is damaged there was told when it was passed.
    try (RecordCursor again = current.file().cursor(new Gaps())) {
      again.open(current.buffer());
      while (again.next()) {
        if (again.offset() == offset) {
          add(again, rewriter);
          return;
        }
      }
    }
    throw new IllegalStateException("no record at " + offset);
  }

  private void add(RecordCursor record, RecordRewriter rewriter) {
    int at = count == 0 ? 0 : ends[count - 1];
    int size = record.size();
    int end = at + size + ALIGNMENT - 1 & -ALIGNMENT;
    if (end > data.length) {
      data = Arrays.copyOf(data, Math.max(end, 2 * data.length));
    }
    if (count == ends.length) {
      ends = Arrays.copyOf(ends, 2 * count);
    }
    record.bytes().copyTo(record.offset(), data, at, size);
    rewriter.rewrite(record, data, at);
    Arrays.fill(data, at + size, end, (byte) 0);
    times.set(count, record.hasTime());
    ends[count++] = end;
  }
}
