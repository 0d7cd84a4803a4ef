package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.RecordCursor;

/**
 * The thread that runs on each CPU, by the last context switch. Records must be passed in time
 * order. Of recordings with several clocks the CPUs of each file are apart. For one thread.
 */
public final class RunningThreads {
  /** The context switches that count, and the first record that belongs to the new thread. */
  public enum Policy {
    /**
     * The switch itself belongs to the new thread; switches recorded as class events do not count.
     * Attribution of events works this way.
     */
    SWITCH_BELONGS_TO_NEW_THREAD,

    /**
     * The switch itself belongs to the old thread; switches recorded as class events count, too.
     * Weights of profiles work this way.
     */
    SWITCH_BELONGS_TO_OLD_THREAD
  }

  private final EtwRecording recording;
  private final Policy policy;
  private final IntList threads = new IntList();

  /** No thread is known until the first context switch of a CPU. */
  public RunningThreads(EtwRecording recording, Policy policy) {
    this.recording = recording;
    this.policy = policy;
  }

  /**
   * Learns from a record before anything is asked about it.
   *
   * @param file number of the record's file
   */
  public void reach(RecordCursor record, int file) {
    if (policy == Policy.SWITCH_BELONGS_TO_NEW_THREAD
        && record.kind().isHook()
        && record.hookId() == KernelEvent.THREAD_CSWITCH) {
      learn(record, file);
    }
  }

  /**
   * Learns from a record after everything was asked about it.
   *
   * @param hookId of a kernel event, however it was recorded; -1 for other records
   * @param file number of the record's file
   */
  public void pass(RecordCursor record, int hookId, int file) {
    if (policy == Policy.SWITCH_BELONGS_TO_OLD_THREAD && hookId == KernelEvent.THREAD_CSWITCH) {
      learn(record, file);
    }
  }

  /**
   * Returns the thread that runs on the CPU of a record; {@link RecordCursor#NO_ID} if no context
   * switch was recorded.
   *
   * @param file number of the record's file
   */
  public int on(RecordCursor record, int file) {
    int slot = slot(record, file);
    return slot < threads.size() ? threads.get(slot) : RecordCursor.NO_ID;
  }

  private int slot(RecordCursor record, int file) {
    return recording.oneClock() ? record.cpu() : file << 11 | record.cpu();
  }

  private void learn(RecordCursor record, int file) {
    if (record.payloadLength() < CSwitch.NEW_THREAD_ID + 4) {
      return;
    }
    int slot = slot(record, file);
    threads.extend(slot + 1, RecordCursor.NO_ID);
    threads.set(slot, record.bytes().i32(record.payloadOffset() + CSwitch.NEW_THREAD_ID));
  }
}
