package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;

/**
 * The header of a WPP message ({@code TRACE_MESSAGE}). Only a TMF file gives the types of the
 * arguments after it.
 *
 * <p>u16 size, u8, u8 0x90, u16 message number, u16 flags; then, as the flags say and in this
 * order: u32 sequence (1), GUID (2) or u32 component id (4), u64 time (8), u32 thread and u32
 * process (0x20).
 *
 * @param number message number within its GUID
 * @param flags {@code TRACE_MESSAGE_*}
 * @param sequence sequence number, {@link #NO_SEQUENCE} if there is none
 * @param guid message GUID; a component id is in the first 32 bits of an else empty one
 * @param ticks raw time stamp, 0 if there is none
 * @param threadId {@link RecordCursor#NO_ID} if there is none
 * @param processId {@link RecordCursor#NO_ID} if there is none
 */
public record WppMessage(
    int number, int flags, long sequence, Guid guid, long ticks, int threadId, int processId) {
  /** Stands for a sequence number that is not there; those that are have 32 bits. */
  public static final long NO_SEQUENCE = -1;

  static WppMessage read(Bytes bytes, int at, int size) {
    int end = at + size;
    int flags = bytes.u16(at + 6);
    int next = at + 8;
    long sequence = NO_SEQUENCE;
    if (has(flags, EtlLayout.TRACE_MESSAGE_SEQUENCE) && next + 4 <= end) {
      sequence = bytes.u32(next);
      next += 4;
    }
    Guid guid = Guid.ZERO;
    if (has(flags, EtlLayout.TRACE_MESSAGE_GUID) && next + 16 <= end) {
      guid = Guid.read(bytes, next);
      next += 16;
    } else if (has(flags, EtlLayout.TRACE_MESSAGE_COMPONENTID) && next + 4 <= end) {
      guid = new Guid(bytes.u32(next), 0);
      next += 4;
    }
    long ticks = 0;
    if (has(flags, EtlLayout.TRACE_MESSAGE_TIMESTAMP) && next + 8 <= end) {
      ticks = bytes.i64(next);
      next += 8;
    }
    int thread = RecordCursor.NO_ID;
    int process = RecordCursor.NO_ID;
    if (has(flags, EtlLayout.TRACE_MESSAGE_SYSTEMINFO) && next + 8 <= end) {
      thread = bytes.i32(next);
      process = bytes.i32(next + 4);
    }
    return new WppMessage(bytes.u16(at + 4), flags, sequence, guid, ticks, thread, process);
  }

  /** Pointer width of the writer: 4 or 8. */
  public int pointerBytes() {
    return has(flags, EtlLayout.TRACE_MESSAGE_POINTER32) ? 4 : 8;
  }

  static int pointerBytes(Bytes bytes, int at) {
    return has(bytes.u16(at + 6), EtlLayout.TRACE_MESSAGE_POINTER32) ? 4 : 8;
  }

  static boolean hasTime(Bytes bytes, int at) {
    return has(bytes.u16(at + 6), EtlLayout.TRACE_MESSAGE_TIMESTAMP);
  }

  /** The time stamp of the message at {@code at}, or {@code otherwise} if it has none. */
  static long time(Bytes bytes, int at, int size, long otherwise) {
    int flags = bytes.u16(at + 6);
    if (!has(flags, EtlLayout.TRACE_MESSAGE_TIMESTAMP)) {
      return otherwise;
    }
    int where = at + timeOffset(flags);
    return where + 8 <= at + size ? bytes.i64(where) : otherwise;
  }

  /** Bytes before the arguments. */
  static int headerBytes(Bytes bytes, int at) {
    int flags = bytes.u16(at + 6);
    return timeOffset(flags)
        + (has(flags, EtlLayout.TRACE_MESSAGE_TIMESTAMP) ? 8 : 0)
        + (has(flags, EtlLayout.TRACE_MESSAGE_SYSTEMINFO) ? 8 : 0);
  }

  private static int timeOffset(int flags) {
    int sequence = has(flags, EtlLayout.TRACE_MESSAGE_SEQUENCE) ? 4 : 0;
    int guid = 0;
    if (has(flags, EtlLayout.TRACE_MESSAGE_GUID)) {
      guid = 16;
    } else if (has(flags, EtlLayout.TRACE_MESSAGE_COMPONENTID)) {
      guid = 4;
    }
    return 8 + sequence + guid;
  }

  private static boolean has(int flags, int bit) {
    return (flags & bit) != 0;
  }
}
