package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Recording in memory of events that Windows hands to a consumer: each EVENT_RECORD becomes the
 * record that its session would have written into a file, so that one reader knows both.
 *
 * <p>An event is given as its EVENT_RECORD with what it points to behind it, little-endian:
 * EVENT_HEADER (80 bytes), ETW_BUFFER_CONTEXT (u16 processor, u16 session), u16 number of items,
 * u16 bytes of data; then the items, each the first 8 bytes of EVENT_HEADER_EXTENDED_DATA_ITEM
 * (u16, u16 type, u16, u16 bytes) and its data, padded to 8; then the data. Source of the
 * structures: evntcons.h.
 */
public final class ConsumedEvents {
  /** Bytes of an event before its items. */
  public static final int HEAD = 88;

  /** Class of the events by which Windows tells a consumer that some are missing. */
  private static final Guid LOST = Guid.parse("6a399ae0-4bc6-4de9-870b-3657f8947e7e");

  private static final int LOST_EVENT = 32;
  private static final int LOST_BUFFER = 33;
  private static final int LOST_FILE = 34;

  // EVENT_HEADER_FLAG_*, which files do not have from 0x20 on.
  private static final int STORED_FLAGS = 0x16;
  private static final int TRACE_MESSAGE = 0x8;
  private static final int HEADER_32 = 0x20;
  private static final int CLASSIC = 0x100;
  private static final int PROCESSOR_INDEX = 0x200;

  private static final int PROVIDER = 24;
  private static final int DESCRIPTOR = 40;
  private static final int VERSION = 42;
  private static final int LEVEL = 44;
  private static final int OPCODE = 45;
  private static final int PROCESSOR_TIME = 56;
  private static final int CONTEXT = 80;
  private static final int ITEMS = 84;
  private static final int LENGTH = 86;

  /** Counters that the header of a kernel record has room for. */
  private static final int MOST_COUNTERS = 7;

  /** Bytes of a record at most. */
  private static final int LARGEST = 0xFFFF;

  /**
   * Losses that Windows tells by events of their own, which do not say how many there were.
   *
   * @param events times that events were lost
   * @param buffers times that buffers were
   * @param files times that what waited on the disk was
   */
  public record Notices(long events, long buffers, long files) {}

  private final KernelEvents kernel = new KernelEvents();
  private final byte[] header;
  private final boolean isWide;
  private final Map<Integer, BytesBuilder> open = new HashMap<>();
  private final List<BytesBuilder> buffers = new ArrayList<>();
  private final BytesBuilder record = new BytesBuilder(1 << 10);
  private long bytes;
  private long tooLarge;
  private long stripped;
  private Notices notices = new Notices(0, 0, 0);

  /** Begins the recording of a session. */
  public ConsumedEvents(ConsumedSession session) {
    this.header = session.buffer();
    this.isWide = session.pointerBytes() == Long.BYTES;
  }

  /** Returns the bytes of the events that were not taken yet. */
  public long bytes() {
    return bytes;
  }

  /** Returns the number of events that no record has room for. */
  public long tooLarge() {
    return tooLarge;
  }

  /**
   * Returns the number of events of classes, and messages, that came with items that their records
   * have no room for, as a file of the session would not have them.
   */
  public long stripped() {
    return stripped;
  }

  /** Returns how often Windows told of losses. */
  public Notices notices() {
    return notices;
  }

  /** Adds an event, unless it is the header of a recording or tells of a loss. */
  public void add(Bytes event) {
    int flags = event.u16(4);
    boolean isClassic = (flags & CLASSIC) != 0;
    Guid provider = Guid.read(event, PROVIDER);
    if (isClassic && provider.equals(LOST)) {
      notice(event.u8(OPCODE));
      return;
    }
    record.clear();
    if ((flags & TRACE_MESSAGE) != 0) {
      message(event, flags);
    } else if (isClassic) {
      int hook = kernel.hookId(provider, event.u8(OPCODE));
      if (hook == 0) {
        return;
      }
      classic(event, flags, hook);
    } else {
      event(event, flags);
    }
    if (record.size() > LARGEST) {
      tooLarge++;
      return;
    }
    record.setU16(sizeOffset(), record.size());
    keep(event, flags);
  }

  /** Returns the header and what was added, a recording of its own, and begins anew. */
  public byte[] take() {
    BytesBuilder part = new BytesBuilder((int) (header.length + bytes)).bytes(header);
    for (BytesBuilder buffer : buffers) {
      int end = buffer.size();
      buffer.setU32(0, end).setU32(EtlLayout.SavedOffset, end).setU32(EtlLayout.Offset, end);
      part.bytes(buffer.array(), 0, end);
    }
    buffers.clear();
    open.clear();
    bytes = 0;
    return part.toArray();
  }

  private void notice(int type) {
    notices =
        new Notices(
            notices.events + (type == LOST_EVENT ? 1 : 0),
            notices.buffers + (type == LOST_BUFFER ? 1 : 0),
            notices.files + (type == LOST_FILE ? 1 : 0));
  }

  private int sizeOffset() {
    return RecordKind.at(RecordKind.ofMarker(marker())).sizeOffset();
  }

  private int marker() {
    byte[] array = record.array();
    return (array[2] & 0xFF) << 16 | (array[3] & 0xFF) << 24;
  }

  /** Adds the record to the buffer of its processor. */
  private void keep(Bytes event, int flags) {
    // Before Windows 8 the high byte was the alignment of the buffer.
    int mask = (flags & PROCESSOR_INDEX) != 0 ? EtlLayout.PROCESSOR_MASK : 0xFF;
    int processor = event.u16(CONTEXT) & mask;
    BytesBuilder buffer = open.get(processor);
    if (buffer == null || buffer.size() + record.size() + 8 > ConsumedSession.BUFFER) {
      buffer = new BytesBuilder(1 << 12).zeros(EtlLayout.BUFFER_HEADER);
      buffers.add(buffer);
      open.put(processor, buffer);
      buffer
          .setU64(EtlLayout.SequenceNumber, buffers.size())
          .setU16(EtlLayout.ProcessorIndex, processor)
          .setU16(EtlLayout.LoggerId, event.u16(CONTEXT + 2))
          .setU16(EtlLayout.BufferFlag, EtlLayout.ETW_BUFFER_FLAG_PROCESSOR_INDEX);
      bytes += EtlLayout.BUFFER_HEADER;
    }
    buffer.setU64(EtlLayout.TimeStamp, event.i64(16));
    buffer.bytes(record.array(), 0, record.size()).zeros(-record.size() & 7);
    bytes += record.size() + 7 & ~7;
  }

  private boolean isWide(int flags) {
    return isWide && (flags & HEADER_32) == 0;
  }

  private BytesBuilder copy(Bytes event, int at, int length) {
    return record.bytes(event.array(at, length));
  }

  private void data(Bytes event) {
    int at = HEAD;
    for (int i = event.u16(ITEMS); i > 0; i--) {
      at = nextItem(event, at);
    }
    copy(event, at, event.u16(LENGTH));
  }

  private static int nextItem(Bytes event, int at) {
    return at + 8 + (event.u16(at + 6) + 7 & ~7);
  }

  /** Returns where an item of a type is; 0 if there is none. */
  private static int item(Bytes event, ExtendedItem type) {
    int at = HEAD;
    for (int i = event.u16(ITEMS); i > 0; i--) {
      if (event.u16(at + 2) == type.number()) {
        return at;
      }
      at = nextItem(event, at);
    }
    return 0;
  }

  /** Counts an event if it has items of other types than these. */
  private void strip(Bytes event, ExtendedItem... kept) {
    int at = HEAD;
    for (int i = event.u16(ITEMS); i > 0; i--) {
      int type = event.u16(at + 2);
      if (Arrays.stream(kept).noneMatch(one -> one.number() == type)) {
        stripped++;
        return;
      }
      at = nextItem(event, at);
    }
  }

  /** Writes the record of an event with a descriptor, which keeps its items. */
  private void event(Bytes event, int flags) {
    int items = event.u16(ITEMS);
    RecordKind kind = isWide(flags) ? RecordKind.EVENT64 : RecordKind.EVENT32;
    record.u16(0).u8(kind.headerType()).u8(0xC0);
    int extended = items > 0 ? EtlLayout.EVENT_HEADER_FLAG_EXTENDED_INFO : 0;
    record.u16(flags & STORED_FLAGS | extended).u16(event.u16(6));
    copy(event, 8, CONTEXT - 8);
    int at = HEAD;
    for (int i = 0; i < items; i++) {
      int length = event.u16(at + 6);
      int total = 8 + length + 7 & ~7;
      record.u16(total).u16(event.u16(at + 2)).u16(i + 1 < items ? 1 : 0).u16(length);
      // What is between them in memory is left over from others.
      copy(event, at + 8, length).zeros(total - 8 - length);
      at += total;
    }
    copy(event, at, event.u16(LENGTH));
  }

  /** Writes the record of a class event: that of the kernel, if it is the kernel's. */
  private void classic(Bytes event, int flags, int hook) {
    int counters = item(event, ExtendedItem.PMC_COUNTERS);
    boolean hasNoThread = event.i32(8) == RecordHeader.NO_ID && event.i32(12) == RecordHeader.NO_ID;
    int instance = item(event, ExtendedItem.INSTANCE_INFO);
    if (hook >= 0 && (hasNoThread || counters != 0)) {
      strip(event, ExtendedItem.PMC_COUNTERS, ExtendedItem.PEBS_INDEX);
      kernelRecord(event, flags, hook, counters);
    } else if (hook >= 0) {
      strip(event);
      RecordKind kind = isWide(flags) ? RecordKind.SYSTEM64 : RecordKind.SYSTEM32;
      record.u16(event.u8(VERSION)).u8(kind.headerType()).u8(0xC0).u16(0).u16(hook);
      copy(event, 8, 16);
      copy(event, PROCESSOR_TIME, 8);
    } else {
      boolean isInstance = instance != 0 && event.u16(instance + 6) >= 24;
      strip(event, ExtendedItem.INSTANCE_INFO);
      RecordKind kind = full(isWide(flags), isInstance);
      record.u16(0).u8(kind.headerType()).u8(0xC0).u8(event.u8(OPCODE)).u8(event.u8(LEVEL));
      record.u16(event.u8(VERSION));
      copy(event, 8, DESCRIPTOR - 8);
      copy(event, PROCESSOR_TIME, 8);
      if (isInstance) {
        copy(event, instance + 8, 24);
      }
    }
    data(event);
  }

  private static RecordKind full(boolean isWide, boolean isInstance) {
    if (isInstance) {
      return isWide ? RecordKind.INSTANCE64 : RecordKind.INSTANCE32;
    }
    return isWide ? RecordKind.FULL64 : RecordKind.FULL32;
  }

  /** Writes the head of a kernel record that names no thread, or has counters. */
  private void kernelRecord(Bytes event, int flags, int hook, int counters) {
    RecordKind kind = isWide(flags) ? RecordKind.PERFINFO64 : RecordKind.PERFINFO32;
    int count = counters == 0 ? 0 : Math.min(MOST_COUNTERS, event.u16(counters + 6) / 8);
    int index = item(event, ExtendedItem.PEBS_INDEX);
    boolean hasIndex = index != 0 && event.u16(index + 6) >= 8;
    record.u16(event.u8(VERSION) | count << 8 | (hasIndex ? 0x8000 : 0));
    record.u8(kind.headerType()).u8(0xC0).u16(0).u16(hook);
    copy(event, 16, 8);
    if (hasIndex) {
      copy(event, index + 8, 8);
    }
    if (count > 0) {
      copy(event, counters + 8, 8 * count);
    }
  }

  /** Writes a message of WPP, whose number is in the descriptor and whose GUID is the provider. */
  private void message(Bytes event, int flags) {
    strip(event);
    int pointers =
        isWide(flags) ? EtlLayout.TRACE_MESSAGE_POINTER64 : EtlLayout.TRACE_MESSAGE_POINTER32;
    record.u16(0).u8(0).u8(0x90).u16(event.u16(DESCRIPTOR));
    record.u16(
        EtlLayout.TRACE_MESSAGE_GUID
            | EtlLayout.TRACE_MESSAGE_TIMESTAMP
            | EtlLayout.TRACE_MESSAGE_SYSTEMINFO
            | pointers);
    copy(event, PROVIDER, 16);
    copy(event, 16, 8);
    copy(event, 8, 8);
    data(event);
  }
}
