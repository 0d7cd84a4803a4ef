package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;

/**
 * {@code WMI_BUFFER_HEADER}, the 72 bytes before the records of a buffer.
 *
 * @param bufferSize bytes in the file, this header included
 * @param savedOffset compressed buffers: size after decompression, this header included
 * @param timeStamp when the buffer was flushed, in the session's clock or as FILETIME
 * @param sequenceNumber order of hand-out within its session
 * @param processorIndex the CPU that filled it
 * @param loggerId number of its session
 * @param state what the logger was doing with it; see the package's page for compressed files
 * @param offset end of the records, this header included
 * @param flags {@code BufferFlag}
 * @param type {@code BufferType}
 */
public record BufferHeader(
    long bufferSize,
    long savedOffset,
    long timeStamp,
    long sequenceNumber,
    int processorIndex,
    int loggerId,
    int state,
    long offset,
    int flags,
    int type) {

  /** Reads the header at {@code at}. */
  public static BufferHeader read(Bytes bytes, int at) {
    int flags = bytes.u16(at + EtlLayout.BufferFlag);
    int context = bytes.u16(at + EtlLayout.ProcessorIndex);
    boolean fullIndex = (flags & EtlLayout.ETW_BUFFER_FLAG_PROCESSOR_INDEX) != 0;
    return new BufferHeader(
        bytes.u32(at),
        bytes.u32(at + EtlLayout.SavedOffset),
        bytes.i64(at + EtlLayout.TimeStamp),
        bytes.i64(at + EtlLayout.SequenceNumber),
        // Before Windows 8 the high byte was the buffer's alignment.
        fullIndex ? context & EtlLayout.PROCESSOR_MASK : context & 0xFF,
        bytes.u16(at + EtlLayout.LoggerId),
        bytes.i32(at + EtlLayout.State),
        bytes.u32(at + EtlLayout.Offset),
        flags,
        bytes.u16(at + EtlLayout.BufferType));
  }

  /** Returns true if the records are compressed. */
  public boolean compressed() {
    return (flags & EtlLayout.ETW_BUFFER_FLAG_COMPRESSED) != 0;
  }

  BufferHeader notCompressed() {
    return new BufferHeader(
        bufferSize,
        savedOffset,
        timeStamp,
        sequenceNumber,
        processorIndex,
        loggerId,
        state,
        offset,
        flags & ~EtlLayout.ETW_BUFFER_FLAG_COMPRESSED,
        type);
  }

  boolean plausibleSize() {
    return bufferSize >= EtlLayout.BUFFER_HEADER && bufferSize <= EtlLayout.BUFFER_MAXIMUM;
  }

  /** Returns true if the fields other than the size could be those of a buffer header. */
  boolean plausibleFields() {
    return type <= EtlLayout.ETW_BUFFER_TYPE_MAXIMUM
        && (state & 0xFFFF) <= EtlLayout.STATE_MAXIMUM
        && (!compressed()
            || (savedOffset >= EtlLayout.BUFFER_HEADER && savedOffset <= EtlLayout.BUFFER_MAXIMUM));
  }
}
