package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.identity.Guid;

/** Which records can be what a stack record is about, and whose stack that would be. */
final class StackMatchRules {
  static final int STACK_GROUP = 0x18;
  static final int STACK_WALK = 0x1820;
  static final int KEY_CREATE = 0x1822;
  static final int KEY_RUNDOWN = 0x1824;
  static final int STACK_KEY_KERNEL = 0x1825;
  static final int STACK_KEY_USER = 0x1826;

  private static final Guid STACK_WALK_CLASS = Guid.parse("def2fe46-7bd6-4b80-bd94-f57fe20d0ce3");
  private static final int CSWITCH = 0x0524;
  private static final int SAMPLE = 0x0F2E;
  private static final int PMC_SAMPLE = 0x0F2F;
  private static final int NMI_SAMPLE = 0x0F47;
  private static final int HARD_FAULT = 0x0220;

  /** No stack of this thread can belong to the record. */
  static final int NO = -1;

  /** The record does not tell its thread. */
  static final int MAYBE = 0;

  /** The thread is that of the record. */
  static final int YES = 1;

  private final KernelEvents kernel;

  StackMatchRules(KernelEvents kernel) {
    this.kernel = kernel;
  }

  /** Whether a record names the time of an event, and a stack for it. */
  static boolean isReference(RecordCursor record) {
    int hook = stackHook(record);
    return hook >= 0
        && (hook == STACK_WALK || hook == STACK_KEY_KERNEL || hook == STACK_KEY_USER)
        && record.payloadLength() >= 16;
  }

  /**
   * Whether a record may have a stack: not rundowns, not what a merge adds, not stacks themselves.
   */
  boolean mayHaveStack(RecordCursor record) {
    RecordKind kind = record.kind();
    int hook;
    if (kind.isHook()) {
      hook = record.hookId();
    } else if (kind.isClassic()) {
      hook = kernel.hookId(record.provider(), record.opcode());
      if (hook < 0) {
        return false;
      }
    } else {
      return false;
    }
    return switch (hook >>> 8) {
      // Sessions, configuration, stacks.
      case 0x00, 0x0B, STACK_GROUP -> false;
      // Rundowns of processes, threads, images.
      case 0x03, 0x05, 0x14 -> (hook & 0xFF) != 3 && (hook & 0xFF) != 4;
      // Names of files and rundowns of mappings.
      case 0x04 -> hook != 0x0400 && hook != 0x0424 && hook != 0x0427 && hook != 0x0428;
      default -> true;
    };
  }

  /** Hook id of a stack record or of a definition; -1 for other records. */
  static int stackHook(RecordCursor record) {
    if (record.kind().isHook()) {
      int hook = record.hookId();
      return hook >>> 8 == STACK_GROUP ? hook : -1;
    }
    return record.kind().isClassic()
            && record.providerLow() == STACK_WALK_CLASS.low()
            && record.providerHigh() == STACK_WALK_CLASS.high()
        ? STACK_GROUP << 8 | record.opcode() & 0xFF
        : -1;
  }

  /** Whether a stack of this thread can be the record's. */
  int isOf(RecordCursor record, int thread) {
    int at = record.payloadOffset();
    int length = record.payloadLength();
    boolean isHook = record.kind().isHook();
    if (isHook || record.kind().isClassic()) {
      switch (isHook ? record.hookId() : kernel.hookId(record.provider(), record.opcode())) {
        case CSWITCH -> {
          if (length >= 8) {
            return record.bytes().i32(at) == thread || record.bytes().i32(at + 4) == thread
                ? YES
                : NO;
          }
        }
        case SAMPLE, PMC_SAMPLE, NMI_SAMPLE -> {
          int pointer = record.pointerBytes();
          if (length >= pointer + 4) {
            return record.bytes().i32(at + pointer) == thread ? YES : NO;
          }
        }
        case HARD_FAULT -> {
          int offset = 16 + 2 * record.pointerBytes();
          if (length >= offset + 4) {
            return record.bytes().i32(at + offset) == thread ? YES : NO;
          }
        }
        case 0x0440 -> {
          return ofOperation(record, thread, 0, 1);
        }
        case 0x0443, 0x0444 -> {
          return ofOperation(record, thread, 8, 2);
        }
        case 0x0441, 0x0442, 0x0448, 0x0449, 0x044D -> {
          return ofOperation(record, thread, 0, 2);
        }
        case 0x0445, 0x0446, 0x0447, 0x044A, 0x044B, 0x044F, 0x0450, 0x0451 -> {
          return ofOperation(record, thread, 0, 3);
        }
        case 0x010C, 0x010D, 0x010F, 0x013A, 0x013B, 0x013C -> {
          int pointer = record.pointerBytes();
          if (record.version() >= 3
              && length >= pointer + 4
              && record.bytes().i32(at + pointer) == thread) {
            return YES;
          }
        }
        default -> {
          // What the payload tells of threads is not who ran.
        }
      }
    }
    return ofHeader(record, thread);
  }

  /** File operations tell their thread: behind the Irp, since version 3 behind other pointers. */
  private static int ofOperation(RecordCursor record, int thread, int irpAt, int pointers) {
    int pointer = record.pointerBytes();
    int offset = irpAt + pointer * (record.version() < 3 ? 1 : 1 + pointers);
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
