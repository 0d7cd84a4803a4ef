package io.ntrail.analysis.etw.ipt;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.pt.IptRecord;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads the bytes of pieces. Those of one CPU lie one behind the other, so that a cursor is kept
 * for each of some CPUs. For one thread.
 */
public final class PieceReader implements AutoCloseable {
  /** Cursors at most; each may hold the memory of one inflated buffer. */
  private static final int MOST_CURSORS = 64;

  private final EtwRecording recording;
  private final PieceTable pieces;
  private final Map<Long, RecordCursor> cursors = new LinkedHashMap<>(64, 0.75f, true);

  PieceReader(EtwRecording recording, PieceTable pieces) {
    this.recording = recording;
    this.pieces = pieces;
  }

  /**
   * Returns the record of a piece; valid until the next one is read.
   *
   * @param number of the piece among those that are listed
   * @throws DamagedInput if the file changed since it was surveyed
   */
  public IptRecord read(int number) {
    int file = pieces.file(number);
    int buffer = pieces.buffer(number);
    int offset = pieces.offset(number);
    EtlFile etl = recording.files().get(file);
    long key = (long) file << Integer.SIZE | pieces.cpu(number);
    RecordCursor cursor = cursors.get(key);
    if (cursor == null) {
      makeRoom();
      cursor = recording.cursor(etl);
      cursors.put(key, cursor);
      cursor.open(buffer);
    } else if (cursor.buffer() != buffer || cursor.offset() >= offset) {
      cursor.open(buffer);
    }
    while (cursor.next()) {
      if (cursor.offset() == offset) {
        return IptRecord.of(cursor.bytes(), cursor.payloadOffset(), cursor.payloadLength());
      }
    }
    throw new DamagedInput(
        etl.name(), etl.buffers().fileOffset(buffer), "a piece of Processor Trace is gone");
  }

  private void makeRoom() {
    if (cursors.size() == MOST_CURSORS) {
      long oldest = cursors.keySet().iterator().next();
      RecordCursor closed = cursors.remove(oldest);
      if (closed != null) {
        closed.close();
      }
    }
  }

  @Override
  public void close() {
    cursors.values().forEach(RecordCursor::close);
    cursors.clear();
  }
}
