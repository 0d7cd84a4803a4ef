package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;

/**
 * The thread that runs on each CPU, by the last context switch. Records are to be told in time
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

  private static final int FIRST_CAPACITY = 64;

  private final EtwRecording recording;
  private final Policy policy;
  private int[] threads = new int[FIRST_CAPACITY];

  /** No thread is known until the first context switch of a CPU. */
  public RunningThreads(EtwRecording recording, Policy policy) {
    this.recording = recording;
    this.policy = policy;
    Arrays.fill(threads, RecordCursor.NO_ID);
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
   * switch told.
   *
   * @param file number of the record's file
   */
  public int on(RecordCursor record, int file) {
    int slot = slot(record, file);
    return slot < threads.length ? threads[slot] : RecordCursor.NO_ID;
  }

  private int slot(RecordCursor record, int file) {
    return recording.oneClock() ? record.cpu() : file << 11 | record.cpu();
  }

  private void learn(RecordCursor record, int file) {
    if (record.payloadLength() < CSwitch.NEW_THREAD_ID + 4) {
      return;
    }
    int slot = slot(record, file);
    if (slot >= threads.length) {
      int before = threads.length;
      threads = Arrays.copyOf(threads, Math.max(slot + 1, 2 * before));
      Arrays.fill(threads, before, threads.length, RecordCursor.NO_ID);
    }
    threads[slot] = record.bytes().i32(record.payloadOffset() + CSwitch.NEW_THREAD_ID);
  }
}
