package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.Scratch;
import io.ntrail.formats.identity.Guid;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one buffer after the other as a flyweight: after {@link #next()} the
 * accessors speak of the current record. It holds no bytes of its own but the memory that
 * compressed buffers are inflated into. One thread at a time.
 *
 * <p>A record whose marker or size is wrong ends its buffer: where the next one would begin nobody
 * can tell. That is a gap.
 */
public final class RecordCursor implements AutoCloseable {
  /** No process or thread is known. */
  public static final int NO_ID = -1;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "nothing");
  private static final byte[] SIZE_SHIFT = new byte[16];
  private static final byte[] TIME_OFFSET = new byte[16];
  private static final byte[] HEADER_BYTES = new byte[16];
  private static final int CACHE_LINE = 64;
  private static final int TOUCH = 16 << 10;
  private static final int MESSAGE = RecordKind.MESSAGE.ordinal();

  static {
    for (RecordKind kind : RecordKind.values()) {
      SIZE_SHIFT[kind.ordinal()] = (byte) (kind.sizeOffset() * 8);
      TIME_OFFSET[kind.ordinal()] = (byte) kind.timeOffset();
      HEADER_BYTES[kind.ordinal()] = (byte) kind.headerBytes();
    }
  }

  private final EtlFile file;
  private final Gaps gaps;
  private @Nullable Scratch scratch;

  private Bytes bytes = NOTHING;
  private int buffer = -1;
  private int nextAt;
  private int end;
  private boolean markerMayEnd;

  private int at;
  private int size;
  private int kind;

  /** The word where kernel records have their hook id. */
  private int hook;

  private long time;

  private int payloadAt;
  private boolean payloadKnown;

  private int touchedTo;
  private long touched;

  /**
   * @param gaps receives what cannot be read
   */
  RecordCursor(EtlFile file, Gaps gaps) {
    this.file = file;
    this.gaps = gaps;
  }

  /** Goes to the start of a buffer; what cannot be inflated is a gap. */
  public void open(int buffer) {
    this.buffer = buffer;
    BufferIndex index = file.buffers();
    if (index.compressed(buffer)) {
      bytes = inflate(index);
      nextAt = 0;
      end = bytes.length();
      markerMayEnd = false;
    } else {
      bytes = file.window(buffer);
      nextAt = EtlLayout.BUFFER_HEADER;
      end = Math.min(index.end(buffer), bytes.length());
      markerMayEnd = index.endUnknown(buffer);
    }
    time = index.firstTicks(buffer);
    size = 0;
    touchedTo = 0;
  }

  private Bytes inflate(BufferIndex index) {
    int length = index.inflatedBytes(buffer);
    Scratch memory = scratch;
    if (memory == null || memory.capacity() < length) {
      if (memory != null) {
        memory.close();
      }
      memory = new Scratch(Math.max(length, (int) file.sessionBufferSize()));
      scratch = memory;
    }
    return file.inflate(buffer, memory, length, gaps);
  }

  /** Gives the memory of a compressed buffer back; {@link #open} makes the cursor usable again. */
  public void release() {
    bytes = NOTHING;
    end = 0;
    nextAt = 0;
    Scratch memory = scratch;
    if (memory != null) {
      memory.close();
      scratch = null;
    }
  }

  /** Goes on to the next record of the buffer; false at its end. */
  public boolean next() {
    int from = nextAt;
    if (from + 8 > end) {
      return atEnd(from);
    }
    if (from >= touchedTo) {
      touch(from);
    }
    long head = bytes.i64(from);
    int newKind = RecordKind.ofMarker((int) head);
    if (newKind < 0) {
      return noRecord(from, (int) head);
    }
    int newSize = (int) (head >>> SIZE_SHIFT[newKind]) & 0xFFFF;
    if (newSize < HEADER_BYTES[newKind] || newSize > end - from) {
      return badSize(from, newKind, newSize);
    }
    at = from;
    kind = newKind;
    size = newSize;
    hook = (int) (head >>> 48);
    nextAt = from + (newSize + 7 & ~7);
    payloadKnown = false;
    if (newKind == MESSAGE) {
      time = WppMessage.time(bytes, from, newSize, time);
    } else {
      time = bytes.i64(from + TIME_OFFSET[newKind]);
    }
    return true;
  }

  /**
   * Lists all records of the open buffer, in their order in the file. {@link #moveTo} then goes to
   * one of them.
   */
  public void index(RecordTable table) {
    table.clear();
    Bytes window = bytes;
    int stop = end;
    int from = nextAt;
    boolean sorted = true;
    long ticks = time;
    long last = Long.MIN_VALUE;
    while (from + 8 <= stop) {
      if (from >= touchedTo) {
        touch(from);
      }
      long head = window.i64(from);
      int foundKind = RecordKind.ofMarker((int) head);
      if (foundKind < 0) {
        break;
      }
      int length = (int) (head >>> SIZE_SHIFT[foundKind]) & 0xFFFF;
      if (length < HEADER_BYTES[foundKind] || length > stop - from) {
        break;
      }
      ticks =
          foundKind == MESSAGE
              ? WppMessage.time(window, from, length, ticks)
              : window.i64(from + TIME_OFFSET[foundKind]);
      sorted &= ticks >= last;
      last = ticks;
      table.add(ticks, (long) from << 32 | head >>> 48 << 16 | length, foundKind);
      from += (length + 7) & ~7;
    }
    table.filled(sorted);
    // Whatever ended the records is judged, and reported if need be, in one place.
    nextAt = from;
    next();
  }

  /** Goes to record {@code i} of a table that {@link #index} filled from the open buffer. */
  public void moveTo(RecordTable table, int i) {
    long place = table.place(i);
    at = (int) (place >>> 32);
    hook = (int) place >>> 16;
    size = (int) place & 0xFFFF;
    kind = table.kind(i);
    time = table.ticks(i);
    payloadKnown = false;
  }

  /**
   * Reads a word of every cache line of the next stretch. Where a record begins is known only when
   * the one before it was read, so that a walk waits for memory at every record; these reads wait
   * for nothing, and the walk then finds its bytes in the cache.
   */
  private void touch(int from) {
    int to = Math.min(from + TOUCH, end - 8);
    long sum = 0;
    for (int i = from; i < to; i += CACHE_LINE) {
      sum += bytes.i64(i);
    }
    touched += sum;
    touchedTo = from + TOUCH;
  }

  /** What {@link #touch} read: kept so that its reads are not taken for useless. */
  long touched() {
    return touched;
  }

  private boolean atEnd(int from) {
    if (from < end && !markerMayEnd && !bytes.isZero(from, end - from)) {
      damage(from, "record", "only " + (end - from) + " bytes are left before the records' end");
    }
    nextAt = end;
    return false;
  }

  private boolean noRecord(int from, int marker) {
    boolean filler = marker == 0 || marker == -1;
    if (!(filler && markerMayEnd)) {
      damage(
          from,
          "record",
          filler
              ? "records end before the buffer's own end mark"
              : "no record header: marker 0x" + Integer.toHexString(marker));
    }
    nextAt = end;
    return false;
  }

  private boolean badSize(int from, int kind, int size) {
    damage(
        from,
        "record",
        RecordKind.at(kind)
            + " record of "
            + size
            + " bytes, where the header alone takes "
            + HEADER_BYTES[kind]
            + " and "
            + (end - from)
            + " are left");
    nextAt = end;
    return false;
  }

  private void damage(int from, String what, String why) {
    if (file.buffers().compressed(buffer)) {
      if (end < file.buffers().inflatedBytes(buffer)) {
        // What is missing behind the part that could be inflated was reported with the buffer.
        return;
      }
      gaps.add(
          new Gap(
              file.name(),
              file.buffers().fileOffset(buffer),
              file.buffers().fileBytes(buffer),
              what,
              why + " (at byte " + from + " of the " + end + " inflated ones)"));
    } else {
      gaps.add(new Gap(file.name(), bytes.base() + from, end - from, what, why));
    }
  }

  /** The file that the record is in. */
  public EtlFile file() {
    return file;
  }

  /** The buffer that the record is in. */
  public int buffer() {
    return buffer;
  }

  /** The window that the record is in; its offsets are those that the accessors give. */
  public Bytes bytes() {
    return bytes;
  }

  /** Where the record begins in {@link #bytes()}. */
  public int offset() {
    return at;
  }

  /** Bytes of the record with all its headers, without padding. */
  public int size() {
    return size;
  }

  /** Which header it has. */
  public RecordKind kind() {
    return RecordKind.at(kind);
  }

  /** {@link #kind()} as an index into {@link RecordKind#values()}, for hot loops. */
  public int kindOrdinal() {
    return kind;
  }

  /**
   * Raw time stamp. A message without one has that of the record before it, see {@link #hasTime()}.
   */
  public long ticks() {
    return time;
  }

  /** Whether the record has a time stamp of its own: all but messages without flag 8 do. */
  public boolean hasTime() {
    return kind != MESSAGE || WppMessage.hasTime(bytes, at);
  }

  /** Processor whose buffer the record is in. */
  public int cpu() {
    return file.buffers().cpu(buffer);
  }

  /** Pointer width of the writer, 4 or 8. */
  public int pointerBytes() {
    if (kind == MESSAGE) {
      return WppMessage.pointerBytes(bytes, at);
    }
    return kind().pointerBytes();
  }

  /** Process id in the header, {@link #NO_ID} if it has none. The logging one, for SYSTEM. */
  public int processId() {
    return switch (kind()) {
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64 -> bytes.i32(at + 12);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64 -> bytes.i32(at + 12);
      case MESSAGE -> message().processId();
      case PERFINFO32, PERFINFO64, TIMED, WNODE -> NO_ID;
    };
  }

  /** Thread id in the header, {@link #NO_ID} if it has none. */
  public int threadId() {
    return switch (kind()) {
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64 -> bytes.i32(at + 8);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64 -> bytes.i32(at + 8);
      case MESSAGE -> message().threadId();
      case PERFINFO32, PERFINFO64, TIMED, WNODE -> NO_ID;
    };
  }

  /** Group and type of a kernel record, group * 256 + type; only if {@link RecordKind#isHook}. */
  public int hookId() {
    return hook;
  }

  /** Class or provider GUID, or the message's; zero for kinds without one. */
  public Guid provider() {
    return switch (kind()) {
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64, WNODE ->
          Guid.read(bytes, at + 24);
      case MESSAGE -> message().guid();
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64, PERFINFO32, PERFINFO64, TIMED -> Guid.ZERO;
    };
  }

  /** Bytes 0 to 7 of the provider's GUID; only for kinds that have it at byte 24. */
  public long providerLow() {
    return bytes.i64(at + 24);
  }

  /** Bytes 8 to 15 of the provider's GUID; only for kinds that have it at byte 24. */
  public long providerHigh() {
    return bytes.i64(at + 32);
  }

  /** Event id: of the descriptor, the message number, the hook id; 0 for classic events. */
  public int id() {
    return switch (kind()) {
      case EVENT32, EVENT64 -> bytes.u16(at + 40);
      case MESSAGE -> message().number();
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64, PERFINFO32, PERFINFO64 -> hookId();
      case TIMED -> bytes.i32(at + 4);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, WNODE -> 0;
    };
  }

  /** Event version; of PERFINFO its low byte, since the rest are flags. */
  public int version() {
    return switch (kind()) {
      case EVENT32, EVENT64 -> bytes.u8(at + 42);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR -> bytes.u16(at + 6);
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64 -> bytes.u16(at);
      case PERFINFO32, PERFINFO64 -> bytes.u8(at);
      case MESSAGE, TIMED, WNODE -> 0;
    };
  }

  /** Opcode, or the type of a classic or kernel event. */
  public int opcode() {
    return switch (kind()) {
      case EVENT32, EVENT64 -> bytes.u8(at + 45);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR -> bytes.u8(at + 4);
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64, PERFINFO32, PERFINFO64 -> bytes.u8(at + 6);
      case MESSAGE, TIMED, WNODE -> 0;
    };
  }

  /** Level; 0 for kinds without one. */
  public int level() {
    return switch (kind()) {
      case EVENT32, EVENT64 -> bytes.u8(at + 44);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR -> bytes.u8(at + 5);
      default -> 0;
    };
  }

  /** Channel of an EVENT record. */
  public int channel() {
    return bytes.u8(at + 43);
  }

  /** Task of an EVENT record. */
  public int task() {
    return bytes.u16(at + 46);
  }

  /** Keyword bits of an EVENT record. */
  public long keyword() {
    return bytes.i64(at + 48);
  }

  /** {@code EVENT_HEADER_FLAG_*} of an EVENT record. */
  public int eventFlags() {
    return bytes.u16(at + 4);
  }

  /** {@code EVENT_HEADER_PROPERTY_*} of an EVENT record. */
  public int eventProperty() {
    return bytes.u16(at + 6);
  }

  /** Activity of an EVENT record. */
  public Guid activityId() {
    return Guid.read(bytes, at + 64);
  }

  /**
   * Processor time in the header: kernel in the low, user in the high 32 bits (ticks of the timer),
   * or cycles; only SYSTEM, FULL, INSTANCE and EVENT have it.
   */
  public long processorTime() {
    return switch (kind()) {
      case SYSTEM32, SYSTEM64 -> bytes.i64(at + 24);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR -> bytes.i64(at + 40);
      case EVENT32, EVENT64 -> bytes.i64(at + 56);
      default -> 0;
    };
  }

  /** {@code InstanceId} of an INSTANCE record. */
  public long instanceId() {
    return bytes.u32(at + 48);
  }

  /** {@code ParentInstanceId} of an INSTANCE record. */
  public long parentInstanceId() {
    return bytes.u32(at + 52);
  }

  /** Class of the parent instance of an INSTANCE record. */
  public Guid parentGuid() {
    return Guid.read(bytes, at + 56);
  }

  /** Number of performance counter values in a PERFINFO header. */
  public int pmcCount() {
    return switch (kind()) {
      case PERFINFO32, PERFINFO64 -> bytes.u16(at) >>> 8 & 7;
      default -> 0;
    };
  }

  /** Performance counter value {@code i} of a PERFINFO header. */
  public long pmc(int i) {
    return bytes.i64(at + 16 + (hasPebsIndex() ? 8 : 0) + 8 * i);
  }

  /** Whether a PERFINFO header has a PEBS index. */
  public boolean hasPebsIndex() {
    return switch (kind()) {
      case PERFINFO32, PERFINFO64 -> (bytes.u16(at) & 0x8000) != 0;
      default -> false;
    };
  }

  /** The PEBS index of a PERFINFO header. */
  public long pebsIndex() {
    return bytes.i64(at + 16);
  }

  /** The message header, for records of kind MESSAGE. */
  public WppMessage message() {
    return WppMessage.read(bytes, at, size);
  }

  /** Whether extended items stand between an EVENT header and its payload. */
  public boolean hasExtendedItems() {
    return kind().isEvent() && (eventFlags() & EtlLayout.EVENT_HEADER_FLAG_EXTENDED_INFO) != 0;
  }

  /** First extended item's offset; 0 if there is none. For use with {@link #nextItem}. */
  public int firstItem() {
    return hasExtendedItems() && itemFits(at + 80) ? at + 80 : 0;
  }

  /** The item after that at {@code item}; 0 after the last one. */
  public int nextItem(int item) {
    if ((bytes.u16(item + 4) & 1) == 0) {
      return 0;
    }
    int next = item + itemSize(item);
    return itemFits(next) ? next : 0;
  }

  /** {@code EVENT_HEADER_EXT_TYPE_*} of the item at {@code item}, see {@link ExtendedItem}. */
  public int itemType(int item) {
    return bytes.u16(item + 2);
  }

  /** Where the data of the item at {@code item} begins. */
  public int itemData(int item) {
    return item + 8;
  }

  /** Bytes of data of the item at {@code item}. */
  public int itemLength(int item) {
    return Math.min(bytes.u16(item + 6), at + size - item - 8);
  }

  private int itemSize(int item) {
    int total = bytes.u16(item);
    int rounded = total == 0 ? 8 + bytes.u16(item + 6) + 7 & ~7 : total + 7 & ~7;
    return Math.max(8, rounded);
  }

  private boolean itemFits(int item) {
    return item + 8 <= at + size && item + 8 + bytes.u16(item + 6) <= at + size;
  }

  /** Whether the record itself carries a stack, or the key of one. */
  public boolean hasStackItem() {
    for (int item = firstItem(); item != 0; item = nextItem(item)) {
      int type = itemType(item);
      if (type == ExtendedItem.STACK_TRACE32.number()
          || type == ExtendedItem.STACK_TRACE64.number()
          || type == ExtendedItem.STACK_KEY32.number()
          || type == ExtendedItem.STACK_KEY64.number()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Where the payload begins: after the header, its counters, optional parts and extended items. If
   * the chain of items is broken, that is a gap and the payload is empty.
   */
  public int payloadOffset() {
    if (!payloadKnown) {
      payloadAt = findPayload();
      payloadKnown = true;
    }
    return payloadAt;
  }

  /** Bytes of the payload. */
  public int payloadLength() {
    return at + size - payloadOffset();
  }

  private int findPayload() {
    return switch (kind()) {
      case PERFINFO32, PERFINFO64 ->
          at + Math.min(size, 16 + 8 * (pmcCount() + (hasPebsIndex() ? 1 : 0)));
      case EVENT32, EVENT64 -> hasExtendedItems() ? afterItems() : at + 80;
      case MESSAGE -> at + Math.min(size, WppMessage.headerBytes(bytes, at));
      default -> at + HEADER_BYTES[kind];
    };
  }

  private int afterItems() {
    int item = at + 80;
    int before = Math.min(item, at + size);
    while (true) {
      if (!itemFits(item)) {
        damage(before, at + size, "an extended item runs past the end of its record");
        return at + size;
      }
      before = item;
      boolean last = (bytes.u16(item + 4) & 1) == 0;
      item += itemSize(item);
      if (last) {
        // The last item's padding may be cut off where nothing follows it.
        return Math.min(item, at + size);
      }
    }
  }

  private void damage(int from, int to, String why) {
    long where =
        file.buffers().compressed(buffer) ? file.buffers().fileOffset(buffer) : bytes.base() + from;
    gaps.add(new Gap(file.name(), where, to - from, "extended items", why));
  }

  /** Reports a payload that is not what its schema says. */
  public void damagedPayload(DamagedInput damage) {
    gaps.add(new Gap(file.name(), damage.offset(), payloadLength(), "payload", damage.what()));
  }

  @Override
  public void close() {
    release();
  }
}
