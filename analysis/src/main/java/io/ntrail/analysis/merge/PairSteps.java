package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.stacks.ProviderStacks;
import io.ntrail.analysis.merge.PairedRecords.Place;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskFlush;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskInit;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskTransfer;
import io.ntrail.formats.etl.KernelFieldOffsets.FileOperation;
import io.ntrail.formats.etl.KernelFieldOffsets.ReadyThread;
import io.ntrail.formats.etl.KernelFieldOffsets.ThreadLife;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that one stretch of a recording tells about what has to be kept, in time order, so that who
 * puts the stretches together need not read the records: steps of {@link PairedRecords}, and
 * records that may be the first of their type. About 40 bytes a step.
 */
final class PairSteps {
  /** A context switch; its thread is the one that leaves. */
  static final int SWITCH = 0;

  /** A context switch whose leaving thread has ended. */
  static final int SWITCH_OF_ENDED = 1;

  /** A context switch that does not say what becomes of the leaving thread. */
  static final int SWITCH_OF_UNKNOWN = 2;

  /** A thread may run again. */
  static final int READY = 3;

  /** A thread begins or ends. */
  static final int LIFE = 4;

  /** A request to a disk begins. */
  static final int REQUEST = 5;

  /** A request to a disk ends. */
  static final int REQUEST_END = 6;

  /** An operation on a file begins. */
  static final int OPERATION = 7;

  /** An operation on a file ends. */
  static final int OPERATION_END = 8;

  /** An event with one half of a stack. */
  static final int HALF = 9;

  /** A stack of .NET. */
  static final int CLR_STACK = 10;

  /** An event of .NET. */
  static final int CLR = 11;

  /** A kept record that needs the context switch before it. */
  static final int RUNS = 12;

  /** The end of the time range. */
  static final int SETTLE = 13;

  /** A record that may be the first of its type. */
  static final int FIRST = 14;

  /** Such a record, which needs the context switch before it if it is kept. */
  static final int FIRST_RUNS = 15;

  /** The beginning of the time range. */
  static final int BEGIN = 16;

  /** Mark of a record that is kept. */
  static final int KEPT = 0x80;

  /** Mark of a context switch that puts a chosen thread on its CPU. */
  static final int BRINGS = 0x40;

  /** Mark of a context switch at which a chosen thread leaves its CPU, or of the end of one. */
  static final int LEAVES = 0x20;

  private static final int STEP = 0x1F;
  private static final int TERMINATED = 4;

  /**
   * A record that may be the first of its type.
   *
   * @param isInRange true if it is within the time range
   * @param named key of the event that it has a stack for; null if it has none
   * @param thread that it belongs to
   * @param out thread that leaves the CPU with it
   */
  record First(EventType type, boolean isInRange, @Nullable Long named, int thread, int out) {}

  private final KernelEvents kernel;
  private final Columns rows = new Columns(1 << 10);
  private final ByteColumn steps = rows.bytes();
  private final IntColumn files = rows.ints();
  private final IntColumn buffers = rows.ints();
  private final IntColumn offsets = rows.ints();
  private final LongColumn keys = rows.longs();
  private final LongColumn matches = rows.longs();
  private final IntColumn threads = rows.ints();
  private final List<First> firsts = new ArrayList<>();

  /** Times of kept records, or of the events that kept stack records name. */
  final LongList times = new LongList();

  boolean hasStackRecords;
  boolean hasStackKeys;

  /** The last record; null if there is none. */
  @Nullable Place last;

  PairSteps(KernelEvents kernel) {
    this.kernel = kernel;
  }

  void clear() {
    rows.clear();
    firsts.clear();
    times.clear();
    hasStackRecords = false;
    hasStackKeys = false;
    last = null;
  }

  /** Returns the number of steps. */
  int count() {
    return rows.rows();
  }

  /** Returns what happens: {@link #SWITCH} and so on. */
  int step(int i) {
    return steps.get(i) & STEP;
  }

  /** Returns true if a step has a mark: {@link #KEPT} and so on. */
  boolean has(int i, int mark) {
    return (steps.get(i) & mark) != 0;
  }

  /** Returns a number that the other half of a pair has, too; the thread that a switch brings. */
  long match(int i) {
    return matches.get(i);
  }

  /** Returns the thread that a step is about. */
  int thread(int i) {
    return threads.get(i);
  }

  /** Returns the CPU that a {@link #SWITCH} or {@link #RUNS} is about. */
  int cpu(int i) {
    return (int) (matches.get(i) >>> 32);
  }

  /** Returns the file of the record of a step. */
  int file(int i) {
    return files.get(i);
  }

  /** Returns what is known of a record that may be the first of its type. */
  First first(int i) {
    return firsts.get((int) matches.get(i));
  }

  /** Returns the record of a step. */
  Place place(int i) {
    return new Place(files.get(i), buffers.get(i), offsets.get(i), keys.get(i), has(i, KEPT));
  }

  /** Returns true if the record of a step is at a place. */
  boolean isAt(int i, @Nullable Place place) {
    return place != null
        && buffers.get(i) == place.buffer()
        && offsets.get(i) == place.offset()
        && files.get(i) == place.file();
  }

  private void add(int step, RecordCursor record, int file, long key, int marks) {
    int row = rows.add();
    steps.set(row, (byte) (step | marks));
    files.set(row, file);
    buffers.set(row, record.buffer());
    offsets.set(row, record.offset());
    keys.set(row, key);
    matches.set(row, 0);
    threads.set(row, 0);
  }

  private void setMatch(long match) {
    matches.set(rows.rows() - 1, match);
  }

  private void setThread(int thread) {
    threads.set(rows.rows() - 1, thread);
  }

  /** Notes that the time range begins with a record. */
  void addBegin(RecordCursor record, int file, long key) {
    add(BEGIN, record, file, key, 0);
  }

  /** Notes that the time range ends before a record. */
  void addSettle(RecordCursor record, int file, long key) {
    add(SETTLE, record, file, key, 0);
  }

  void addFirst(RecordCursor record, int file, long key, First first) {
    add(FIRST, record, file, key, 0);
    setMatch(firsts.size());
    firsts.add(first);
  }

  /** Notes a record that needs the switch before it if it is kept, as it is or may turn out. */
  void addRuns(RecordCursor record, int file, long key, boolean isKept) {
    add(isKept ? RUNS : FIRST_RUNS, record, file, key, isKept ? KEPT : 0);
    setMatch((record.cpu() & 0xFFFFL) << 32);
  }

  /** Returns true for a record that is a {@link #SWITCH}, whatever it says of the threads. */
  static boolean isSwitch(RecordCursor record) {
    return record.hookId() == KernelEvent.THREAD_CSWITCH
        && record.payloadLength() >= CSwitch.OLD_THREAD_ID + 4;
  }

  /**
   * Notes a record if it is one of a pair.
   *
   * @param marks {@link #KEPT} and so on
   */
  void add(RecordCursor record, int file, long key, int marks) {
    if (record.kind().isHook()) {
      hook(record, record.hookId(), file, key, marks);
    } else if (record.kind().isEvent()) {
      event(record, file, key, marks);
    } else if (record.kind().isClassic()) {
      int hook = kernel.hookId(record.provider(), record.opcode());
      if (hook >= 0) {
        hook(record, hook, file, key, marks);
      }
    }
  }

  private void hook(RecordCursor record, int hook, int file, long key, int marks) {
    switch (hook) {
      case KernelEvent.THREAD_CSWITCH -> contextSwitch(record, file, key, marks);
      case KernelEvent.THREAD_READYTHREAD -> {
        if (record.payloadLength() >= ReadyThread.THREAD_ID + 4) {
          add(READY, record, file, key, marks);
          setThread(record.bytes().i32(record.payloadOffset() + ReadyThread.THREAD_ID));
        }
      }
      case KernelEvent.THREAD_START, KernelEvent.THREAD_END -> {
        int at = ThreadLife.threadId(record.version());
        if (record.payloadLength() >= at + 4) {
          add(LIFE, record, file, key, marks);
          setThread(record.bytes().i32(record.payloadOffset() + at));
        }
      }
      default -> {
        switch (KernelEvent.group(hook)) {
          case Group.DISKIO -> disk(record, hook, file, key, marks);
          case Group.FILEIO -> file(record, hook, file, key, marks);
          default -> {
            // Means something alone.
          }
        }
      }
    }
  }

  private void contextSwitch(RecordCursor record, int file, long key, int marks) {
    int length = record.payloadLength();
    if (length < CSwitch.OLD_THREAD_ID + 4) {
      return;
    }
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    int step = SWITCH_OF_UNKNOWN;
    if (length > CSwitch.OLD_THREAD_STATE) {
      boolean hasEnded = bytes.u8(at + CSwitch.OLD_THREAD_STATE) == TERMINATED;
      step = hasEnded ? SWITCH_OF_ENDED : SWITCH;
    }
    add(step, record, file, key, marks);
    setThread(bytes.i32(at + CSwitch.OLD_THREAD_ID));
    setMatch((record.cpu() & 0xFFFFL) << 32 | bytes.u32(at + CSwitch.NEW_THREAD_ID));
  }

  private void disk(RecordCursor record, int hook, int file, long key, int marks) {
    int pointer = record.pointerBytes();
    if (KernelEvent.isDiskRequest(hook)) {
      if (record.payloadLength() >= pointer) {
        add(REQUEST, record, file, key, marks);
        setMatch(irp(record, DiskInit.IRP));
      }
      return;
    }
    int at =
        switch (hook) {
          case KernelEvent.DISKIO_FLUSHBUFFERS, KernelEvent.DISKIO_OPTICALFLUSHBUFFERS ->
              DiskFlush.IRP;
          default -> record.version() >= 2 ? DiskTransfer.irp(pointer) : Integer.MAX_VALUE - 8;
        };
    if (record.payloadLength() >= at + pointer) {
      add(REQUEST_END, record, file, key, marks);
      setMatch(irp(record, at));
    }
  }

  private static long irp(RecordCursor record, int at) {
    return record.bytes().pointer(record.payloadOffset() + at, record.pointerBytes());
  }

  private void file(RecordCursor record, int hook, int file, long key, int marks) {
    FileOperation operation = FileOperation.of(hook);
    int pointer = record.pointerBytes();
    if (operation != null) {
      if (record.payloadLength() >= operation.irp() + pointer) {
        add(OPERATION, record, file, key, marks);
        setMatch(irp(record, operation.irp()));
      }
    } else if (hook == KernelEvent.FILEIO_OPERATIONEND && record.payloadLength() >= pointer) {
      add(OPERATION_END, record, file, key, marks);
      setMatch(irp(record, FileOperation.END_IRP));
    }
  }

  /** Events whose stack, or the other half of it, comes with a later event. */
  private void event(RecordCursor record, int file, long key, int marks) {
    boolean isClr = ProviderStacks.isClr(record);
    boolean hasStack = record.hasExtendedItems() && record.hasStackItem();
    if (!isClr && !hasStack) {
      return;
    }
    long match = hasStack ? ProviderStacks.matchIdOf(record) : 0;
    if (match != 0) {
      add(HALF, record, file, key, marks);
      setMatch(match);
      setThread(record.threadId());
    }
    boolean isStack = ProviderStacks.isClrStack(record);
    if (isClr || isStack) {
      add(isStack ? CLR_STACK : CLR, record, file, key, marks);
      setThread(record.threadId());
    }
  }
}
