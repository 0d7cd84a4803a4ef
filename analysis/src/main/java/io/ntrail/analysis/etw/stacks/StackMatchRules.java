package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvent.Life;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskInit;
import io.ntrail.formats.etl.KernelFieldOffsets.FileOperation;
import io.ntrail.formats.etl.KernelFieldOffsets.HardFault;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;
import io.ntrail.formats.identity.Guid;

/**
 * Rules for the records that a stack record can be about, and for the thread of the stack. Pieces
 * of Processor Trace belong to events by the same rules.
 */
public final class StackMatchRules {
  private static final Guid STACK_WALK_CLASS = Guid.parse("def2fe46-7bd6-4b80-bd94-f57fe20d0ce3");

  /** No stack of this thread can belong to the record. */
  public static final int NO = -1;

  /** The thread of the record is unknown. */
  static final int MAYBE = 0;

  /** The thread is that of the record. */
  static final int YES = 1;

  private final KernelEvents kernel;

  /** Knows no records; the kernel's classes tell their hook ids. */
  public StackMatchRules(KernelEvents kernel) {
    this.kernel = kernel;
  }

  /** Returns true if a record names the time of an event, and a stack for it. */
  static boolean isReference(RecordCursor record) {
    int hook = record.kind().isHook() ? record.hookId() : stackHook(record);
    return isReference(hook) && record.payloadLength() >= Stack.FRAMES;
  }

  /** Returns the bytes that the payload of such a record has at least. */
  static int leastBytes(int hook, int pointerBytes) {
    return hook == KernelEvent.STACKWALK_STACK ? Stack.FRAMES : Stack.FRAMES + pointerBytes;
  }

  /** Reports a record that would name an event and a stack, but ends before it does. */
  static void tellShort(RecordCursor record) {
    int hook = stackHook(record);
    if (isReference(hook) && record.payloadLength() < leastBytes(hook, record.pointerBytes())) {
      record.damagedPayload("it ends before the stack, or before the key of one");
    }
  }

  /** Returns true for the hook ids of such records; the record may be too short to be one. */
  static boolean isReference(int hook) {
    // In one question: definitions come last, and code that has not met them is thrown away then.
    return switch (hook) {
      case KernelEvent.STACKWALK_STACK,
          KernelEvent.STACKWALK_STACKKEYKERNEL,
          KernelEvent.STACKWALK_STACKKEYUSER ->
          true;
      default -> false;
    };
  }

  /**
   * Returns true if a record may have a stack: not rundowns, not what a merge adds, not stacks
   * themselves.
   */
  public boolean mayHaveStack(RecordCursor record) {
    int hook = hook(record);
    if (hook < 0) {
      return false;
    }
    return switch (KernelEvent.group(hook)) {
      case Group.EVENTTRACE, Group.SYSTEMCONFIG, Group.STACKWALK -> false;
      case Group.PROCESS, Group.THREAD, Group.IMAGE ->
          KernelEvent.type(hook) != Life.DC_START && KernelEvent.type(hook) != Life.DC_END;
      case Group.FILEIO ->
          hook != KernelEvent.FILEIO_NAME
              && hook != KernelEvent.FILEIO_FILERUNDOWN
              && hook != KernelEvent.FILEIO_MAPFILEDCSTART
              && hook != KernelEvent.FILEIO_MAPFILEDCEND;
      default -> true;
    };
  }

  /** Returns the hook id of an event of the kernel, whatever its header; -1 for other records. */
  int hook(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return record.hookId();
    }
    return kind.isClassic() ? kernel.hookId(record.provider(), record.opcode()) : -1;
  }

  /** Returns the hook id of a stack record or of a definition; -1 for other records. */
  static int stackHook(RecordCursor record) {
    if (record.kind().isHook()) {
      int hook = record.hookId();
      return KernelEvent.group(hook) == Group.STACKWALK ? hook : -1;
    }
    return record.kind().isClassic()
            && record.providerLow() == STACK_WALK_CLASS.low()
            && record.providerHigh() == STACK_WALK_CLASS.high()
        ? KernelEvent.hookId(Group.STACKWALK, record.opcode())
        : -1;
  }

  /**
   * Place of the thread (u32) in the payload of an event that has one and no other, and may have a
   * stack, with pointers of 64 bits.
   *
   * @param version less than {@link RecordTable#MORE}
   * @return -1 for other events
   */
  static int threadAt(int hook, int version) {
    return switch (hook) {
      case KernelEvent.PERFINFO_SAMPLEPROF,
          KernelEvent.PERFINFO_PMCCOUNTERPROF,
          KernelEvent.PERFINFO_SAMPLEDPROFILENMI ->
          Sample.threadId(Long.BYTES);
      case KernelEvent.PAGEFAULT_HARDFAULT -> HardFault.threadId(Long.BYTES);
      case KernelEvent.DISKIO_READINIT,
          KernelEvent.DISKIO_WRITEINIT,
          KernelEvent.DISKIO_FLUSHINIT,
          KernelEvent.DISKIO_OPTICALREADINIT,
          KernelEvent.DISKIO_OPTICALWRITEINIT,
          KernelEvent.DISKIO_OPTICALFLUSHINIT ->
          version >= 3 ? DiskInit.threadId(Long.BYTES) : -1;
      default -> -1;
    };
  }

  /**
   * Returns true if a record of a table may have a stack, and one of this thread is certain to be
   * its. The cursor may have moved there.
   */
  boolean isCertain(RecordCursor record, RecordTable table, int row, int thread) {
    int threadAt = table.isPlain(row) ? threadAt(table.hookId(row), table.version(row)) : -1;
    if (threadAt < 0) {
      record.moveTo(table, row);
      return mayHaveStack(record) && isOf(record, thread) == YES;
    }
    int at = RecordTable.PLAIN_HEADER + threadAt;
    return table.size(row) >= at + Integer.BYTES
        && record.bytes().i32(table.offset(row) + at) == thread;
  }

  /**
   * Tells if a stack of this thread can be the record's: {@link #NO}, {@link #MAYBE} or {@link
   * #YES}.
   */
  public int isOf(RecordCursor record, int thread) {
    int at = record.payloadOffset();
    int length = record.payloadLength();
    boolean isHook = record.kind().isHook();
    if (isHook || record.kind().isClassic()) {
      int hook = isHook ? record.hookId() : kernel.hookId(record.provider(), record.opcode());
      switch (hook) {
        case KernelEvent.THREAD_CSWITCH -> {
          if (length >= CSwitch.OLD_THREAD_ID + 4) {
            return record.bytes().i32(at + CSwitch.NEW_THREAD_ID) == thread
                    || record.bytes().i32(at + CSwitch.OLD_THREAD_ID) == thread
                ? YES
                : NO;
          }
        }
        case KernelEvent.PERFINFO_SAMPLEPROF,
            KernelEvent.PERFINFO_PMCCOUNTERPROF,
            KernelEvent.PERFINFO_SAMPLEDPROFILENMI -> {
          int offset = Sample.threadId(record.pointerBytes());
          if (length >= offset + 4) {
            return record.bytes().i32(at + offset) == thread ? YES : NO;
          }
        }
        case KernelEvent.PAGEFAULT_HARDFAULT -> {
          int offset = HardFault.threadId(record.pointerBytes());
          if (length >= offset + 4) {
            return record.bytes().i32(at + offset) == thread ? YES : NO;
          }
        }
        case KernelEvent.DISKIO_READINIT,
            KernelEvent.DISKIO_WRITEINIT,
            KernelEvent.DISKIO_FLUSHINIT,
            KernelEvent.DISKIO_OPTICALREADINIT,
            KernelEvent.DISKIO_OPTICALWRITEINIT,
            KernelEvent.DISKIO_OPTICALFLUSHINIT -> {
          int offset = DiskInit.threadId(record.pointerBytes());
          if (record.version() >= 3
              && length >= offset + 4
              && record.bytes().i32(at + offset) == thread) {
            return YES;
          }
        }
        default -> {
          // Other payloads have no thread.
          FileOperation operation = FileOperation.of(hook);
          if (operation != null) {
            return ofOperation(record, thread, operation);
          }
        }
      }
    }
    return ofHeader(record, thread);
  }

  private static int ofOperation(RecordCursor record, int thread, FileOperation operation) {
    int offset = operation.threadId(record.version(), record.pointerBytes());
    boolean told =
        record.payloadLength() >= offset + 4
            && record.bytes().i32(record.payloadOffset() + offset) == thread;
    return told ? YES : ofHeader(record, thread);
  }

  private static int ofHeader(RecordCursor record, int thread) {
    int header = record.threadId();
    return header == RecordCursor.NO_ID ? MAYBE : header == thread ? YES : NO;
  }
}
