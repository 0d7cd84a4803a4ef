package io.ntrail.formats.etl;

import java.util.Arrays;

/**
 * The buffers of a file as columns, in file order: 0 is the header buffer. About 40 bytes a buffer,
 * so that a 50 GB file of 64 KiB buffers needs 32 MB.
 */
public final class BufferIndex {
  private static final int END_UNKNOWN = 1 << 31;
  private static final int CUT = 1 << 30;

  private int count;
  private long[] fileOffsets = new long[64];
  private int[] fileBytes = new int[64];
  private int[] ends = new int[64];
  private short[] cpus = new short[64];
  private short[] loggers = new short[64];
  private short[] flagsAndTypes = new short[64];
  private int[] inflated = new int[64];
  private long[] sequences = new long[64];
  private long[] firstTicks = new long[64];

  BufferIndex() {}

  void add(long fileOffset, int bytes, BufferHeader header, int end, boolean endUnknown) {
    if (count == fileOffsets.length) {
      int capacity = count + (count >> 1);
      fileOffsets = Arrays.copyOf(fileOffsets, capacity);
      fileBytes = Arrays.copyOf(fileBytes, capacity);
      ends = Arrays.copyOf(ends, capacity);
      cpus = Arrays.copyOf(cpus, capacity);
      loggers = Arrays.copyOf(loggers, capacity);
      flagsAndTypes = Arrays.copyOf(flagsAndTypes, capacity);
      inflated = Arrays.copyOf(inflated, capacity);
      sequences = Arrays.copyOf(sequences, capacity);
      firstTicks = Arrays.copyOf(firstTicks, capacity);
    }
    fileOffsets[count] = fileOffset;
    fileBytes[count] = bytes;
    ends[count] = end | (endUnknown ? END_UNKNOWN : 0) | (bytes < header.bufferSize() ? CUT : 0);
    cpus[count] = (short) header.processorIndex();
    loggers[count] = (short) header.loggerId();
    flagsAndTypes[count] = (short) ((header.type() << 8) | (header.flags() & 0xFF));
    inflated[count] =
        header.compressed() ? (int) header.savedOffset() - EtlLayout.BUFFER_HEADER : 0;
    sequences[count] = header.sequenceNumber();
    firstTicks[count] = Long.MAX_VALUE;
    count++;
  }

  void firstTicks(int buffer, long ticks) {
    firstTicks[buffer] = ticks;
  }

  /** Number of buffers, the header buffer included. */
  public int count() {
    return count;
  }

  /** Returns the offset of the buffer in the file. */
  public long fileOffset(int buffer) {
    return fileOffsets[buffer];
  }

  /** Bytes of it that are in the file; fewer than it should have if the file is cut. */
  public int fileBytes(int buffer) {
    return fileBytes[buffer];
  }

  /** End of the records of an uncompressed buffer, relative to its start. */
  int end(int buffer) {
    return ends[buffer] & ~(END_UNKNOWN | CUT);
  }

  /** Returns true if the header has no end of records, so that filler ends them. */
  boolean endUnknown(int buffer) {
    return (ends[buffer] & END_UNKNOWN) != 0;
  }

  /** Returns true if the file ends before the buffer does. */
  boolean cut(int buffer) {
    return (ends[buffer] & CUT) != 0;
  }

  /** Processor that filled it. */
  public int cpu(int buffer) {
    return cpus[buffer];
  }

  /** Number of its session. */
  public int loggerId(int buffer) {
    return loggers[buffer] & 0xFFFF;
  }

  /** Returns true if it is the header buffer, by its type. */
  public boolean isHeader(int buffer) {
    return (flagsAndTypes[buffer] >> 8) == EtlLayout.ETW_BUFFER_TYPE_HEADER;
  }

  /** Returns true if its records are compressed. */
  public boolean compressed(int buffer) {
    return (flagsAndTypes[buffer] & EtlLayout.ETW_BUFFER_FLAG_COMPRESSED) != 0;
  }

  /** Returns true if the recorder marked that events or buffers were lost before it. */
  public boolean lossBefore(int buffer) {
    return (flagsAndTypes[buffer]
            & (EtlLayout.ETW_BUFFER_FLAG_EVENTS_LOST | EtlLayout.ETW_BUFFER_FLAG_BUFFER_LOST))
        != 0;
  }

  /** Bytes of records after decompression. */
  public int inflatedBytes(int buffer) {
    return inflated[buffer];
  }

  /** Order of hand-out within its session. */
  public long sequence(int buffer) {
    return sequences[buffer];
  }

  /** Raw time stamp of its first record; {@link Long#MAX_VALUE} if it has none that can be read. */
  public long firstTicks(int buffer) {
    return firstTicks[buffer];
  }
}
