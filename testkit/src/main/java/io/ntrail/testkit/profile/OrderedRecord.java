package io.ntrail.testkit.profile;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One record of a recording, in the order in which a profile looks at them. */
final class OrderedRecord {
  /** Stand-in for an unknown process or thread. */
  static final long NONE = -1;

  static final String CLR = "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4";
  static final String CLR_RUNDOWN = "a669021c-c450-4609-a035-5af59af4df18";
  static final String CLR_PRIVATE = "763fd754-7086-4dfe-95eb-c01a46faf4ca";
  static final String CLR_STRESS = "cc2bcbba-16b6-4cf3-8990-d74c2e8af500";

  private static final Set<Integer> RUNDOWNS =
      Set.of(
          0x0303, 0x0304, 0x0321, 0x0503, 0x0504, 0x1403, 0x1404, 0x0424, 0x0427, 0x0428, 0x0280,
          0x0281, 0x0264);

  /**
   * An extended item.
   *
   * @param type EVENT_HEADER_EXT_TYPE_*
   * @param data a reader at its start
   */
  record Item(int type, LittleEndianReader data) {
    /** Returns true if it is a stack, or half of one. */
    boolean isStack() {
      return type == 5 || type == 6 || type == 17 || type == 18;
    }
  }

  final int cpu;
  final long sequence;
  final int buffer;
  final int offset;
  final long time;

  /** The hook id of a kernel record, whatever its header; else -1. */
  final int hook;

  /** The provider of an event or the class that is not the kernel's; else null. */
  final @Nullable String provider;

  final int id;
  final int version;
  final int pointer;

  /** Process and thread of the header, or {@link #NONE}. */
  final long pid;

  final long tid;
  final List<Item> items;
  private final byte[] payload;

  /** The place in the order of all records. */
  int ordinal;

  /** The thread that the last switch before put on this CPU, or {@link #NONE}. */
  long running = NONE;

  OrderedRecord(
      Head head,
      int hook,
      @Nullable String provider,
      int id,
      int version,
      int pointer,
      long pid,
      long tid,
      List<Item> items,
      byte[] payload) {
    this.cpu = head.cpu;
    this.sequence = head.sequence;
    this.buffer = head.buffer;
    this.offset = head.offset;
    this.time = head.time;
    this.hook = hook;
    this.provider = provider;
    this.id = id;
    this.version = version;
    this.pointer = pointer;
    this.pid = pid == 0xFFFF_FFFFL ? NONE : pid;
    this.tid = tid == 0xFFFF_FFFFL ? NONE : tid;
    this.items = items;
    this.payload = payload;
  }

  /** Position of a record. */
  record Head(int cpu, long sequence, int buffer, int offset, long time) {}

  /** A reader at the start of the payload. */
  LittleEndianReader payload() {
    return new LittleEndianReader(payload, 0, pointer);
  }

  boolean kernel() {
    return hook >= 0;
  }

  boolean isStack() {
    return hook == 0x1820 || hook == 0x1825 || hook == 0x1826;
  }

  boolean isDefinition() {
    return hook == 0x1822 || hook == 0x1823 || hook == 0x1824;
  }

  boolean ofClr() {
    return CLR.equals(provider)
        || CLR_RUNDOWN.equals(provider)
        || CLR_PRIVATE.equals(provider)
        || CLR_STRESS.equals(provider);
  }

  boolean isClrStack() {
    return CLR.equals(provider) && id == 82
        || CLR_RUNDOWN.equals(provider) && id == 0
        || CLR_PRIVATE.equals(provider) && id == 82;
  }

  /**
   * Returns true if stack records may belong to it: not to stacks, rundowns, or what mergers add.
   */
  boolean mayHaveStack() {
    if (kernel()) {
      int group = hook >> 8;
      return group != 0 && group != 0x0B && group != 0x18 && !RUNDOWNS.contains(hook);
    }
    return !ReferenceEtlReader.MERGED.contains(String.valueOf(provider))
        && !CLR_RUNDOWN.equals(provider);
  }

  boolean isDisk() {
    return isDiskTransfer() || hook == 0x010E || hook == 0x0139;
  }

  boolean isDiskTransfer() {
    return hook == 0x010A || hook == 0x010B || hook == 0x0137 || hook == 0x0138;
  }

  boolean isDiskInit() {
    return hook == 0x010C || hook == 0x010D || hook == 0x010F || hook >= 0x013A && hook <= 0x013C;
  }

  boolean isFile() {
    return hook >= 0x0440 && hook <= 0x0451 && hook != 0x044C && hook != 0x044E;
  }

  boolean isFault() {
    return hook >= 0x020A && hook <= 0x020F;
  }

  /** The thread that the payload names as the one that did it, or {@link #NONE}. */
  long namedThread() {
    LittleEndianReader in = payload();
    if (hook == 0x0F2E || hook == 0x0F2F) {
      in.p();
      return in.u32();
    }
    if (hook == 0x0220) {
      return in.skip(16 + 2 * pointer).u32();
    }
    if (isDisk() && version >= 3) {
      return isDiskTransfer()
          ? in.skip(24 + 2 * pointer + 8).u32()
          : in.skip(8 + 8 + pointer).u32();
    }
    if (isDiskInit() && version >= 3) {
      return in.skip(pointer).u32();
    }
    if (isFile()) {
      int transfer = hook == 0x0443 || hook == 0x0444 ? 8 : 0;
      if (version < 3) {
        return in.skip(transfer + pointer).p();
      }
      int pointers =
          switch (hook) {
            case 0x0440 -> 2;
            case 0x0441, 0x0442, 0x0443, 0x0444, 0x0448, 0x0449, 0x044D -> 3;
            default -> 4;
          };
      return in.skip(transfer + pointers * pointer).u32();
    }
    return NONE;
  }

  /** The thread of the event: what the payload says, else the header, else who ran on the CPU. */
  long thread() {
    long named = namedThread();
    return named != NONE ? named : tid != NONE ? tid : running;
  }
}
