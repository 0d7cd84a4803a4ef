package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;

/**
 * The thread that runs on each CPU, by the last context switch, in whichever form it was recorded.
 * Records must be passed in time order; a switch belongs to the thread that it puts on the CPU. Of
 * recordings with several clocks the CPUs of each file are apart. For one thread.
 */
final class RunningThreads {
  private static final int SWITCH = KernelEvent.type(KernelEvent.THREAD_CSWITCH);

  private final EtwRecording recording;
  private final Guid threadClass;
  private final IntList threads = new IntList();
  private int before = RecordCursor.NO_ID;

  /** No thread is known until the first context switch of a CPU. */
  RunningThreads(EtwRecording recording, KernelEvents kernel) {
    this.recording = recording;
    this.threadClass = kernel.classGuid(KernelEvent.THREAD_CSWITCH);
  }

  /**
   * Learns from a record before anything is asked about it.
   *
   * @param file number of the record's file
   */
  void reach(RecordCursor record, int file) {
    if (record.kind().isHook()
        ? record.hookId() == KernelEvent.THREAD_CSWITCH
        : record.kind().isClassic() && isSwitch(record)) {
      learn(record, file);
    }
  }

  private boolean isSwitch(RecordCursor record) {
    return record.opcode() == SWITCH
        && record.providerLow() == threadClass.low()
        && record.providerHigh() == threadClass.high();
  }

  private void learn(RecordCursor record, int file) {
    if (record.payloadLength() < CSwitch.NEW_THREAD_ID + 4) {
      return;
    }
    int slot = slot(record, file);
    threads.extend(slot + 1, RecordCursor.NO_ID);
    before = threads.get(slot);
    threads.set(slot, record.bytes().i32(record.payloadOffset() + CSwitch.NEW_THREAD_ID));
  }

  /**
   * Returns the thread that runs on the CPU of a record; {@link RecordCursor#NO_ID} if no context
   * switch was recorded.
   *
   * @param file number of the record's file
   */
  int on(RecordCursor record, int file) {
    int slot = slot(record, file);
    return slot < threads.size() ? threads.get(slot) : RecordCursor.NO_ID;
  }

  /**
   * Returns the thread that the switch before the last one put on the CPU of the last one; {@link
   * RecordCursor#NO_ID} if there was none.
   */
  int beforeSwitch() {
    return before;
  }

  private int slot(RecordCursor record, int file) {
    return recording.oneClock() ? record.cpu() : file << 11 | record.cpu();
  }
}
