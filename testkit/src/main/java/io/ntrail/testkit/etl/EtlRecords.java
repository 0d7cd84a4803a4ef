package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes one record: name the kind with a static method, set what differs from zero, then {@link
 * #build}. Setters that the kind has no room for are without effect.
 *
 * <pre>{@code
 * EtlRecord r = EtlRecords.event64(PROVIDER, 7).time(1000).thread(42, 43).payload(bytes).build();
 * }</pre>
 *
 * <p>Sources: phnt ntwmi.h, evntrace.h, evntcons.h.
 */
public final class EtlRecords {
  /** Message flags (evntrace.h TRACE_MESSAGE_*): which parts a message carries. */
  public static final int MESSAGE_SEQUENCE = 1;

  /** Message flag: a GUID names the message's source. */
  public static final int MESSAGE_GUID = 2;

  /** Message flag: a 32-bit component id instead of the GUID. */
  public static final int MESSAGE_COMPONENT_ID = 4;

  /** Message flag: a time stamp. */
  public static final int MESSAGE_TIME = 8;

  /** Message flag: the time stamp is of the performance counter. */
  public static final int MESSAGE_PERFORMANCE_TIME = 0x10;

  /** Message flag: thread and process id. */
  public static final int MESSAGE_SYSTEM_INFO = 0x20;

  /** Message flag: pointers among the arguments have 8 bytes. */
  public static final int MESSAGE_64_BIT = 0x80;

  final EtlKind kind;
  int hook;
  long time;
  long pid;
  long tid;
  int id;
  int opcode;
  int version;
  byte[] payload = {};

  private @Nullable UUID guid;
  private int level;
  private int channel;
  private int task;
  private long keyword;
  private int eventFlags;
  private int property;
  private UUID activity = new UUID(0, 0);
  private UUID parent = new UUID(0, 0);
  private int instance;
  private int parentInstance;
  private long kernelTime;
  private long userTime;
  private int messageFlags;
  private long sequence;
  private long component;
  private boolean alternative;
  private boolean pebs;
  private long pebsIndex;
  private long[] counters = {};
  private final List<Item> items = new ArrayList<>();

  private record Item(int type, List<Byte> data) {}

  private EtlRecords(EtlKind kind) {
    this.kind = kind;
  }

  private static EtlRecords hooked(EtlKind kind, int hook) {
    EtlRecords made = new EtlRecords(kind);
    made.hook = hook;
    made.version = 2;
    return made;
  }

  private static EtlRecords guided(EtlKind kind, UUID guid) {
    EtlRecords made = new EtlRecords(kind);
    made.guid = guid;
    return made;
  }

  /**
   * A kernel record with CPU times.
   *
   * @param pointer 4 or 8, bytes of a pointer of the logger
   * @param hook group * 256 + type
   */
  public static EtlRecords system(int pointer, int hook) {
    return hooked(EtlKind.SYSTEM64.of(pointer), hook);
  }

  /** A kernel record without CPU times; parameters as of {@link #system}. */
  public static EtlRecords compact(int pointer, int hook) {
    return hooked(EtlKind.COMPACT64.of(pointer), hook);
  }

  /** A kernel record without thread and process; parameters as of {@link #system}. */
  public static EtlRecords perfInfo(int pointer, int hook) {
    return hooked(EtlKind.PERFINFO64.of(pointer), hook);
  }

  /**
   * A classic class event.
   *
   * @param pointer 4 or 8
   * @param eventClass the class GUID
   */
  public static EtlRecords full(int pointer, UUID eventClass) {
    return guided(EtlKind.FULL64.of(pointer), eventClass);
  }

  /** A classic instance event; parameters as of {@link #full}. */
  public static EtlRecords instance(int pointer, UUID eventClass) {
    return guided(EtlKind.INSTANCE64.of(pointer), eventClass);
  }

  /**
   * A provider's event.
   *
   * @param pointer 4 or 8
   */
  public static EtlRecords event(int pointer, UUID provider, int id) {
    EtlRecords made = guided(EtlKind.EVENT64.of(pointer), provider);
    made.id = id;
    return made;
  }

  /** A timed record, framed with 0xC0. */
  public static EtlRecords timed(int id) {
    EtlRecords made = new EtlRecords(EtlKind.TIMED);
    made.id = id;
    return made;
  }

  /** A timed record in the form marked with 0xB0. */
  public static EtlRecords time32(int id) {
    EtlRecords made = timed(id);
    made.alternative = true;
    return made;
  }

  /** An error record. */
  public static EtlRecords error(UUID eventClass) {
    return guided(EtlKind.ERROR, eventClass);
  }

  /** A WNODE record. */
  public static EtlRecords wnode(UUID guid) {
    return guided(EtlKind.WNODE, guid);
  }

  /**
   * A WPP message marked with 0x90.
   *
   * @param flags sum of {@code MESSAGE_*}
   */
  public static EtlRecords message(int number, int flags) {
    EtlRecords made = new EtlRecords(EtlKind.MESSAGE);
    made.id = number;
    made.messageFlags = flags;
    return made;
  }

  /** A WPP message framed with 0xC0, type 15. */
  public static EtlRecords framedMessage(int number, int flags) {
    EtlRecords made = message(number, flags);
    made.alternative = true;
    return made;
  }

  /** Bytes that are not a record: nothing after them in the buffer can be found. */
  public static EtlRecord garbage(byte[] bytes) {
    EtlRecords made = new EtlRecords(EtlKind.RAW);
    return new EtlRecord(made, bytes.clone());
  }

  /** The time stamp in ticks of the session's clock. */
  public EtlRecords time(long ticks) {
    time = ticks;
    return this;
  }

  /** Process and thread id of the header. */
  public EtlRecords thread(long processId, long threadId) {
    pid = processId;
    tid = threadId;
    return this;
  }

  /** Version of the event or layout. */
  public EtlRecords version(int value) {
    version = value;
    return this;
  }

  /** Opcode (type) of the event; kernel records have it in the hook id. */
  public EtlRecords opcode(int value) {
    opcode = value;
    return this;
  }

  /** Level, 0 (always) to 5 (verbose). */
  public EtlRecords level(int value) {
    level = value;
    return this;
  }

  /** Channel, task and keywords of a provider's event. */
  public EtlRecords descriptor(int channelNumber, int taskNumber, long keywords) {
    channel = channelNumber;
    task = taskNumber;
    keyword = keywords;
    return this;
  }

  /**
   * Flags of EVENT_HEADER (0x0002 private, 0x0004 string only, 0x0010 no CPU times); flag 1 is set
   * by itself when there are extended items. For a TIME32 record: the low byte of its flags.
   */
  public EtlRecords flags(int value) {
    eventFlags = value;
    return this;
  }

  /** EVENT_HEADER's EventProperty. */
  public EtlRecords property(int value) {
    property = value;
    return this;
  }

  /** The activity id of a provider's event. */
  public EtlRecords activity(UUID value) {
    activity = value;
    return this;
  }

  /** Kernel and user CPU time in units of the timer resolution. */
  public EtlRecords cpuTimes(long kernel, long user) {
    kernelTime = kernel;
    userTime = user;
    return this;
  }

  /** Instance id, parent's instance id and parent class of an instance event. */
  public EtlRecords instanceOf(int instanceId, int parentId, UUID parentClass) {
    instance = instanceId;
    parentInstance = parentId;
    parent = parentClass;
    return this;
  }

  /** The sequence number of a message with {@link #MESSAGE_SEQUENCE}. */
  public EtlRecords sequence(long value) {
    sequence = value;
    return this;
  }

  /** The GUID of a message with {@link #MESSAGE_GUID}. */
  public EtlRecords messageGuid(UUID value) {
    guid = value;
    return this;
  }

  /** The component of a message with {@link #MESSAGE_COMPONENT_ID}. */
  public EtlRecords component(long value) {
    component = value;
    return this;
  }

  /** The processor-event index of a PERFINFO record. */
  public EtlRecords pebsIndex(long value) {
    pebs = true;
    pebsIndex = value;
    return this;
  }

  /** The performance counters of a PERFINFO record, at most 7. */
  public EtlRecords counters(long... values) {
    counters = values.clone();
    return this;
  }

  /**
   * Adds an extended item to a provider's event.
   *
   * @param type EVENT_HEADER_EXT_TYPE_*, 1 to 18
   */
  public EtlRecords item(int type, byte[] data) {
    List<Byte> copy = new ArrayList<>(data.length);
    for (byte b : data) {
      copy.add(b);
    }
    items.add(new Item(type, copy));
    return this;
  }

  /** Sets the bytes after the header and the items. */
  public EtlRecords payload(byte[] value) {
    payload = value.clone();
    return this;
  }

  /** Sets the bytes after the header and the items. */
  public EtlRecords payload(LittleEndian value) {
    payload = value.toByteArray();
    return this;
  }

  boolean hooked() {
    return switch (kind) {
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64, PERFINFO32, PERFINFO64 -> true;
      default -> false;
    };
  }

  boolean hasTime() {
    return switch (kind) {
      case MESSAGE -> (messageFlags & MESSAGE_TIME) != 0;
      case RAW -> false;
      default -> true;
    };
  }

  boolean hasThread() {
    return switch (kind) {
      case PERFINFO32, PERFINFO64, TIMED, WNODE, RAW -> false;
      case MESSAGE -> (messageFlags & MESSAGE_SYSTEM_INFO) != 0;
      default -> true;
    };
  }

  @Nullable UUID provider() {
    if (hooked()) {
      return ClassGuids.ofHook(hook);
    }
    return kind != EtlKind.MESSAGE || (messageFlags & MESSAGE_GUID) != 0 ? guid : null;
  }

  private UUID guidOrZero() {
    return guid == null ? new UUID(0, 0) : guid;
  }

  /**
   * The record.
   *
   * @throws IllegalArgumentException if it is longer than the 65,535 bytes a record can have
   */
  public EtlRecord build() {
    LittleEndian out = new LittleEndian(kind.headerBytes + payload.length + 64);
    switch (kind) {
      case SYSTEM32, SYSTEM64, COMPACT32, COMPACT64 -> {
        out.u16(version).u8(kind.type).u8(0xC0).u16(0).u16(hook).u32(tid).u32(pid).u64(time);
        if (kind.headerBytes == 32) {
          out.u32(kernelTime).u32(userTime);
        }
      }
      case PERFINFO32, PERFINFO64 -> {
        int extra = (pebs ? 0x8000 : 0) | counters.length << 8;
        out.u16((version & 0xFF) | extra).u8(kind.type).u8(0xC0).u16(0).u16(hook).u64(time);
        if (pebs) {
          out.u64(pebsIndex);
        }
        for (long counter : counters) {
          out.u64(counter);
        }
      }
      case FULL32, FULL64, ERROR, INSTANCE32, INSTANCE64 -> {
        out.u16(0).u8(kind.type).u8(0xC0).u8(opcode).u8(level).u16(version).u32(tid).u32(pid);
        out.u64(time).guid(guidOrZero()).u32(kernelTime).u32(userTime);
        if (kind.headerBytes == 72) {
          out.u32(instance).u32(parentInstance).guid(parent);
        }
      }
      case EVENT32, EVENT64 -> eventHeader(out);
      case TIMED -> {
        out.u16(0);
        if (alternative) {
          out.u8(eventFlags).u8(0xB0);
        } else {
          out.u8(kind.type).u8(0xC0);
        }
        out.u32(id).u64(time);
      }
      case WNODE ->
          out.u16(0).u8(kind.type).u8(0xC0).u32(0).u64(0).u64(time).guid(guidOrZero()).u64(0);
      case MESSAGE -> messageHeader(out);
      case RAW -> throw new IllegalStateException("garbage is not built");
    }
    out.bytes(payload);
    if (out.size() > 0xFFFF) {
      throw new IllegalArgumentException("a record of " + out.size() + " bytes");
    }
    out.setU16(hooked() ? 4 : 0, out.size());
    return new EtlRecord(this, out.toByteArray());
  }

  private void eventHeader(LittleEndian out) {
    int flags = eventFlags | (items.isEmpty() ? 0 : 1);
    out.u16(0).u8(kind.type).u8(0xC0).u16(flags).u16(property).u32(tid).u32(pid).u64(time);
    out.guid(guidOrZero()).u16(id).u8(version).u8(channel).u8(level).u8(opcode).u16(task);
    out.u64(keyword).u32(kernelTime).u32(userTime).guid(activity);
    for (int i = 0; i < items.size(); i++) {
      Item item = items.get(i);
      int total = (8 + item.data.size() + 7) & ~7;
      out.u16(total).u16(item.type).u16(i + 1 < items.size() ? 1 : 0).u16(item.data.size());
      item.data.forEach(out::u8);
      out.zeros(total - 8 - item.data.size());
    }
  }

  private void messageHeader(LittleEndian out) {
    out.u16(0).u8(alternative ? kind.type : 0).u8(alternative ? 0xC0 : 0x90);
    out.u16(id).u16(messageFlags);
    if ((messageFlags & MESSAGE_SEQUENCE) != 0) {
      out.u32(sequence);
    }
    if ((messageFlags & MESSAGE_GUID) != 0) {
      out.guid(guidOrZero());
    } else if ((messageFlags & MESSAGE_COMPONENT_ID) != 0) {
      out.u32(component);
    }
    if ((messageFlags & MESSAGE_TIME) != 0) {
      out.u64(time);
    }
    if ((messageFlags & MESSAGE_SYSTEM_INFO) != 0) {
      out.u32(tid).u32(pid);
    }
  }
}
