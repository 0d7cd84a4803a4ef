package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;

/**
 * The thread that runs on each CPU, by the last context switch, in whichever form it was recorded.
 * Records must be passed in time order; a switch belongs to the thread that it puts on the CPU. Of
 * recordings with several clocks the CPUs of each file are apart. For one thread.
 */
final class RunningThreads {
  private final EtwRecording recording;
  private final SwitchRecords switches;
  private final IntList threads = new IntList();
  private int before = RecordCursor.NO_ID;

  /** No thread is known until the first context switch of a CPU. */
  RunningThreads(EtwRecording recording, KernelEvents kernel) {
    this.recording = recording;
    this.switches = new SwitchRecords(kernel);
  }

  /**
   * Learns from a record before anything is asked about it.
   *
   * @param file number of the record's file
   */
  void reach(RecordCursor record, int file) {
    if (switches.isOne(record)) {
      before = put(slot(record.cpu(), file), SwitchRecords.newThread(record));
    }
  }

  /** Knows no threads any more but those of the last switches before a time. */
  void startAt(long key, LastSwitches last) {
    threads.clear();
    before = RecordCursor.NO_ID;
    last.before(key, this::slot).forEach(this::put);
  }

  /** Puts a thread on a CPU; returns the one before. */
  private int put(int slot, int thread) {
    threads.extend(slot + 1, RecordCursor.NO_ID);
    int out = threads.get(slot);
    threads.set(slot, thread);
    return out;
  }

  /**
   * Returns the thread that runs on the CPU of a record; {@link RecordCursor#NO_ID} if no context
   * switch was recorded.
   *
   * @param file number of the record's file
   */
  int on(RecordCursor record, int file) {
    int slot = slot(record.cpu(), file);
    return slot < threads.size() ? threads.get(slot) : RecordCursor.NO_ID;
  }

  /**
   * Returns the thread that the switch before the last one put on the CPU of the last one; {@link
   * RecordCursor#NO_ID} if there was none.
   */
  int beforeSwitch() {
    return before;
  }

  private int slot(int cpu, int file) {
    return recording.oneClock() ? cpu : file << 11 | cpu;
  }
}
