package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.events.EventSubjects;
import io.ntrail.analysis.etw.events.SchemaIndex;
import io.ntrail.analysis.etw.machine.EventAttribution;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.Sampling;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightSink;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightedStack;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelFieldOffsets.ThreadLife;
import io.ntrail.formats.etl.RecordCursor;
import org.jspecify.annotations.Nullable;

/**
 * Event that a source looks at, with what only the walk knows: the process and thread that it
 * belongs to, its stack. A flyweight.
 */
final class EventContext {
  /** Field with the type of allocated objects. */
  private static final String TYPE_NAME = "TypeName";

  private final Machine machine;
  private final StackAssembler whole;
  private final StackRecords.Walk stacks;
  private final WeightSink sink;
  private final EventNameFilter events;
  private final OrderedCursor cursor;
  private final EtwRecording recording;
  private final WeightedStack stack;
  private final SchemaIndex schemas;
  private final EventAttribution owner;
  private boolean attributed;
  private boolean isIdle;
  private int hook;
  private long key;
  private RecordCursor record;
  private final WeightSubject about;
  private final EventSubjects subjects;

  EventContext(
      ProfileInput input,
      WeightSubject about,
      StackAssembler whole,
      OrderedCursor cursor,
      FrameLookup functions,
      EventNameFilter events,
      WeightSink sink) {
    this.machine = input.machine();
    this.recording = input.recording();
    this.whole = whole;
    this.stacks = whole.records();
    this.cursor = cursor;
    this.sink = sink;
    this.events = events;
    this.stack = new WeightedStack(functions, new StackKeyParts(input.stacks()));
    // On no record, and so it holds nothing.
    this.record = recording.cursor(recording.files().getFirst());
    this.schemas = input.schemas();
    this.owner = new EventAttribution(recording, machine, input.kernel());
    this.about = about;
    this.subjects = new EventSubjects(machine, schemas, input.codes());
  }

  /** Goes to the cursor's record, whose hook id is already known; -1 if it has none. */
  void moveTo(RecordCursor next, int hookId) {
    record = next;
    hook = hookId;
    key = cursor.key();
    attributed = false;
    owner.moveTo(next, cursor.fileNumber());
  }

  /**
   * Goes to the cursor's record, of which neither {@link #thread} nor {@link #process} is asked.
   */
  void moveToSample(RecordCursor next, int hookId) {
    record = next;
    hook = hookId;
    key = cursor.key();
    owner.moveToAlone(next, key);
  }

  RecordCursor record() {
    return record;
  }

  /** Returns the hook id of an event of the kernel; -1 for others. */
  int hook() {
    return hook;
  }

  /** Returns the key that records are put in order by. */
  long key() {
    return key;
  }

  /** Returns the nanoseconds since the first file's header record. */
  long nanos() {
    return cursor.nanos();
  }

  EtlFile file() {
    return record.file();
  }

  Machine machine() {
    return machine;
  }

  /** Returns the thread that the switch before the last one of its CPU put there; -1 if none. */
  int threadBeforeSwitch() {
    return owner.threadBeforeSwitch();
  }

  /** Returns the thread that the event belongs to; -1 if unknown. */
  int thread() {
    attribute();
    return owner.thread();
  }

  /** Returns the process that the event belongs to; -1 if unknown. */
  int process() {
    attribute();
    return owner.process();
  }

  private void attribute() {
    if (!attributed) {
      attributed = true;
      owner.attribute(schemas.type(record).schema());
    }
  }

  /** Returns what the event is about, if weights are told apart by it; null if by nothing. */
  @Nullable String subject() {
    return switch (about) {
      case NONE -> null;
      case FILE -> subjects.file(record, key);
      case TYPE -> subjects.text(record, TYPE_NAME);
    };
  }

  /** Returns the process of a thread now: of the header if that is its thread. */
  int process(int thread) {
    return owner.processOf(thread);
  }

  /** Returns the current process of a thread, whichever thread logged the event. */
  int processOfThread(int thread) {
    return owner.processOfThread(thread);
  }

  /** Returns the thread that a Thread/Start or Thread/End is about; -1 if not recorded. */
  int threadOfThreadEvent() {
    int at = ThreadLife.threadId(record.version());
    return record.payloadLength() >= at + 4
        ? record.bytes().i32(record.payloadOffset() + at)
        : RecordCursor.NO_ID;
  }

  /** Returns the nanoseconds from one {@link #key} to another. */
  long nanosBetween(long from, long to) {
    return recording.oneClock() ? record.file().clock().nanosOfSpan(to - from) : to - from;
  }

  /** Returns whether the event is one of those that are selected by name. */
  boolean passesEvent() {
    return events.wants(record);
  }

  /**
   * Returns true if what is said beside the weights is about a thread in scope, whatever the time.
   *
   * @param since a time at which the process had its id
   */
  boolean isOurs(long since, int process, int thread) {
    return sink.isOurs(since, process, thread);
  }

  /** Returns true if a thread is in scope, and the event's time. */
  boolean isInScope(int process, int thread) {
    return isInScope(key, process, thread);
  }

  /**
   * Returns true if a thread is in scope, and the event's time.
   *
   * @param since a time at which the process had its id
   */
  boolean isInScope(long since, int process, int thread) {
    return sink.isInRange(nanos()) && sink.isOurs(since, process, thread);
  }

  /** Reports an event in scope that ends before the fields that its weight is made of. */
  void tooShort() {
    if (passesEvent() && sink.isInRange(nanos())) {
      record.damagedPayload(Sampling.SHORT);
    }
  }

  /** Counts what was idle. */
  void idle(long weight) {
    sink.idle(nanos(), key, weight);
  }

  /** Takes the event's stack, wherever it was recorded, as the frames to yield. */
  void ownStack() {
    StackAddresses frames = stack.clearAddresses();
    boolean found = whole.take(record, key, thread(), frames);
    // Of a stack whose keys nothing defines there is nothing to show.
    stack.setRecorded(found && (frames.count() > 0 || record.kind().isEvent()));
  }

  /** Returns the process of the thread whose stack was taken: in it the addresses are code. */
  private int stackProcess() {
    return owner.processOf(whole.thread());
  }

  /** Takes the event's stack if it is one of a thread, and returns whether it is. */
  boolean stackOf(int thread) {
    StackAddresses frames = stack.clearAddresses();
    boolean found = stacks.copyOf(thread, frames);
    stack.setRecorded(frames.count() > 0);
    return found;
  }

  /** Takes the event's stack of a thread, after an instruction pointer of the thread. */
  void sampledStack(int thread, long instructionPointer) {
    StackAddresses frames = stack.clearAddresses();
    if (stacks.found()) {
      int parts = stacks.keyedOf(thread, stack.partNumbers());
      long first = parts > 0 ? stacks.innermost() : instructionPointer;
      if (stack.setSampledParts(parts, first, instructionPointer)) {
        return;
      }
    }
    stacks.copyOf(thread, frames);
    stack.setRecorded(frames.count() > 0);
    frames.setInnermost(instructionPointer);
  }

  /** Takes the event's own stack, after an instruction pointer. */
  void ownStack(long instructionPointer) {
    ownStack();
    stack.addresses().setInnermost(instructionPointer);
  }

  /** Keeps the event's stack for a weight that becomes known later. */
  StackSnapshot keepOwnStack() {
    ownStack();
    return keep(stackProcess());
  }

  /** Keeps the taken frames, which are code of a process, for a weight that becomes known later. */
  StackSnapshot keep(int process) {
    StackAddresses frames = stack.addresses();
    boolean kernel = frames.count() > 0 && recording.isKernel(frames.address(0));
    return frames.count() == 0 && !stack.isRecorded()
        ? StackSnapshot.NONE
        : stack.keep(process, key, kernel);
  }

  /** Yields a weight with the taken frames, which are code of the process. */
  void give(int process, int thread, long weight) {
    give(process, process, thread, weight);
  }

  private void give(int codeProcess, int process, int thread, long weight) {
    if (!sink.wants(nanos(), key, process, thread)) {
      sink.pass(nanos(), key, process, thread, weight);
      return;
    }
    stack.setFrames(codeProcess);
    put(key, process, thread, subject(), weight);
  }

  /** Yields the weight of a sample with the taken frames, which are code of the process. */
  void giveSample(int process, int thread, long weight, boolean isBusy) {
    isIdle = !isBusy;
    give(process, thread, weight);
    isIdle = false;
  }

  /**
   * Yields a weight with frames that were kept.
   *
   * @param since a time at which the process had its id
   */
  void give(long since, int process, int thread, StackSnapshot kept, long weight) {
    give(since, process, thread, kept, null, weight);
  }

  /**
   * Yields a weight with frames that were kept.
   *
   * @param since a time at which the process had its id
   * @param subject what the weight is about; null if nothing
   */
  void give(
      long since,
      int process,
      int thread,
      StackSnapshot kept,
      @Nullable String subject,
      long weight) {
    if (sink.wants(nanos(), since, process, thread)) {
      stack.setFunctions(kept);
      put(since, process, thread, subject, weight);
    } else {
      sink.pass(nanos(), since, process, thread, weight);
    }
  }

  private void put(long since, int process, int thread, @Nullable String subject, long weight) {
    stack.setSubject(subject);
    stack.setWeight(since, process, thread, record.cpu(), weight);
    if (isIdle) {
      sink.putIdle(stack);
    } else {
      sink.put(stack);
    }
  }

  /** Yields the weight 1 of an event that was selected by name, with its stack. */
  void giveNamed() {
    long before = sink.weights();
    giveWhole(1);
    if (sink.weights() > before && schemas.type(record).isStackRecord()) {
      sink.diagnostics().addStackRecord();
    }
  }

  /** Yields the weight of an event with its stack, wherever that was recorded. */
  void giveWhole(long weight) {
    int thread = thread();
    int process = process();
    if (sink.wants(nanos(), key, process, thread)) {
      ownStack();
      give(stackProcess(), process, thread, weight);
    } else {
      sink.pass(nanos(), key, process, thread, weight);
    }
  }
}
