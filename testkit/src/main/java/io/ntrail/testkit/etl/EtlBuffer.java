package io.ntrail.testkit.etl;

import java.util.ArrayList;
import java.util.List;

/**
 * One data buffer (WMI_BUFFER_HEADER, phnt ntwmi.h, and records): built by a chain of setters,
 * given to {@link EtlWriter#buffer}.
 */
public final class EtlBuffer {
  /** BufferFlag: flushed before it was full. */
  public static final int FLAG_FLUSH_MARKER = 1;

  /** BufferFlag: events were lost before this buffer. */
  public static final int FLAG_EVENTS_LOST = 2;

  /** BufferFlag: a buffer was lost before this one. */
  public static final int FLAG_BUFFER_LOST = 4;

  /** BufferFlag: ProcessorIndex is a full index. */
  public static final int FLAG_PROCESSOR_INDEX = 0x20;

  /** BufferFlag: the records are compressed. */
  public static final int FLAG_COMPRESSED = 0x40;

  /** Bytes of the buffer header. */
  public static final int HEADER_BYTES = 72;

  final int cpu;
  final int logger;
  final long sequence;
  final List<EtlRecord> records = new ArrayList<>();
  long timeStamp = Long.MIN_VALUE;
  int flags;
  int type;
  int state = 3;
  boolean mayCompress = true;
  int used = HEADER_BYTES;

  private EtlBuffer(int cpu, int logger, long sequence) {
    this.cpu = cpu;
    this.logger = logger;
    this.sequence = sequence;
  }

  /**
   * An empty buffer.
   *
   * @param cpu ProcessorIndex
   * @param logger LoggerId
   * @param sequence SequenceNumber
   */
  public static EtlBuffer of(int cpu, int logger, long sequence) {
    return new EtlBuffer(cpu, logger, sequence);
  }

  /** Adds records at the end, in this order. */
  public EtlBuffer add(EtlRecord... more) {
    for (EtlRecord record : more) {
      records.add(record);
      used += record.paddedLength();
    }
    return this;
  }

  /** Adds records at the end, in this order. */
  public EtlBuffer addAll(List<EtlRecord> more) {
    return add(more.toArray(EtlRecord[]::new));
  }

  /** The header's TimeStamp (flush time); without a call: the last record's time. */
  public EtlBuffer timeStamp(long value) {
    timeStamp = value;
    return this;
  }

  /** BufferFlag, in addition to what the file's settings call for. */
  public EtlBuffer flags(int value) {
    flags = value;
    return this;
  }

  /** BufferType, 0 to 7. */
  public EtlBuffer type(int value) {
    type = value;
    return this;
  }

  /** State; ordinary buffers have 3 (flush). */
  public EtlBuffer state(int value) {
    state = value;
    return this;
  }

  /** Leaves this buffer uncompressed in a compressed file. */
  public EtlBuffer uncompressed() {
    mayCompress = false;
    return this;
  }

  /** Bytes used with the header: where the records end. */
  public int used() {
    return used;
  }

  /** The records so far. */
  public List<EtlRecord> records() {
    return List.copyOf(records);
  }

  long lastTime() {
    long last = 0;
    boolean any = false;
    for (EtlRecord record : records) {
      if (record.timed && (!any || record.time > last)) {
        last = record.time;
        any = true;
      }
    }
    return last;
  }
}
