package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;

/**
 * Session whose events a consumer gets from Windows, as the header of its recording tells of it.
 *
 * @param header TRACE_LOGFILE_HEADER, as OpenTrace filled it in
 * @param pointerBytes width of pointers in it, 4 or 8; that of the machine, too: for sessions
 *     without a file Windows tells 4 on machines of 64 bits
 * @param clockType of the time stamps: 1 performance counter, 2 system time
 * @param frequency ticks of the performance counter a second
 * @param ticks of that clock when the session was opened
 * @param fileTime system time then, which OpenTrace does not tell of sessions without a file
 * @param name of the session
 */
public record ConsumedSession(
    Bytes header,
    int pointerBytes,
    int clockType,
    long frequency,
    long ticks,
    long fileTime,
    String name) {
  /** Bytes of a buffer at most, with its header. */
  static final int BUFFER = 1 << 20;

  private static final int POINTERS = 56;
  private static final int END_TIME = 16;
  private static final int POINTER_SIZE = 44;
  private static final int ZONE_BYTES = 176;
  private static final int HOOK_BYTES = 32;

  /**
   * Returns the bytes of TRACE_LOGFILE_HEADER.
   *
   * @param pointerBytes width of pointers
   */
  public static int headerBytes(int pointerBytes) {
    return POINTERS + 2 * pointerBytes + ZONE_BYTES + 32;
  }

  /** Returns the header buffer: nothing but the header record. */
  byte[] buffer() {
    byte[] payload = payload();
    int end = EtlLayout.BUFFER_HEADER + HOOK_BYTES + payload.length;
    BytesBuilder out = new BytesBuilder(end + 8);
    out.zeros(EtlLayout.BUFFER_HEADER);
    RecordKind kind = pointerBytes == 4 ? RecordKind.SYSTEM32 : RecordKind.SYSTEM64;
    out.u16(2).u8(kind.headerType()).u8(0xC0).u16(HOOK_BYTES + payload.length).u16(0);
    out.u32(0).u32(0).u64(ticks).u64(0).bytes(payload).zeros(-out.size() & 7);
    out.setU32(0, out.size())
        .setU32(EtlLayout.SavedOffset, out.size())
        .setU32(EtlLayout.Offset, end)
        .setU16(EtlLayout.BufferType, EtlLayout.ETW_BUFFER_TYPE_HEADER);
    return out.toArray();
  }

  private byte[] payload() {
    int zone = POINTERS + 2 * pointerBytes;
    BytesBuilder out = new BytesBuilder(512);
    out.bytes(header.array(0, POINTERS)).zeros(2 * pointerBytes);
    // The zone and the time of the start of the machine; what follows is ours.
    out.bytes(header.array(zone, ZONE_BYTES + 8));
    out.u64(frequency).u64(fileTime).u32(clockType).u32(0).utf16z(name).utf16z("");
    // Counts of buffers and losses are those of the session, not of what a consumer gets.
    return out.setU32(0, BUFFER)
        .setU64(END_TIME, 0L)
        .setU32(36, 0)
        .setU32(40, 1)
        .setU32(POINTER_SIZE, pointerBytes)
        .setU32(48, 0)
        .toArray();
  }
}
