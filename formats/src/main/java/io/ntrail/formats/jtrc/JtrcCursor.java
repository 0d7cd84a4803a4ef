package io.ntrail.formats.jtrc;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of a client as a flyweight: it is the record it is on. For one thread.
 *
 * <p>Bits 2 and 3 of the first word are not zero in every file and mean nothing.
 */
public final class JtrcCursor {
  /** Bytes of a record. */
  static final int RECORD = 16;

  /** {@link #kind()}: a routine was entered; {@link #value()} is its caller. */
  public static final int ENTRY = 0;

  /** {@link #kind()}: a routine returned; {@link #value()} is what it returned (eax). */
  public static final int EXIT = 1;

  /** {@link #kind()}: an exception left a routine; {@link #value()} is its code. */
  public static final int UNWIND = 2;

  private final JtrcFile file;
  private final JtrcClient client;
  private final Gaps gaps;
  private @Nullable Bytes records;
  private int chunk = -1;
  private int at;
  private int end;
  private long word;

  JtrcCursor(JtrcFile file, JtrcClient client, Gaps gaps) {
    this.file = file;
    this.client = client;
    this.gaps = gaps;
  }

  /**
   * Moves before a record: the next {@link #next()} goes to it, or to the first readable one after
   * it.
   */
  public void seek(long record) {
    if (client.chunks() == 0 || record >= client.records()) {
      chunk = client.chunks();
      records = null;
      at = end;
      return;
    }
    open(client.chunkOf(record));
    at += RECORD * (int) (record - client.firstRecord(chunk));
  }

  private void open(int which) {
    chunk = which;
    int length = JtrcFile.TRACE_HEADER + RECORD * client.records(which);
    records = file.window(client.offset(which), length);
    at = JtrcFile.TRACE_HEADER - RECORD;
    end = length;
  }

  /** Goes to the next record; false if there is none. */
  public boolean next() {
    while (true) {
      Bytes bytes = records;
      if (bytes == null || at + RECORD >= end) {
        if (chunk + 1 >= client.chunks()) {
          records = null;
          return false;
        }
        open(chunk + 1);
        continue;
      }
      at += RECORD;
      word = bytes.i64(at);
      if ((word & 3) != 3) {
        return true;
      }
      gaps.add(
          new Gap(
              bytes.name(),
              bytes.base() + at,
              RECORD,
              "record",
              JtrcError.INVALID_TRANSITION.text("its type is 3")));
    }
  }

  /** Returns the number, in the client, of the record after this one. */
  public long nextRecord() {
    if (chunk < 0) {
      return 0;
    }
    return chunk >= client.chunks()
        ? client.records()
        : client.firstRecord(chunk) + (at - JtrcFile.TRACE_HEADER) / RECORD + 1;
  }

  /** {@link #ENTRY}, {@link #EXIT} or {@link #UNWIND}. */
  public int kind() {
    return (int) word & 3;
  }

  /** When, in ticks of the file's clock. */
  public long ticks() {
    return word >>> 4;
  }

  /** The address of the routine. */
  public long procedure() {
    return current().u32(at + 8);
  }

  /** The caller's address, the returned value or the code of the exception. */
  public long value() {
    return current().u32(at + 12);
  }

  private Bytes current() {
    Bytes bytes = records;
    if (bytes == null) {
      throw new IllegalStateException("there is no record here");
    }
    return bytes;
  }
}
