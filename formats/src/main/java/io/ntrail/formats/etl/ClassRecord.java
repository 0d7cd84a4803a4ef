package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.identity.Guid;

/**
 * Record of a class event with a full header (FULL_HEADER32 or 64), as those who merge recordings
 * add them.
 *
 * @param eventClass class GUID
 * @param opcode type of the event
 * @param version of the event
 * @param ticks raw time stamp
 * @param processId of the header
 * @param threadId of the header
 * @param pointerBytes width of pointers in the payload, 4 or 8
 */
public record ClassRecord(
    Guid eventClass,
    int opcode,
    int version,
    long ticks,
    int processId,
    int threadId,
    int pointerBytes) {
  /** Bytes of the header. */
  public static final int HEADER = 48;

  /** Returns the bytes, padded to 8. */
  public byte[] bytes(byte[] payload) {
    RecordKind kind = pointerBytes == 4 ? RecordKind.FULL32 : RecordKind.FULL64;
    BytesBuilder record = new BytesBuilder(HEADER + payload.length + 8);
    record.u16(HEADER + payload.length).u8(kind.headerType()).u8(0xC0);
    record.u8(opcode).u8(0).u16(version).u32(threadId).u32(processId).u64(ticks);
    record.u64(eventClass.low()).u64(eventClass.high()).u64(0).bytes(payload);
    return record.zeros(-record.size() & 7).toArray();
  }
}
