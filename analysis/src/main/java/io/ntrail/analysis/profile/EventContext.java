package io.ntrail.analysis.profile;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.RunningThreads;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.stacks.StackAddresses;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelFieldOffsets.ThreadLife;
import io.ntrail.formats.etl.RecordCursor;

/**
 * The event that a source looks at, with what only the walk knows: who runs on each CPU, whose
 * thread that is, its stack. A flyweight.
 */
final class EventContext {
  private final Machine machine;
  private final FrameLookup functions;
  private final StackAssembler whole;
  private final StackRecords.Walk stacks;
  private final WeightSink sink;
  private final OrderedCursor cursor;
  private final EtwRecording recording;
  private final WeightedStack stack;
  private final StackAddresses frames;
  private long innermost;
  private final RunningThreads running;
  private int hook;
  private long key;
  private RecordCursor record;

  EventContext(
      ProfileInput input,
      StackAssembler whole,
      OrderedCursor cursor,
      FrameLookup functions,
      RecordCursor first,
      WeightSink sink) {
    this.machine = input.machine();
    this.recording = input.recording();
    this.functions = functions;
    this.whole = whole;
    this.stacks = whole.records();
    this.cursor = cursor;
    this.sink = sink;
    this.stack = new WeightedStack(functions, input.stacks());
    this.frames = stack.frames;
    this.record = first;
    this.running =
        new RunningThreads(recording, RunningThreads.Policy.SWITCH_BELONGS_TO_OLD_THREAD);
  }

  /** Goes to the cursor's record, whose hook id is already known; -1 if it has none. */
  void moveTo(RecordCursor next, int hookId) {
    record = next;
    hook = hookId;
    key = cursor.key();
  }

  /** After the source has seen it. */
  void passed() {
    running.pass(record, hook, cursor.fileNumber());
  }

  RecordCursor record() {
    return record;
  }

  /** Hook id of an event of the kernel; -1 for others. */
  int hook() {
    return hook;
  }

  /** What records are put in order by. */
  long key() {
    return key;
  }

  /** Nanoseconds since the first file's header record. */
  long nanos() {
    return cursor.nanos();
  }

  EtlFile file() {
    return record.file();
  }

  Machine machine() {
    return machine;
  }

  /** The thread that the last context switch put on this CPU; -1 if there was none. */
  int running() {
    return running.on(record, cursor.fileNumber());
  }

  /** The thread that logged the event: of the header, else the one that runs on the CPU. */
  int thread() {
    int header = record.threadId();
    return header != RecordCursor.NO_ID ? header : running();
  }

  /** The process of a thread now: of the header if that is its thread. */
  int process(int thread) {
    if (thread == RecordCursor.NO_ID) {
      return RecordCursor.NO_ID;
    }
    if (thread == record.threadId() && record.processId() != RecordCursor.NO_ID) {
      return record.processId();
    }
    return thread == 0 ? 0 : machine.processOfThread(thread, key);
  }

  /** The process of a thread now, whoever logged the event. */
  int processOfThread(int thread) {
    return thread == RecordCursor.NO_ID
        ? RecordCursor.NO_ID
        : thread == 0 ? 0 : machine.processOfThread(thread, key);
  }

  /** The thread that a Thread/Start or Thread/End is about; -1 if it does not tell. */
  int threadOfThreadEvent() {
    int at = ThreadLife.threadId(record.version());
    return record.payloadLength() >= at + 4
        ? record.bytes().i32(record.payloadOffset() + at)
        : RecordCursor.NO_ID;
  }

  /** Nanoseconds from one {@link #key} to another. */
  long nanosBetween(long from, long to) {
    return recording.oneClock() ? record.file().clock().nanosOfSpan(to - from) : to - from;
  }

  /** Whether the event is one of those that are asked for by name. */
  boolean passesEvent() {
    return sink.wantsEvent(record);
  }

  void idle(long weight) {
    sink.idle(this, weight);
  }

  private void takeNone() {
    frames.clear();
    stack.keyed = 0;
  }

  /** Takes the event's own stack, whosever it is, as the frames to yield. */
  void ownStack() {
    takeNone();
    if (stacks.found()) {
      stacks.copy(frames);
    }
    stack.hasStack = frames.count() > 0;
  }

  /** Takes the event's stack if it is one of a thread; whether it is. */
  boolean stackOf(int thread) {
    takeNone();
    stack.hasStack = stacks.copyOf(thread, frames);
    return stack.hasStack;
  }

  /** Takes the event's stack of a thread, behind an instruction pointer of its. */
  void sampledStack(int thread, long instructionPointer) {
    takeNone();
    if (stacks.found()) {
      stack.keyed = stacks.keyedOf(thread, instructionPointer, stack.definitions);
      if (stack.keyed > 0) {
        innermost = instructionPointer;
        stack.hasStack = true;
        return;
      }
      stacks.copyOf(thread, frames);
    }
    stack.hasStack = frames.count() > 0;
    frames.setInnermost(instructionPointer);
  }

  /** Takes the event's own stack, behind an instruction pointer. */
  void ownStack(long instructionPointer) {
    ownStack();
    frames.setInnermost(instructionPointer);
  }

  /** Keeps the taken frames for a weight that becomes known later. */
  StackSnapshot keep(int process) {
    if (frames.count() == 0) {
      return StackSnapshot.NONE;
    }
    functions.resolve(process, key, frames, stack.functions);
    return new StackSnapshot(stack.functions.toArray(), recording.isKernel(frames.address(0)));
  }

  /** Yields a weight with the taken frames. */
  void give(int process, int thread, long weight) {
    if (!sink.wants(this, key, process, thread)) {
      return;
    }
    stack.resolved = false;
    stack.kernel =
        stack.keyed > 0
            ? recording.isKernel(innermost)
            : frames.count() > 0 && recording.isKernel(frames.address(0));
    put(key, process, thread, weight);
  }

  /**
   * Yields a weight with frames that were kept.
   *
   * @param since a time at which the process had its id
   */
  void give(long since, int process, int thread, StackSnapshot kept, long weight) {
    if (!sink.wants(this, since, process, thread)) {
      return;
    }
    stack.resolved = true;
    stack.keyed = 0;
    stack.functions.clear();
    stack.functions.addAll(kept.functions());
    stack.kernel = kept.kernel();
    stack.hasStack = stack.functions.count > 0;
    put(since, process, thread, weight);
  }

  private void put(long since, int process, int thread, long weight) {
    stack.key = since;
    stack.process = process;
    stack.thread = thread;
    stack.cpu = record.cpu();
    stack.weight = weight;
    sink.put(stack);
  }

  /** Yields the weight of an event that may bring its stack along, or have it behind itself. */
  void giveWhole(long weight) {
    int thread = thread();
    int process = process(thread);
    if (sink.wants(this, key, process, thread)) {
      ownStack();
      whole.complete(record, key, frames);
      stack.hasStack = frames.count() > 0;
      give(process, thread, weight);
    }
  }
}
