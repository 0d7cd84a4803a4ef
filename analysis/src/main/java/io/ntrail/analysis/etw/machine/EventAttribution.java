package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Decides which process and thread an event belongs to, for every answer: those that its payload
 * names as what it is about, else those of its header, else the thread that runs on its CPU. If the
 * payload names a process, a thread of another process is not taken from header or CPU.
 *
 * <p>A flyweight that is moved from one record to the next in time order. For one thread.
 */
public final class EventAttribution {
  private final EtwRecording recording;
  private final Machine machine;
  private final RunningThreads running;

  private @Nullable RecordCursor record;
  private int file;
  private long key;
  private int process;

  /** True until the process of the thread is looked up. */
  private boolean isProcessOpen;

  private int thread;

  /** Knows no running threads yet. */
  public EventAttribution(EtwRecording recording, Machine machine, KernelEvents kernel) {
    this.recording = recording;
    this.machine = machine;
    this.running = new RunningThreads(recording, kernel);
  }

  /** Goes to a time: knows the threads that run then, and nothing else of the records before it. */
  public void startAt(long time, LastSwitches last) {
    running.startAt(time, last);
  }

  /**
   * Learns from a record about which nothing will be asked.
   *
   * @param fileNumber number of the record's file
   */
  public void passBy(RecordCursor passed, int fileNumber) {
    running.reach(passed, fileNumber);
  }

  /**
   * Goes to a record.
   *
   * @param fileNumber number of the record's file
   */
  public void moveTo(RecordCursor next, int fileNumber) {
    running.reach(next, fileNumber);
    record = next;
    file = fileNumber;
    key = recording.key(next.file(), next.ticks());
  }

  /**
   * Goes to a record of which only {@link #processOf} and {@link #processOfThread} will be asked,
   * and learns nothing from it.
   */
  public void moveToAlone(RecordCursor next, long itsKey) {
    record = next;
    key = itsKey;
  }

  /**
   * Decides about the record, before {@link #process} and {@link #thread} are asked.
   *
   * @param schema layout of its payload; null if unknown
   */
  public void attribute(@Nullable Schema schema) {
    RecordCursor current = record();
    int length = current.payloadLength();
    int processAt = schema == null ? -1 : schema.processOffset(current.pointerBytes());
    int threadAt = schema == null ? -1 : schema.threadOffset(current.pointerBytes());
    boolean namesProcess = processAt >= 0 && processAt + 4 <= length;
    boolean namesThread = threadAt >= 0 && threadAt + 4 <= length;
    process = current.processId();
    thread = current.threadId();
    isProcessOpen = false;
    if (namesThread) {
      thread = current.bytes().i32(current.payloadOffset() + threadAt);
      isProcessOpen = !namesProcess;
    } else if (schema != null && process == RecordCursor.NO_ID && thread == RecordCursor.NO_ID) {
      thread = runningThread();
      process = processOfThread(thread);
    }
    if (namesProcess) {
      int named = current.bytes().i32(current.payloadOffset() + processAt);
      if (!namesThread && process != named) {
        thread = RecordCursor.NO_ID;
      }
      process = named;
    }
  }

  /** Returns the thread that runs on the record's CPU, if the record is of that thread. */
  private int runningThread() {
    RecordCursor current = record();
    return current.kind().isHook() && isOfRunningThread(current.hookId())
        ? running.on(current, file)
        : RecordCursor.NO_ID;
  }

  /**
   * Returns true if a record without ids belongs to the thread that runs on its CPU: not sessions
   * and configuration, not completions, which interrupt any thread, not images and stacks, which
   * have ids of their own.
   */
  private static boolean isOfRunningThread(int hook) {
    return switch (KernelEvent.group(hook)) {
      case Group.EVENTTRACE,
          Group.SYSTEMCONFIG,
          Group.TCPIP,
          Group.UDPIP,
          Group.STACKWALK,
          Group.IMAGE ->
          false;
      case Group.DISKIO -> KernelEvent.isDiskRequest(hook);
      default -> true;
    };
  }

  /** Returns the process that the record belongs to; {@link RecordCursor#NO_ID} if unknown. */
  public int process() {
    if (isProcessOpen) {
      isProcessOpen = false;
      process = processOf(thread);
    }
    return process;
  }

  /** Returns the thread that the record belongs to; {@link RecordCursor#NO_ID} if unknown. */
  public int thread() {
    return thread;
  }

  /**
   * Returns the thread that ran on the CPU of the last context switch before it; {@link
   * RecordCursor#NO_ID} if that switch is the first one of the CPU.
   */
  public int threadBeforeSwitch() {
    return running.beforeSwitch();
  }

  /** Returns the process of a thread at the time of the record: of the header if it names both. */
  public int processOf(int ofThread) {
    RecordCursor current = record();
    boolean inHeader =
        ofThread == current.threadId()
            && ofThread != RecordCursor.NO_ID
            && current.processId() != RecordCursor.NO_ID;
    return inHeader ? current.processId() : processOfThread(ofThread);
  }

  /** Returns the process of a thread at the time of the record, whichever thread logged it. */
  public int processOfThread(int ofThread) {
    // Thread 0 is that of the idle process, one for every CPU.
    return ofThread == RecordCursor.NO_ID
        ? RecordCursor.NO_ID
        : ofThread == 0 ? 0 : machine.processOfThread(ofThread, key);
  }

  private RecordCursor record() {
    RecordCursor current = record;
    if (current == null) {
      throw new IllegalStateException("not on a record");
    }
    return current;
  }
}
