package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventStretches;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Stretches;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.merge.PairedRecords.Place;
import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Goes over stretches of a recording: keeps the records that a filter lets through, and notes what
 * has to be known to find those that belong to them. For one of several threads.
 */
final class CutWalk implements OrderedTasks.Worker<PairSteps> {
  /** Types of events whose first one is looked for: self-describing ones have no end. */
  static final int MOST_TYPES = 1 << 14;

  private static final int RECENT = 1 << 14;
  private static final int KNOWN = 1 << 8;

  /**
   * The choice, and the sets that all threads add to.
   *
   * @param fromNanos time of the first events that pass
   * @param toNanos time before which they end
   * @param every number of samples of a processor of which one passes; 1 for all
   * @param kept records
   * @param thinned samples that would pass if not fewer were to be kept; stays empty if the filter
   *     passes all, as it then is all samples of the time that are not kept
   * @param isOnlyThinned true if nothing is left out but samples: then {@code kept} only gets some
   *     of {@code thinned}, and all others are kept
   * @param covered samples that are left out although a record of their time and thread is kept
   */
  record Choice(
      long fromNanos,
      long toNanos,
      EventFilter filter,
      int every,
      boolean isOnlyThinned,
      RecordSet kept,
      RecordSet thinned,
      RecordSet covered) {}

  private final EtwRecording recording;
  private final Choice choice;
  private final Stretches stretches;
  private final Queue<PairSteps> spare;
  private final Events events;
  private final EventStretches.Walk stretch;
  private final EventFilter filter;

  /** Asked about threads other than those that events belong to; not for what was seen. */
  private final EventFilter threads;

  private final Set<EventType> types = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<EventType> typesInRange = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Types that are in the sets, by their hash, apart for records within the time. */
  private final @Nullable EventType[] known = new @Nullable EventType[2 * KNOWN];

  private final SampleTurns turns;

  /** Samples so far, by CPU of a file. */
  private final Map<Integer, Long> samples = new HashMap<>();

  /** Number of stretches that {@link #samples} has the samples of. */
  private int counted;

  private final CutMoment moment;

  /** Times and threads of the last samples that were left out. */
  private LongSet thinned = new LongSet();

  private LongSet thinnedBefore = new LongSet();

  /** CPUs, by file or of all files, whose last switch is known to be kept. */
  private final BitSet[] isSwitchKept;

  /**
   * Begins before the first stretch.
   *
   * @param turns of the samples, if it may leave out stretches
   * @param spare steps that can be used again
   */
  CutWalk(
      Events events,
      Choice choice,
      Stretches stretches,
      SampleTurns turns,
      Queue<PairSteps> spare) {
    this.events = events;
    this.recording = events.recording();
    this.choice = choice;
    this.stretches = stretches;
    this.turns = turns;
    this.spare = spare;
    this.moment = new CutMoment(choice.covered);
    this.stretch = events.stretch();
    this.filter = choice.filter.copy();
    this.threads = choice.filter.copy();
    this.isSwitchKept = new BitSet[recording.files().size()];
    for (int file = 0; file < isSwitchKept.length; file++) {
      isSwitchKept[file] = new BitSet();
    }
  }

  @Override
  public PairSteps result(int task) {
    PairSteps steps = spare.poll();
    if (steps == null) {
      steps = new PairSteps(events.kernel());
    }
    steps.clear();
    types.clear();
    typesInRange.clear();
    Arrays.fill(known, null);
    // So that it does not depend on who goes over which stretches.
    thinned.clear();
    thinnedBefore.clear();
    if (counted > task) {
      // Of two threads, the one that was given the earlier task may begin later.
      samples.clear();
      counted = 0;
    }
    turns.addTo(samples, counted, task);
    counted = task + 1;
    for (BitSet its : isSwitchKept) {
      its.clear();
    }
    stretch.begin(stretches.from(task), stretches.to(task));
    boolean isFirst = task == 0;
    boolean isBefore = choice.fromNanos > Long.MIN_VALUE;
    boolean isWithin = true;
    EventReader event = stretch.event();
    Place last = null;
    int file = 0;
    int buffer = 0;
    int offset = -1;
    long lastKey = Long.MIN_VALUE;
    while (stretch.next()) {
      if (choice.isOnlyThinned) {
        boolean isAlone = event.key() != lastKey && !stretch.isNextAtSameTime();
        lastKey = event.key();
        thin(event, steps, isFirst, isAlone);
      } else {
        if (isBefore && event.nanos() >= choice.fromNanos) {
          isBefore = false;
          steps.addBegin(event.record(), event.fileNumber(), event.key());
        }
        if (isWithin && event.nanos() >= choice.toNanos) {
          isWithin = false;
          steps.addSettle(event.record(), event.fileNumber(), event.key());
        }
        visit(event, steps, isFirst);
      }
      isFirst = false;
      file = event.fileNumber();
      buffer = event.record().buffer();
      offset = event.record().offset();
    }
    if (offset >= 0) {
      last = new Place(file, buffer, offset, event.key(), true);
    }
    moment.end();
    steps.last = last;
    return steps;
  }

  private void visit(EventReader event, PairSteps steps, boolean isFirst) {
    RecordCursor record = event.record();
    int file = event.fileNumber();
    long nanos = event.nanos();
    long key = event.key();
    boolean isReference = StackRecords.isReference(record);
    @Nullable Long traced = CutRecords.tracedEvent(recording, record);
    steps.hasStackRecords |= isReference || traced != null;
    steps.hasStackKeys =
        steps.hasStackKeys
            || (isReference ? !CutRecords.isWhole(record) : CutRecords.hasStackKey(record));
    boolean isInRange = nanos >= choice.fromNanos && nanos < choice.toNanos;
    boolean passes = isInRange && filter.passes(event);
    boolean isThinning = choice.every > 1;
    if (isThinning) {
      moment.goTo(key);
    }
    if (passes && isThinning && CutRecords.isSample(record) && !isNth(file, record)) {
      passes = false;
      if (!filter.passesAll()) {
        choice.thinned.add(file, record);
      }
      int thread = CutRecords.sampledThread(record);
      moment.leaveOut(file, record, thread);
      noteThinned(CutRecords.mixed(key, thread));
    }
    boolean isKept = passes || isFirst;
    boolean mayBeFirst = false;
    if (isKept) {
      choice.kept.add(file, record);
      steps.times.add(key);
      if (isThinning) {
        keepThreads(event);
      }
      if (isReference && !isOfThinned(record)) {
        steps.times.add(CutRecords.named(recording, record));
      } else if (traced != null) {
        steps.times.add(traced);
      }
    } else {
      EventType type = event.type();
      // The first one of this stretch may be the first of all: that is known where it is put
      // together with the others.
      mayBeFirst = mayBeFirst(type, isInRange);
      if (mayBeFirst) {
        steps.addFirst(record, file, key, first(event, isInRange, isReference, traced));
      }
    }
    int marks = isInRange && record.kind().isHook() ? marks(event, passes) : 0;
    steps.add(record, file, key, isKept ? marks | PairSteps.KEPT : marks);
    if (record.kind().isHook()) {
      noteSwitch(record, file, key, steps, isKept, mayBeFirst);
    }
  }

  /**
   * Visits a record where all are kept but samples.
   *
   * @param isAlone true if no other record has its time
   */
  private void thin(EventReader event, PairSteps steps, boolean isFirst, boolean isAlone) {
    RecordCursor record = event.record();
    int file = event.fileNumber();
    steps.hasStackRecords = steps.hasStackRecords || StackRecords.isReference(record);
    boolean isLeftOut = CutRecords.isSample(record) && !isNth(file, record) && !isFirst;
    if (isLeftOut) {
      choice.thinned.add(file, record);
      if (mayBeFirst(event.type(), true)) {
        steps.addFirst(record, file, event.key(), first(event, true, false, null));
      }
    }
    if (!isAlone) {
      moment.goTo(event.key());
      if (isLeftOut) {
        moment.leaveOut(file, record, CutRecords.sampledThread(record));
      } else {
        keepThreads(event);
      }
    }
  }

  /** Notes whose stacks a kept record may have. */
  private void keepThreads(EventReader event) {
    moment.keep(event.threadId());
    int out = CutRecords.leavingThread(event.record());
    if (out != RecordCursor.NO_ID) {
      moment.keep(out);
    }
  }

  /** Returns the marks of a record of the time that tell of chosen threads. */
  private int marks(EventReader event, boolean passes) {
    RecordCursor record = event.record();
    if (record.hookId() == KernelEvent.THREAD_END) {
      boolean isChosen = !threads.choosesThreads() || threads.chooses(event, event.threadId());
      return isChosen ? PairSteps.LEAVES : 0;
    }
    if (!PairSteps.isSwitch(record) || !threads.asksOwners()) {
      return 0;
    }
    boolean brings = passes || threads.chooses(event, event.threadId());
    int out = CutRecords.leavingThread(record);
    boolean leaves =
        out != 0 && filter.mayPass(event.type(), record.cpu()) && threads.chooses(event, out);
    return (brings ? PairSteps.BRINGS : 0) | (leaves ? PairSteps.LEAVES : 0);
  }

  /** Notes that a kept record needs the switch before it, once for each switch. */
  private void noteSwitch(
      RecordCursor record,
      int file,
      long key,
      PairSteps steps,
      boolean isKept,
      boolean mayBeFirst) {
    BitSet known = isSwitchKept[recording.oneClock() ? 0 : file];
    int cpu = record.cpu() & 0xFFFF;
    if (PairSteps.isSwitch(record)) {
      known.set(cpu, isKept);
    }
    if (mayBeFirst) {
      steps.addRuns(record, file, key, false);
    } else if (isKept && !known.get(cpu)) {
      known.set(cpu);
      steps.addRuns(record, file, key, true);
    }
  }

  private PairSteps.First first(
      EventReader event, boolean isInRange, boolean isReference, @Nullable Long traced) {
    RecordCursor record = event.record();
    @Nullable Long named = isReference ? Long.valueOf(CutRecords.named(recording, record)) : traced;
    return choice.every == 1
        ? new PairSteps.First(event.type(), isInRange, named, RecordCursor.NO_ID, 0)
        : new PairSteps.First(
            event.type(), isInRange, named, event.threadId(), CutRecords.leavingThread(record));
  }

  private boolean mayBeFirst(EventType type, boolean isInRange) {
    int slot = (System.identityHashCode(type) & KNOWN - 1) + (isInRange ? KNOWN : 0);
    if (known[slot] == type) {
      return false;
    }
    boolean isFirst = isFirst(type, isInRange, types, typesInRange);
    if (!isFirst) {
      known[slot] = type;
    }
    return isFirst;
  }

  /**
   * Returns true if a type is new in one of two sets, and adds it to both.
   *
   * @param inRange has the types within the time
   */
  static boolean isFirst(
      EventType type, boolean isInRange, Set<EventType> all, Set<EventType> inRange) {
    boolean isFirst = isNew(type, all);
    boolean isFirstInRange = isInRange && isNew(type, inRange);
    return isFirst || isFirstInRange;
  }

  private static boolean isNew(EventType type, Set<EventType> known) {
    return known.size() < MOST_TYPES && known.add(type);
  }

  private void noteThinned(long sample) {
    if (thinned.size() >= RECENT) {
      LongSet oldest = thinnedBefore;
      oldest.clear();
      thinnedBefore = thinned;
      thinned = oldest;
    }
    thinned.add(sample);
  }

  /**
   * Returns true for a stack of one of the last samples that were left out: it needs nothing of
   * that time. Stacks come soon after their samples; for others the whole time is kept in mind.
   */
  private boolean isOfThinned(RecordCursor stack) {
    if (thinned.size() == 0) {
      return false;
    }
    int thread = stack.bytes().i32(stack.payloadOffset() + Stack.THREAD_ID);
    long sample = CutRecords.mixed(CutRecords.named(recording, stack), thread);
    return thinned.contains(sample) || thinnedBefore.contains(sample);
  }

  /** Counts the samples of each processor: those of all may come at the same moment. */
  private boolean isNth(int file, RecordCursor record) {
    int slot = SampleTurns.slot(file, record);
    long before = samples.getOrDefault(slot, 0L);
    samples.put(slot, before + 1);
    return before % choice.every == 0;
  }

  @Override
  public void close() {
    stretch.close();
    choice.filter.addSeen(filter);
  }
}
