package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes one recording: a header buffer and data buffers in the order in which they were given.
 *
 * <pre>{@code
 * EtlWriter w = new EtlWriter(EtlSettings.windows11());
 * w.buffer(EtlBuffer.of(3, 0x1C, 1).add(record1, record2)); // a buffer by hand
 * w.log(5, record3);                                        // or records to CPUs, buffers by itself
 * byte[] file = w.toByteArray();
 * List<TruthRecord> expected = w.truth();
 * }</pre>
 *
 * <p>A writer is not thread safe.
 */
public final class EtlWriter {
  private static final int TYPE_HEADER = 4;

  private final EtlSettings settings;
  private final List<EtlRecord> headerRecords = new ArrayList<>();
  private final List<EtlBuffer> buffers = new ArrayList<>();
  private final Map<Integer, EtlBuffer> open = new TreeMap<>();
  private int logger;
  private long nextSequence = 1;
  private long zeroTail;

  /** A recording without records yet. */
  public EtlWriter(EtlSettings settings) {
    this.settings = settings;
    this.logger = settings.headerLogger;
  }

  /** Adds records after the first in the header buffer (partition info, group masks, build). */
  public EtlWriter headerRecords(EtlRecord... records) {
    headerRecords.addAll(Arrays.asList(records));
    return this;
  }

  /** Adds a buffer at the end of the file. */
  public EtlWriter buffer(EtlBuffer buffer) {
    if (buffer.used > settings.bufferSize && settings.compression == BufferCompression.NONE) {
      throw new IllegalArgumentException(
          "records of " + buffer.used + " bytes do not fit a buffer of " + settings.bufferSize);
    }
    buffers.add(buffer);
    return this;
  }

  /** The LoggerId of the buffers that {@link #log} makes from now on; flushes the open ones. */
  public EtlWriter logger(int id) {
    flush();
    logger = id;
    return this;
  }

  /** The SequenceNumber of the next buffer that {@link #log} opens. */
  public EtlWriter nextSequence(long value) {
    nextSequence = value;
    return this;
  }

  /**
   * Logs a record as a session would: into the open buffer of its CPU, which goes to the file when
   * it is full. Call in order of time.
   */
  public EtlWriter log(int cpu, EtlRecord record) {
    EtlBuffer buffer = open.get(cpu);
    int need = record.paddedLength();
    if (buffer != null && buffer.used + need > settings.bufferSize) {
      buffer(buffer);
      buffer = null;
    }
    if (buffer == null) {
      buffer = EtlBuffer.of(cpu, logger, nextSequence++);
      open.put(cpu, buffer);
    }
    buffer.add(record);
    return this;
  }

  /** Writes out the open buffers of all CPUs, marked as flushed before they were full. */
  public EtlWriter flush() {
    for (EtlBuffer buffer : open.values()) {
      buffer(buffer.flags(buffer.flags | EtlBuffer.FLAG_FLUSH_MARKER));
    }
    open.clear();
    return this;
  }

  /** Zero bytes after the last buffer, as a preallocated file has. */
  public EtlWriter zeroTail(long bytes) {
    zeroTail = bytes;
    return this;
  }

  /** The buffers so far, without those still open. */
  public List<EtlBuffer> buffers() {
    return List.copyOf(buffers);
  }

  /** The file's bytes. */
  public byte[] toByteArray() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Writes the file. */
  public void writeTo(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      writeTo(out);
    }
  }

  /** Writes the file, buffer after buffer. */
  public void writeTo(OutputStream out) throws IOException {
    flush();
    out.write(headerBuffer());
    for (EtlBuffer buffer : buffers) {
      out.write(encode(buffer));
    }
    byte[] zeros = new byte[1 << 16];
    for (long left = zeroTail; left > 0; left -= zeros.length) {
      out.write(zeros, 0, (int) Math.min(left, zeros.length));
    }
  }

  /** The offset of every buffer in the file, the header buffer's 0 first. */
  public List<Long> bufferOffsets() {
    flush();
    List<Long> offsets = new ArrayList<>();
    long at = 0;
    offsets.add(at);
    at += headerBuffer().length;
    for (EtlBuffer buffer : buffers) {
      offsets.add(at);
      at +=
          settings.compression == BufferCompression.NONE && !settings.cutsRoom
              ? settings.bufferSize
              : encode(buffer).length;
    }
    return offsets;
  }

  /** Every record that can be read, the header buffer's included, in {@link TruthRecord#ORDER}. */
  public List<TruthRecord> truth() {
    List<TruthRecord> all = truthInFileOrder();
    all.sort(TruthRecord.ORDER);
    return all;
  }

  /** Every record that can be read, buffer after buffer. */
  public List<TruthRecord> truthInFileOrder() {
    flush();
    List<TruthRecord> all = new ArrayList<>();
    truthOf(headerBufferContent(), 0, all);
    for (int i = 0; i < buffers.size(); i++) {
      truthOf(buffers.get(i), i + 1, all);
    }
    return all;
  }

  /** Returns the number of readable records of each kind, named as in {@link EtlKind}. */
  public Map<String, Long> recordsByHeader() {
    Map<String, Long> counts = new TreeMap<>();
    for (TruthRecord truth : truthInFileOrder()) {
      counts.merge(truth.record().kind().name(), 1L, Long::sum);
    }
    return counts;
  }

  private void truthOf(EtlBuffer buffer, int index, List<TruthRecord> all) {
    long before = Long.MIN_VALUE;
    for (EtlRecord record : buffer.records) {
      if (record.timed) {
        before = record.time;
        break;
      }
    }
    if (before == Long.MIN_VALUE) {
      before = stamp(buffer);
    }
    int offset = EtlBuffer.HEADER_BYTES;
    for (EtlRecord record : buffer.records) {
      if (record.kind == EtlKind.RAW) {
        // A reader that meets garbage cannot know where the next record starts.
        break;
      }
      before = record.timed ? record.time : before;
      all.add(
          new TruthRecord(
              record, before, buffer.cpu, buffer.logger, buffer.sequence, index, offset));
      offset += record.paddedLength();
    }
  }

  private static long stamp(EtlBuffer buffer) {
    return buffer.timeStamp != Long.MIN_VALUE ? buffer.timeStamp : buffer.lastTime();
  }

  private EtlBuffer headerBufferContent() {
    long last = settings.startTicks;
    for (EtlBuffer buffer : buffers) {
      last = Math.max(last, buffer.lastTime());
    }
    EtlBuffer header = EtlBuffer.of(0, settings.headerLogger, 0).type(TYPE_HEADER);
    header.flags(EtlBuffer.FLAG_FLUSH_MARKER).uncompressed().timeStamp(0);
    header.state(
        settings.compression != BufferCompression.NONE
            ? settings.compression.number()
            : settings.savedOffsetOfHeader ? 3 : 0);
    return header.add(settings.headerRecord(last, buffers.size() + 1L)).addAll(headerRecords);
  }

  private byte[] headerBuffer() {
    EtlBuffer header = headerBufferContent();
    int size = settings.headerBufferSize;
    if (size == 0) {
      // Mergers give the header buffer of a compressed file just the room it needs, 512 or 1,024.
      size =
          settings.compression == BufferCompression.NONE
              ? settings.bufferSize
              : Math.max(512, (header.used + 511) & ~511);
    }
    byte[] bytes = plain(header, size);
    int first = EtlBuffer.HEADER_BYTES + header.records.getFirst().paddedLength();
    LittleEndian.putU32(bytes, 0x04, settings.savedOffsetOfHeader ? first : 0);
    return bytes;
  }

  private byte[] encode(EtlBuffer buffer) {
    if (settings.compression == BufferCompression.NONE || !buffer.mayCompress) {
      return plain(
          buffer, settings.cutsRoom ? buffer.used : Math.max(settings.bufferSize, buffer.used));
    }
    byte[] whole = plain(buffer, buffer.used);
    byte[] packed =
        settings.compression.compress(
            Arrays.copyOfRange(whole, EtlBuffer.HEADER_BYTES, whole.length));
    byte[] bytes = Arrays.copyOf(whole, EtlBuffer.HEADER_BYTES + packed.length);
    System.arraycopy(packed, 0, bytes, EtlBuffer.HEADER_BYTES, packed.length);
    LittleEndian.putU32(bytes, 0x00, bytes.length);
    int flags = LittleEndian.getU16(bytes, 0x34) | EtlBuffer.FLAG_COMPRESSED;
    LittleEndian.putU16(bytes, 0x34, flags);
    return bytes;
  }

  private byte[] plain(EtlBuffer buffer, int size) {
    if (buffer.used > size) {
      throw new IllegalArgumentException(buffer.used + " bytes used of " + size);
    }
    LittleEndian out = new LittleEndian(size);
    // A buffer's CurrentOffset ran on past its size when the record that did not fit was refused.
    long current = buffer.type == TYPE_HEADER ? buffer.used : buffer.used + (long) size;
    out.u32(size).u32(buffer.used).u32(current).u32(0).u64(stamp(buffer)).u64(buffer.sequence);
    boolean indexed = settings.processorIndexFlag;
    out.u64(0).u16(indexed ? buffer.cpu : (buffer.cpu & 0xFF) | 0x800).u16(buffer.logger);
    out.u32(buffer.state).u32(buffer.used);
    out.u16(buffer.flags | (indexed ? EtlBuffer.FLAG_PROCESSOR_INDEX : 0)).u16(buffer.type);
    out.zeros(16);
    for (EtlRecord record : buffer.records) {
      out.bytes(record.bytes).fill((8 - record.length() % 8) % 8, 0);
    }
    out.fill(size - out.size(), settings.slack);
    return out.toByteArray();
  }
}
