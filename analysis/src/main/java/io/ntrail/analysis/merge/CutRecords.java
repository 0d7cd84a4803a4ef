package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.ipt.IptEvents;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.pt.IptRecord;
import org.jspecify.annotations.Nullable;

/** Facts about records that decide about what of a recording is kept. */
final class CutRecords {
  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;
  private static final int KEY32_BYTES = 12;
  private static final int KEY64_BYTES = 16;

  private CutRecords() {}

  /** Returns true for a sample of the timer or of a counter. */
  static boolean isSample(RecordCursor record) {
    if (!record.kind().isHook()) {
      return false;
    }
    return switch (record.hookId()) {
      case KernelEvent.PERFINFO_SAMPLEPROF,
          KernelEvent.PERFINFO_PMCCOUNTERPROF,
          KernelEvent.PERFINFO_SAMPLEDPROFILENMI ->
          true;
      default -> false;
    };
  }

  /** Returns the thread of a sample. */
  static int sampledThread(RecordCursor record) {
    int at = Sample.threadId(record.pointerBytes());
    return record.payloadLength() >= at + 4
        ? record.bytes().i32(record.payloadOffset() + at)
        : RecordCursor.NO_ID;
  }

  /** Returns the thread that leaves the CPU with a record; no id if it is no context switch. */
  static int leavingThread(RecordCursor record) {
    boolean isSwitch = record.kind().isHook() && record.hookId() == KernelEvent.THREAD_CSWITCH;
    return isSwitch && record.payloadLength() >= CSwitch.OLD_THREAD_ID + 4
        ? record.bytes().i32(record.payloadOffset() + CSwitch.OLD_THREAD_ID)
        : RecordCursor.NO_ID;
  }

  /** Returns the key of the event that a stack record is about. */
  static long named(EtwRecording recording, RecordCursor record) {
    return recording.key(
        record.file(), record.bytes().i64(record.payloadOffset() + Stack.EVENT_TIME_STAMP));
  }

  /**
   * Returns the key of the event that a piece of Processor Trace is about; null for other records.
   */
  static @Nullable Long tracedEvent(EtwRecording recording, RecordCursor record) {
    return IptEvents.is(record) && record.payloadLength() >= IptRecord.HEADER
        ? recording.key(record.file(), record.bytes().i64(record.payloadOffset()))
        : null;
  }

  /** Returns true if a stack record has its frames itself, and no key. */
  static boolean isWhole(RecordCursor record) {
    int opcode = record.kind().isHook() ? KernelEvent.type(record.hookId()) : record.opcode();
    return opcode == KernelEvent.type(KernelEvent.STACKWALK_STACK)
        || record.payloadLength() < Stack.FRAMES + record.pointerBytes();
  }

  /** Returns the key of the stack that a stack record, which is not whole, is about. */
  static long stackKey(RecordCursor record) {
    return record.bytes().pointer(record.payloadOffset() + Stack.FRAMES, record.pointerBytes());
  }

  /** Returns true if an item has the key of a stack. */
  static boolean hasStackKey(RecordCursor record, int item) {
    return is(record, item, ExtendedItem.STACK_KEY32, KEY32_BYTES)
        || is(record, item, ExtendedItem.STACK_KEY64, KEY64_BYTES);
  }

  /** Returns true if an item of a record has the key of a stack. */
  static boolean hasStackKey(RecordCursor record) {
    if (record.hasExtendedItems()) {
      for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
        if (hasStackKey(record, item)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean is(RecordCursor record, int item, ExtendedItem type, int length) {
    return record.itemType(item) == type.number() && record.itemLength(item) >= length;
  }

  /** Returns the key of a stack in an item that has one. */
  static long stackKey(RecordCursor record, int item) {
    int at = record.itemData(item) + Long.BYTES;
    return record.itemType(item) == ExtendedItem.STACK_KEY32.number()
        ? record.bytes().u32(at)
        : record.bytes().i64(at);
  }

  /** Returns a number that stands for a time and a thread. */
  static long mixed(long key, int thread) {
    return key * FIBONACCI + thread;
  }
}
