package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.compression.Compression;
import io.ntrail.formats.compression.XpressCompressor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;

/**
 * Writes a recording that is made of others: a header buffer, and buffers of records that are
 * copied as they are. Numbers of buffers rise in the order in which they are written; all else of
 * their headers, the processor and the number of the session among it, is that of the buffer that a
 * record comes from. One thread.
 *
 * <p>Source: facts on the container of {@code .etl} files; {@code WMI_BUFFER_HEADER} and {@code
 * TRACE_LOGFILE_HEADER} of ntwmi.h and evntrace.h.
 */
public final class EtlFileWriter {
  /** LogFileMode of a file that was made of others: relogged, sequential. */
  public static final int RELOGGED = 0x10001;

  /** Bit of LogFileMode of a file whose buffers are compressed. */
  public static final int COMPRESSED_MODE = 0x400_0000;

  /** Bytes before the records of a buffer. */
  public static final int BUFFER_HEADER = EtlLayout.BUFFER_HEADER;

  private static final int ALIGNMENT = 8;

  /** Bytes of a record at most: its size has 16 bits. */
  private static final int LARGEST = 0xFFF8;

  private static final String CUT = "...";

  private static final int HEADER_STEP = 512;
  private static final int RECORD_HEADER = 32;
  private static final int PROCESSORS = 12;
  private static final int END_TIME = 16;
  private static final int LOG_FILE_MODE = 32;
  static final int BUFFERS_WRITTEN = 36;
  private static final int EVENTS_LOST = 48;
  private static final int LOG_VERSION = 6;

  /** Flags of a buffer before which something was lost. */
  private static final int LOSS =
      EtlLayout.ETW_BUFFER_FLAG_EVENTS_LOST | EtlLayout.ETW_BUFFER_FLAG_BUFFER_LOST;

  /** Log format 1.5, of uncompressed files since Windows 7: minor number in the high byte. */
  private static final int LOG_1_5 = 0x0501;

  private static final int LOG_2_0 = 0x0002;

  /** State of a buffer that is being written to a file. */
  private static final int FLUSH = 3;

  private final SeekableByteChannel out;
  private final OutputStream stream;
  private final int bufferSize;
  private final int headerBytes;
  private final boolean isCompressed;
  private final XpressCompressor encoder = new XpressCompressor();
  private final byte[] slack;
  private long buffers;
  private long records;
  private long written;

  /** True if a buffer tells that something was lost before it. */
  private boolean tellsLoss;

  /**
   * Begins a file; the header buffer is written at the end.
   *
   * @param bufferSize bytes of a buffer with its header: at least 1 KiB
   * @param isCompressed true if buffers are compressed as far as that makes them smaller
   * @throws IOException if it cannot be written
   */
  public EtlFileWriter(SeekableByteChannel out, int bufferSize, boolean isCompressed)
      throws IOException {
    this(out, bufferSize, isCompressed, bufferSize);
  }

  /**
   * Begins a file; the header buffer is written at the end.
   *
   * @param bufferSize bytes of a data buffer with its header: at least 1 KiB
   * @param isCompressed true if buffers are compressed as far as that makes them smaller
   * @param headerBytes of the header buffer, at most {@code bufferSize}
   * @throws IOException if it cannot be written
   */
  public EtlFileWriter(
      SeekableByteChannel out, int bufferSize, boolean isCompressed, int headerBytes)
      throws IOException {
    this.out = out;
    this.headerBytes = headerBytes;
    this.bufferSize = bufferSize;
    this.isCompressed = isCompressed;
    this.stream = Channels.newOutputStream(out);
    this.slack = new byte[bufferSize];
    Arrays.fill(slack, (byte) 0xFF);
    out.position(headerBytes);
    buffers = 1;
    written = headerBytes;
  }

  /**
   * Returns the bytes that the header buffer of a compressed file takes: no more than it needs, in
   * the steps of the mergers of Windows. In other files all buffers have one size.
   *
   * @param from header buffer of the first file, which begins with its header record
   * @param fromEnd end of its records
   * @param changes of the header record
   * @param bufferSize bytes of a data buffer with its header
   */
  public static int headerBytes(Bytes from, int fromEnd, HeaderChanges changes, int bufferSize) {
    int behind = others(from);
    long needed =
        BUFFER_HEADER
            + RECORD_HEADER
            + namesOffset(from)
            + 2L * (changes.sessionName().length() + changes.fileName().length() + 2)
            + ALIGNMENT
            + (othersEnd(from, behind, fromEnd) - behind);
    return (int) Math.min(bufferSize, needed + HEADER_STEP - 1 & -HEADER_STEP);
  }

  /** Returns the offset of the names in the payload of the header record. */
  private static int namesOffset(Bytes from) {
    int kind = RecordKind.ofMarker(from.i32(BUFFER_HEADER));
    return 56 + 2 * RecordKind.at(kind).pointerBytes() + 176 + 32;
  }

  /** Returns the offset of the records behind the header record. */
  private static int others(Bytes from) {
    return BUFFER_HEADER + (from.u16(BUFFER_HEADER + 4) + ALIGNMENT - 1 & -ALIGNMENT);
  }

  private static int othersEnd(Bytes from, int others, int fromEnd) {
    int end = others;
    int length = 1;
    while (length > 0 && end + ALIGNMENT <= fromEnd) {
      length = length(from, end, fromEnd);
      end += length;
    }
    return end;
  }

  /** Returns the bytes of a buffer with its header. */
  public int bufferSize() {
    return bufferSize;
  }

  /** Returns the number of buffers so far, the header buffer included. */
  public long buffers() {
    return buffers;
  }

  /** Returns the number of records so far, without those of the header buffer. */
  public long records() {
    return records;
  }

  /** Returns the bytes of the file so far. */
  public long bytes() {
    return written;
  }

  /**
   * Writes a buffer.
   *
   * @param header of the buffer that the first record comes from
   * @param hasLoss true if the loss that the header tells is before this buffer
   * @param data records, each padded to 8 bytes
   * @param length bytes of them, at most {@link #bufferSize} minus {@link #BUFFER_HEADER}
   * @param count of records
   * @throws IOException if it cannot be written
   */
  public void buffer(byte[] header, boolean hasLoss, byte[] data, int length, int count)
      throws IOException {
    BytesBuilder head = new BytesBuilder(BUFFER_HEADER).bytes(header, 0, BUFFER_HEADER);
    int flags = (header[EtlLayout.BufferFlag] & 0xFF) & ~EtlLayout.ETW_BUFFER_FLAG_COMPRESSED;
    if (!hasLoss) {
      flags &= ~LOSS;
    }
    tellsLoss |= hasLoss && (flags & LOSS) != 0;
    int end = BUFFER_HEADER + length;
    int packed = isCompressed ? encoder.compress(data, 0, length) : -1;
    if (packed >= 0) {
      flags |= EtlLayout.ETW_BUFFER_FLAG_COMPRESSED;
    }
    int size = packed >= 0 ? BUFFER_HEADER + packed : isCompressed ? end : bufferSize;
    head.setU32(0, size)
        .setU32(EtlLayout.SavedOffset, end)
        .setU32(EtlLayout.CurrentOffset, end)
        .setU32(EtlLayout.ReferenceCount, 0)
        .setU64(EtlLayout.SequenceNumber, buffers)
        .setU32(EtlLayout.Offset, end)
        .setU16(EtlLayout.BufferFlag, flags | header[EtlLayout.BufferFlag + 1] << 8);
    stream.write(head.toArray());
    int used = packed >= 0 ? packed : length;
    stream.write(packed >= 0 ? encoder.output() : data, 0, used);
    stream.write(slack, 0, size - BUFFER_HEADER - used);
    buffers++;
    records += count;
    written += size;
  }

  /**
   * Returns the header of a data buffer for records of a header buffer.
   *
   * @param header of the header buffer
   */
  public static byte[] ofData(byte[] header) {
    return new BytesBuilder(BUFFER_HEADER)
        .bytes(header, 0, BUFFER_HEADER)
        .setU32(EtlLayout.State, FLUSH)
        .setU16(EtlLayout.BufferType, 0)
        .toArray();
  }

  /**
   * Writes the header buffer, which ends the file: the header record as it is changed, and the
   * records behind it as they are, as far as there is room. Names are cut if they do not fit
   * otherwise.
   *
   * @param from header buffer of the first file, which begins with its header record
   * @param fromEnd end of its records
   * @param hasLoss true if something was lost before a buffer: the header buffer tells it where no
   *     other one does
   * @throws IOException if it cannot be written
   */
  public void finish(Bytes from, int fromEnd, HeaderChanges changes, boolean hasLoss)
      throws IOException {
    int others = others(from);
    int behind = othersEnd(from, others, fromEnd) - others;
    int room = headerBytes - BUFFER_HEADER - behind & -ALIGNMENT;
    byte[] record = record(from, changes, Math.min(room, LARGEST));
    BytesBuilder all = new BytesBuilder(headerBytes).bytes(from.array(0, BUFFER_HEADER));
    all.bytes(record).zeros(-record.length & ALIGNMENT - 1);
    int first = all.size();
    if (behind > 0 && first + behind <= headerBytes) {
      all.bytes(from.array(others, behind));
    }
    int end = all.size();
    int flags = from.u8(EtlLayout.BufferFlag);
    if (hasLoss && !tellsLoss && (flags & LOSS) == 0) {
      flags |= EtlLayout.ETW_BUFFER_FLAG_EVENTS_LOST;
      all.setU16(EtlLayout.BufferFlag, flags | from.u8(EtlLayout.BufferFlag + 1) << 8);
    }
    // As mergers of Windows have it since Windows 8: the saved offset is that of the first record.
    all.setU32(0, headerBytes)
        .setU32(EtlLayout.SavedOffset, first)
        .setU32(EtlLayout.CurrentOffset, 0)
        .setU64(EtlLayout.SequenceNumber, 0L)
        .setU32(EtlLayout.State, isCompressed ? Compression.XPRESS.number() : 0)
        .setU32(EtlLayout.Offset, end)
        .setU16(EtlLayout.BufferType, EtlLayout.ETW_BUFFER_TYPE_HEADER);
    out.position(0);
    stream.write(all.toArray());
    stream.write(slack, 0, headerBytes - end);
  }

  private static int length(Bytes from, int at, int end) {
    int kind = RecordKind.ofMarker(from.i32(at));
    if (kind < 0) {
      return 0;
    }
    int size = from.u16(at + RecordKind.at(kind).sizeOffset());
    int padded = size + ALIGNMENT - 1 & -ALIGNMENT;
    return size < ALIGNMENT || at + size > end ? 0 : Math.min(padded, from.length() - at);
  }

  private static String cut(String name, int most) {
    return name.length() <= most
        ? name
        : most < CUT.length() ? "" : name.substring(0, most - CUT.length()) + CUT;
  }

  private static int saturated(long count) {
    return (int) Math.min(count, LogFileHeader.MOST_LOST);
  }

  private byte[] record(Bytes from, HeaderChanges changes, int most) {
    int at = BUFFER_HEADER;
    int payload = at + RECORD_HEADER;
    int names = namesOffset(from);
    BytesBuilder record = new BytesBuilder(1024);
    // As readers do, beyond the end of a record whose size is damaged.
    record.bytes(from.array(at, Math.min(RECORD_HEADER + names, from.length() - at)));
    record.zeros(Math.max(0, RECORD_HEADER + names - record.size()));
    // Two NULs end them.
    int characters = Math.max(0, (most - record.size()) / 2 - 2);
    String file = cut(changes.fileName(), characters);
    record.utf16z(cut(changes.sessionName(), characters - file.length())).utf16z(file);
    int p = RECORD_HEADER;
    boolean hasNewLog = from.u8(payload + LOG_VERSION) >= 2;
    if (isCompressed != hasNewLog) {
      record.setU16(p + LOG_VERSION, isCompressed ? LOG_2_0 : LOG_1_5);
    }
    record
        .setU16(4, record.size())
        .setU32(p, bufferSize)
        .setU32(p + PROCESSORS, (int) changes.processors())
        .setU64(p + END_TIME, changes.endTime())
        .setU32(p + LOG_FILE_MODE, changes.logFileMode())
        .setU32(p + BUFFERS_WRITTEN, saturated(buffers))
        .setU32(p + EVENTS_LOST, saturated(changes.eventsLost()))
        .setU32(p + names - 4, saturated(changes.buffersLost()));
    return record.toArray();
  }
}
