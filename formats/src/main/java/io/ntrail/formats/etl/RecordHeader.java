package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;

/** Header fields and extended items of the record that a {@link RecordCursor} is on. */
public abstract sealed class RecordHeader permits RecordCursor {
  /** No process or thread is known. */
  public static final int NO_ID = -1;

  /** Ordinal of {@link RecordKind#MESSAGE}. */
  static final int MESSAGE = RecordKind.MESSAGE.ordinal();

  /** By kind: where the version is, and the bits of the two bytes there that are it. */
  private static final byte[] VERSION_AT = new byte[16];

  private static final short[] VERSION_BITS = new short[16];

  /** By kind: where the opcode or type is, and the bits of the byte there that are it. */
  private static final byte[] OPCODE_AT = new byte[16];

  private static final short[] OPCODE_BITS = new short[16];

  static {
    for (RecordKind kind : RecordKind.values()) {
      int i = kind.ordinal();
      boolean isPerfInfo = kind == RecordKind.PERFINFO32 || kind == RecordKind.PERFINFO64;
      VERSION_AT[i] = (byte) (kind.isEvent() ? 42 : kind.isClassic() ? 6 : 0);
      OPCODE_AT[i] = (byte) (kind.isEvent() ? 45 : kind.isHook() ? 6 : 4);
      if (kind.isEvent() || kind.isHook() || kind.isClassic()) {
        VERSION_BITS[i] = (short) (kind.isEvent() || isPerfInfo ? 0xFF : 0xFFFF);
        OPCODE_BITS[i] = 0xFF;
      }
    }
  }

  static final Bytes NOTHING = Bytes.copyOf(new byte[0], "nothing");

  Bytes bytes = NOTHING;
  int at;
  int size;
  int kind;

  /** The word where kernel records have their hook id. */
  int hook;

  long time;

  RecordHeader() {}

  /** The window that the record is in; its offsets are those that the accessors give. */
  public final Bytes bytes() {
    return bytes;
  }

  /** Returns the start of the record in {@link #bytes()}. */
  public final int offset() {
    return at;
  }

  /** Bytes of the record with all its headers, without padding. */
  public final int size() {
    return size;
  }

  /** Returns the kind of its header. */
  public final RecordKind kind() {
    return RecordKind.at(kind);
  }

  /** {@link #kind()} as an index into {@link RecordKind#values()}, for hot loops. */
  public final int kindOrdinal() {
    return kind;
  }

  /**
   * Raw time stamp. A message without one has that of the record before it, see {@link #hasTime()}.
   */
  public final long ticks() {
    return time;
  }

  /** Returns true if the record has a time stamp of its own: all but messages without flag 8 do. */
  public final boolean hasTime() {
    return kind != MESSAGE || WppMessage.hasTime(bytes, at);
  }

  /** Pointer width of the writer, 4 or 8. */
  public final int pointerBytes() {
    if (kind == MESSAGE) {
      return WppMessage.pointerBytes(bytes, at);
    }
    return kind().pointerBytes();
  }

  /** Process id in the header, {@link #NO_ID} if it has none. The logging one, for SYSTEM. */
  public final int processId() {
    return switch (kind()) {
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64 -> bytes.i32(at + 12);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64 -> bytes.i32(at + 12);
      case MESSAGE -> message().processId();
      case PERFINFO32, PERFINFO64, TIMED, WNODE -> NO_ID;
    };
  }

  /** Thread id in the header, {@link #NO_ID} if it has none. */
  public final int threadId() {
    return switch (kind()) {
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64 -> bytes.i32(at + 8);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64 -> bytes.i32(at + 8);
      case MESSAGE -> message().threadId();
      case PERFINFO32, PERFINFO64, TIMED, WNODE -> NO_ID;
    };
  }

  /** Group and type of a kernel record, group * 256 + type; only if {@link RecordKind#isHook}. */
  public final int hookId() {
    return hook;
  }

  /** Class or provider GUID, or the message's; zero for kinds without one. */
  public final Guid provider() {
    return switch (kind()) {
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64, WNODE ->
          Guid.read(bytes, at + 24);
      case MESSAGE -> message().guid();
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64, PERFINFO32, PERFINFO64, TIMED -> Guid.ZERO;
    };
  }

  /** Bytes 0 to 7 of the provider's GUID; only for kinds that have it at byte 24. */
  public final long providerLow() {
    return bytes.i64(at + 24);
  }

  /** Bytes 8 to 15 of the provider's GUID; only for kinds that have it at byte 24. */
  public final long providerHigh() {
    return bytes.i64(at + 32);
  }

  /** Event id: of the descriptor, the message number, the hook id; 0 for classic events. */
  public final int id() {
    if (RecordKind.at(kind).isEvent()) {
      return bytes.u16(at + 40);
    }
    return switch (kind()) {
      case MESSAGE -> message().number();
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64, PERFINFO32, PERFINFO64 -> hookId();
      case TIMED -> bytes.i32(at + 4);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, WNODE, EVENT32, EVENT64 -> 0;
    };
  }

  /** Event version; of PERFINFO its low byte, since the rest are flags. */
  public final int version() {
    return bytes.u16(at + VERSION_AT[kind]) & VERSION_BITS[kind] & 0xFFFF;
  }

  /** Opcode, or the type of a classic or kernel event. */
  public final int opcode() {
    return bytes.u8(at + OPCODE_AT[kind]) & OPCODE_BITS[kind];
  }

  /**
   * Returns those parts of the descriptor of an EVENT record that its type is told by, as one
   * number: the id in the lowest 16 bits, the version in the next 8, the opcode in bits 40 to 47.
   */
  public final long typeBits() {
    return bytes.i64(at + 40) & 0xFF00_00FF_FFFFL;
  }

  /** Level; 0 for kinds without one. */
  public final int level() {
    return switch (kind()) {
      case EVENT32, EVENT64 -> bytes.u8(at + 44);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR -> bytes.u8(at + 5);
      default -> 0;
    };
  }

  /** Channel of an EVENT record. */
  public final int channel() {
    return bytes.u8(at + 43);
  }

  /** Task of an EVENT record. */
  public final int task() {
    return bytes.u16(at + 46);
  }

  /** Keyword bits of an EVENT record. */
  public final long keyword() {
    return bytes.i64(at + 48);
  }

  /** {@code EVENT_HEADER_FLAG_*} of an EVENT record. */
  public final int eventFlags() {
    return bytes.u16(at + 4);
  }

  /** {@code EVENT_HEADER_PROPERTY_*} of an EVENT record. */
  public final int eventProperty() {
    return bytes.u16(at + 6);
  }

  /** Activity of an EVENT record. */
  public final Guid activityId() {
    return Guid.read(bytes, at + 64);
  }

  /**
   * Processor time in the header: kernel in the low, user in the high 32 bits (ticks of the timer),
   * or cycles; only SYSTEM, FULL, INSTANCE and EVENT have it.
   */
  public final long processorTime() {
    return switch (kind()) {
      case SYSTEM32, SYSTEM64 -> bytes.i64(at + 24);
      case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR -> bytes.i64(at + 40);
      case EVENT32, EVENT64 -> bytes.i64(at + 56);
      default -> 0;
    };
  }

  /** {@code InstanceId} of an INSTANCE record. */
  public final long instanceId() {
    return bytes.u32(at + 48);
  }

  /** {@code ParentInstanceId} of an INSTANCE record. */
  public final long parentInstanceId() {
    return bytes.u32(at + 52);
  }

  /** Class of the parent instance of an INSTANCE record. */
  public final Guid parentGuid() {
    return Guid.read(bytes, at + 56);
  }

  /** Number of performance counter values in a PERFINFO header. */
  public final int pmcCount() {
    return switch (kind()) {
      case PERFINFO32, PERFINFO64 -> bytes.u16(at) >>> 8 & 7;
      default -> 0;
    };
  }

  /** Performance counter value {@code i} of a PERFINFO header. */
  public final long pmc(int i) {
    return bytes.i64(at + 16 + (hasPebsIndex() ? 8 : 0) + 8 * i);
  }

  /** Returns true if a PERFINFO header has a PEBS index. */
  public final boolean hasPebsIndex() {
    return switch (kind()) {
      case PERFINFO32, PERFINFO64 -> (bytes.u16(at) & 0x8000) != 0;
      default -> false;
    };
  }

  /** The PEBS index of a PERFINFO header. */
  public final long pebsIndex() {
    return bytes.i64(at + 16);
  }

  /** The message header, for records of kind MESSAGE. */
  public final WppMessage message() {
    return WppMessage.read(bytes, at, size);
  }

  /** Returns true if extended items are between an EVENT header and its payload. */
  public final boolean hasExtendedItems() {
    return RecordKind.at(kind).isEvent()
        && (eventFlags() & EtlLayout.EVENT_HEADER_FLAG_EXTENDED_INFO) != 0;
  }

  /** First extended item's offset; 0 if there is none. For use with {@link #nextItem}. */
  public final int firstItem() {
    return hasExtendedItems() && itemFits(at + 80) ? at + 80 : 0;
  }

  /** The item after that at {@code item}; 0 after the last one. */
  public final int nextItem(int item) {
    if ((bytes.u16(item + 4) & 1) == 0) {
      return 0;
    }
    int next = item + itemSize(item);
    return itemFits(next) ? next : 0;
  }

  /** {@code EVENT_HEADER_EXT_TYPE_*} of the item at {@code item}, see {@link ExtendedItem}. */
  public final int itemType(int item) {
    return bytes.u16(item + 2);
  }

  /** Returns the start of the data of the item at {@code item}. */
  public final int itemData(int item) {
    return item + 8;
  }

  /** Bytes of data of the item at {@code item}. */
  public final int itemLength(int item) {
    return Math.min(bytes.u16(item + 6), at + size - item - 8);
  }

  final int itemSize(int item) {
    int total = bytes.u16(item);
    int rounded = total == 0 ? 8 + bytes.u16(item + 6) + 7 & ~7 : total + 7 & ~7;
    return Math.max(8, rounded);
  }

  final boolean itemFits(int item) {
    return item + 8 <= at + size && item + 8 + bytes.u16(item + 6) <= at + size;
  }

  /** Returns true if the record itself carries a stack, or the key of one. */
  public final boolean hasStackItem() {
    for (int item = firstItem(); item != 0; item = nextItem(item)) {
      int type = itemType(item);
      boolean ofStack =
          type == ExtendedItem.STACK_TRACE32.number()
              || type == ExtendedItem.STACK_TRACE64.number()
              || type == ExtendedItem.STACK_KEY32.number()
              || type == ExtendedItem.STACK_KEY64.number();
      if (ofStack && itemLength(item) >= 8) {
        return true;
      }
    }
    return false;
  }
}
