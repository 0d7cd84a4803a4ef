package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.Gaps;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a recording in which all that another one holds happens several times, one time after the
 * other: a short recording becomes one that is long enough to practise with.
 *
 * <p>Each time is later by the span of the records, and so are the times that stack records name.
 * Everything else is as it was: processes begin again, and stacks are defined again.
 */
public final class RepeatedRecording {
  private final EtlFile file;
  private final RecordTable table = new RecordTable();
  private long earliest = Long.MAX_VALUE;
  private long latest = Long.MIN_VALUE;

  private RepeatedRecording(EtlFile file) {
    this.file = file;
  }

  /** Returns true if a recording can be repeated: none of its buffers is compressed. */
  public static boolean isRepeatable(EtlFile file) {
    for (int b = 0; b < file.buffers().count(); b++) {
      if (file.buffers().compressed(b)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes the recording.
   *
   * @param file what is repeated: one session's buffers as they were recorded, not compressed
   * @param out receives it, and stays open
   * @param times at least 1
   * @throws IllegalArgumentException unless the file {@link #isRepeatable}
   */
  public static void write(EtlFile file, OutputStream out, int times) throws IOException {
    new RepeatedRecording(file).write(out, times);
  }

  private void write(OutputStream out, int times) throws IOException {
    if (!isRepeatable(file)) {
      throw new IllegalArgumentException(file.name() + " is compressed");
    }
    BufferIndex buffers = file.buffers();
    try (RecordCursor cursor = file.cursor(new Gaps())) {
      int repeated = 0;
      for (int b = 0; b < buffers.count(); b++) {
        if (!buffers.isHeader(b)) {
          list(cursor, b);
          repeated++;
        }
      }
      long span = latest - earliest + 1;
      for (int time = 0; time < times; time++) {
        for (int b = 0; b < buffers.count(); b++) {
          if (buffers.isHeader(b)) {
            if (time == 0) {
              out.write(header(cursor, b, buffers.count() + repeated * (times - 1)).toArray());
            }
          } else {
            list(cursor, b);
            out.write(later(cursor, b, time * span).toArray());
          }
        }
      }
    }
  }

  private void list(RecordCursor cursor, int buffer) {
    cursor.open(buffer);
    cursor.index(table);
    earliest = Math.min(earliest, table.earliest(0, table.count()));
    latest = Math.max(latest, table.latest(0, table.count()));
  }

  private BytesBuilder header(RecordCursor cursor, int buffer, int buffersWritten) {
    BytesBuilder bytes = bytes(buffer);
    cursor.open(buffer);
    if (cursor.next()) {
      bytes.setU32(cursor.payloadOffset() + EtlFileWriter.BUFFERS_WRITTEN, buffersWritten);
    }
    return bytes;
  }

  /** A buffer whose times are later. */
  private BytesBuilder later(RecordCursor cursor, int buffer, long span) {
    Bytes from = file.window(buffer);
    BytesBuilder bytes = bytes(buffer);
    add(from, bytes, EtlLayout.TimeStamp, span);
    for (int i = 0; i < table.count(); i++) {
      int time = RecordKind.at(table.kindOrdinal(i)).timeOffset();
      if (time >= 0) {
        add(from, bytes, table.offset(i) + time, span);
      }
      if (isStack(i)) {
        cursor.moveTo(table, i);
        int place = cursor.payloadOffset() + KernelFieldOffsets.Stack.EVENT_TIME_STAMP;
        add(from, bytes, place, span);
      }
    }
    return bytes;
  }

  private boolean isStack(int i) {
    if (!table.isHook(i)) {
      return false;
    }
    return switch (table.hookId(i)) {
      case KernelEvent.STACKWALK_STACK,
          KernelEvent.STACKWALK_STACKKEYKERNEL,
          KernelEvent.STACKWALK_STACKKEYUSER ->
          true;
      default -> false;
    };
  }

  private BytesBuilder bytes(int buffer) {
    int length = file.buffers().fileBytes(buffer);
    return new BytesBuilder(length).bytes(file.window(buffer).array(0, length));
  }

  private static void add(Bytes from, BytesBuilder to, int at, long span) {
    to.setU64(at, from.i64(at) + span);
  }
}
