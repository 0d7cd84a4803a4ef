package io.ntrail.formats.jtrc;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of a client as a flyweight: it is the record it is on. For one thread.
 *
 * <p>Bits 2 and 3 of the first word are not zero in every file and mean nothing. Records of a chunk
 * are in order of time: one outside the times with which it begins and ends, of a routine at
 * address 0 or of type 3 is damaged.
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

  /** Times of the chunk: of its first and last record, if these can be believed. */
  private long earliest;

  private long latest;

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
    findTimes(client.records(which));
  }

  /** Of the first and the last record, the one that a record between them contradicts is wrong. */
  private void findTimes(int count) {
    earliest = Long.MIN_VALUE;
    latest = Long.MAX_VALUE;
    if (count > 0) {
      long first = ticks(0);
      long last = ticks(count - 1);
      boolean isFirstWrong = first > last && ticks(count / 2) <= last;
      boolean isLastWrong = first > last && !isFirstWrong;
      earliest = isFirstWrong ? Long.MIN_VALUE : first;
      latest = isLastWrong ? Long.MAX_VALUE : last;
    }
  }

  private long ticks(int record) {
    return current().i64(JtrcFile.TRACE_HEADER + RECORD * record) >>> 4;
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
      String damage = damage();
      if (damage == null) {
        return true;
      }
      gaps.add(new Gap(bytes.name(), bytes.base() + at, RECORD, "record", damage));
    }
  }

  private @Nullable String damage() {
    if (kind() > UNWIND) {
      return JtrcError.INVALID_TRANSITION.text("its type is 3");
    }
    if (ticks() < earliest || ticks() > latest) {
      return "its time is outside those of its chunk";
    }
    return procedure() == 0 ? "its routine is at address 0" : null;
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
