package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;

/** Tells records of context switches, in whichever form they were recorded. */
final class SwitchRecords {
  private static final int SWITCH = KernelEvent.type(KernelEvent.THREAD_CSWITCH);

  private final Guid threadClass;

  SwitchRecords(KernelEvents kernel) {
    this.threadClass = kernel.classGuid(KernelEvent.THREAD_CSWITCH);
  }

  /** Returns true for a context switch that says which thread it puts on the CPU. */
  boolean isOne(RecordCursor record) {
    boolean isSwitch =
        record.kind().isHook()
            ? record.hookId() == KernelEvent.THREAD_CSWITCH
            : record.kind().isClassic() && isClassic(record);
    return isSwitch && record.payloadLength() >= CSwitch.NEW_THREAD_ID + 4;
  }

  private boolean isClassic(RecordCursor record) {
    return record.opcode() == SWITCH
        && record.providerLow() == threadClass.low()
        && record.providerHigh() == threadClass.high();
  }

  /** Returns the thread that a context switch puts on its CPU. */
  static int newThread(RecordCursor record) {
    return record.bytes().i32(record.payloadOffset() + CSwitch.NEW_THREAD_ID);
  }
}
