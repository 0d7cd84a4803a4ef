package io.ntrail.formats.etl;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.ShortColumn;

/**
 * The buffers of a file as columns, in file order: 0 is the header buffer. About 40 bytes a buffer,
 * so that a 50 GB file of 64 KiB buffers needs 32 MB.
 */
public final class BufferIndex {
  private static final int END_UNKNOWN = 1 << 31;
  private static final int CUT = 1 << 30;

  private final Columns buffers = new Columns(64);
  private final LongColumn fileOffsets = buffers.longs();
  private final IntColumn fileBytes = buffers.ints();
  private final IntColumn ends = buffers.ints();
  private final ShortColumn cpus = buffers.shorts();
  private final ShortColumn loggers = buffers.shorts();
  private final ShortColumn flagsAndTypes = buffers.shorts();
  private final IntColumn inflated = buffers.ints();
  private final LongColumn sequences = buffers.longs();
  private final LongColumn firstTicks = buffers.longs();

  BufferIndex() {}

  void add(long fileOffset, int bytes, BufferHeader header, int end, boolean endUnknown) {
    int row = buffers.add();
    fileOffsets.set(row, fileOffset);
    fileBytes.set(row, bytes);
    ends.set(row, end | (endUnknown ? END_UNKNOWN : 0) | (bytes < header.bufferSize() ? CUT : 0));
    cpus.set(row, (short) header.processorIndex());
    loggers.set(row, (short) header.loggerId());
    flagsAndTypes.set(row, (short) ((header.type() << 8) | (header.flags() & 0xFF)));
    inflated.set(
        row, header.compressed() ? (int) header.savedOffset() - EtlLayout.BUFFER_HEADER : 0);
    sequences.set(row, header.sequenceNumber());
    firstTicks.set(row, Long.MAX_VALUE);
  }

  void firstTicks(int buffer, long ticks) {
    firstTicks.set(buffer, ticks);
  }

  /** Number of buffers, the header buffer included. */
  public int count() {
    return buffers.rows();
  }

  /** Returns the offset of the buffer in the file. */
  public long fileOffset(int buffer) {
    return fileOffsets.get(buffer);
  }

  /** Bytes of it that are in the file; fewer than it should have if the file is cut. */
  public int fileBytes(int buffer) {
    return fileBytes.get(buffer);
  }

  /** End of the records of an uncompressed buffer, relative to its start. */
  int end(int buffer) {
    return ends.get(buffer) & ~(END_UNKNOWN | CUT);
  }

  /** Returns the end of the header buffer's records, relative to its start. */
  public int headerEnd() {
    return end(0);
  }

  /** Returns true if the header has no end of records, so that filler ends them. */
  boolean endUnknown(int buffer) {
    return (ends.get(buffer) & END_UNKNOWN) != 0;
  }

  /** Returns true if the file ends before the buffer does. */
  boolean cut(int buffer) {
    return (ends.get(buffer) & CUT) != 0;
  }

  /** Processor that filled it. */
  public int cpu(int buffer) {
    return cpus.get(buffer);
  }

  /** Number of its session. */
  public int loggerId(int buffer) {
    return loggers.get(buffer) & 0xFFFF;
  }

  /** Returns true if it is the header buffer, by its type. */
  public boolean isHeader(int buffer) {
    return (flagsAndTypes.get(buffer) >> 8) == EtlLayout.ETW_BUFFER_TYPE_HEADER;
  }

  /** Returns true if its records are compressed. */
  public boolean compressed(int buffer) {
    return (flagsAndTypes.get(buffer) & EtlLayout.ETW_BUFFER_FLAG_COMPRESSED) != 0;
  }

  /** Returns true if the recorder marked that events or buffers were lost before it. */
  public boolean lossBefore(int buffer) {
    return (flagsAndTypes.get(buffer)
            & (EtlLayout.ETW_BUFFER_FLAG_EVENTS_LOST | EtlLayout.ETW_BUFFER_FLAG_BUFFER_LOST))
        != 0;
  }

  /** Returns the number of buffers with {@link #lossBefore}. */
  public int afterLoss() {
    int buffers = 0;
    for (int i = 0; i < count(); i++) {
      buffers += lossBefore(i) ? 1 : 0;
    }
    return buffers;
  }

  /** Bytes of records after decompression. */
  public int inflatedBytes(int buffer) {
    return inflated.get(buffer);
  }

  /** Order of hand-out within its session. */
  public long sequence(int buffer) {
    return sequences.get(buffer);
  }

  /** Raw time stamp of its first record; {@link Long#MAX_VALUE} if it has none that can be read. */
  public long firstTicks(int buffer) {
    return firstTicks.get(buffer);
  }
}
