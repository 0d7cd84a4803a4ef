package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.recording.Stretches;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.merge.PairedRecords.Place;
import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Records of a recording that a filter lets through, and those that others need to be understood:
 * with the same filter, each question has the same answer for a recording of these records alone.
 *
 * <p>Besides the records that pass there are kept: what tells of processes, images, files and
 * descriptions ({@link ContextRecords}); the other half of waits, requests and stacks ({@link
 * PairedRecords}); stacks of kept events, with the definitions of their keys; all records of the
 * time of a kept one, since a stack finds its event among those; and the first event of each type,
 * of the recording and within the time, as the types that there are decide about the metrics that
 * are offered, and about what is said of a filter that fits nothing.
 */
final class CutSelection implements RecordSelection {
  private static final int MOST_COINCIDENT = 1 << 20;
  private static final int LEAST_BITS = 6;

  /** Memory for times, if the heap is small. */
  private static final long LEAST_TIMES = 8 << 20;

  private final EtwRecording recording;
  private final long fromNanos;
  private final long toNanos;
  private final EventFilter filter;
  private final int every;

  /** True if all is kept but samples: then {@link #kept} has some samples only. */
  private final boolean isOnlyThinned;

  private final ContextRecords context;
  private final KernelEvents kernel;
  private final RecordSet kept;
  private final RecordSet thinned;

  /** Times of kept records, as keys, or of the events that kept stack records name. */
  private final TimeSet times;

  /** Keys of the stacks of kept records. */
  private NumberFilter stackKeys = new NumberFilter(LEAST_BITS);

  /**
   * True if stacks or pieces of Processor Trace find their events by time: else no record needs
   * others of its time.
   */
  private boolean hasStackRecords;

  /** True if records refer to stacks by keys. */
  private boolean hasStackKeys;

  private final Set<EventType> types = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Types of events within the time that is kept. */
  private final Set<EventType> typesInRange = Collections.newSetFromMap(new IdentityHashMap<>());

  /** True before the time that is kept. */
  private boolean isBefore = true;

  /** True before the end of the time that is kept. */
  private boolean isWithin = true;

  /** The last record so far. */
  private @Nullable Place last;

  /** Samples that are left out although a record of their time and thread is kept. */
  private final RecordSet covered;

  /** Times and threads of records that are kept as the first of their type. */
  private final LongSet firsts = new LongSet();

  /**
   * Times and threads of samples that are left out although another record of their time is kept.
   */
  private final LongSet coincident = new LongSet();

  private boolean isTooManyCoincident;

  /**
   * Decides about all records of a recording, in two passes.
   *
   * @param fromNanos time of the first events that pass
   * @param toNanos time before which they end
   * @param every number of samples of a processor of which one passes; 1 for all
   */
  CutSelection(Events events, long fromNanos, long toNanos, EventFilter filter, int every) {
    this(events, fromNanos, toNanos, filter, every, Stretches.LEAST);
  }

  /**
   * Decides about all records of a recording, in stretches of a size.
   *
   * @param stretchBytes bytes of a stretch at least
   */
  CutSelection(
      Events events,
      long fromNanos,
      long toNanos,
      EventFilter filter,
      int every,
      long stretchBytes) {
    this.recording = events.recording();
    this.fromNanos = fromNanos;
    this.toNanos = toNanos;
    this.filter = filter;
    this.every = every;
    this.isOnlyThinned =
        every > 1 && filter.passesAll() && fromNanos == Long.MIN_VALUE && toNanos == Long.MAX_VALUE;
    this.kernel = events.kernel();
    this.context = new ContextRecords(kernel);
    List<EtlFile> files = recording.files();
    this.kept = new RecordSet(files);
    this.thinned = new RecordSet(files);
    long sets =
        (every > 1 && (isOnlyThinned || !filter.passesAll()) ? 2 : 1) * RecordSet.mostBytes(files);
    this.times = new TimeSet(Math.max(LEAST_TIMES, (Runtime.getRuntime().maxMemory() - sets) / 2));
    this.covered = new RecordSet(files);
    walk(events, stretchBytes);
    if (isOnlyThinned) {
      return;
    }
    if (every > 1) {
      each(events.cores(), this::findCoincident);
    }
    if (hasStackKeys) {
      stackKeys = new NumberFilter();
      each(events.cores(), this::findStackKeys);
    }
  }

  private void walk(Events events, long stretchBytes) {
    PairedRecords pairs =
        new PairedRecords(
            place -> {
              kept.add(place.file(), place.buffer(), place.offset());
              times.add(place.key());
            },
            recording.oneClock(),
            filter.asksOwners());
    Queue<PairSteps> spare = new ConcurrentLinkedQueue<>();
    CutWalk.Choice choice =
        new CutWalk.Choice(
            fromNanos, toNanos, filter, every, isOnlyThinned, kept, thinned, covered);
    Stretches stretches = Stretches.of(recording, events.cores(), stretchBytes);
    int threads = threads(stretches, events.cores());
    SampleTurns turns =
        threads > 1 && every > 1 ? SampleTurns.of(events, choice, stretches) : SampleTurns.none();
    recording.reading().begin(ReadingState.Pass.IN_ORDER, stretches.count());
    OrderedTasks.run(
        threads,
        stretches.count(),
        threads + 1,
        () -> new CutWalk(events, choice, stretches, turns, spare),
        steps -> {
          recording.reading().mustGoOn();
          take(steps, pairs);
          spare.add(steps);
          recording.reading().done(1);
        });
    recording.reading().mustGoOn();
    pairs.settle();
    Place end = last;
    if (end != null) {
      // How long it was recorded is a fact about the recording.
      kept.add(end.file(), end.buffer(), end.offset());
      keepTraced(end);
    }
    filter.finished();
  }

  /** Keeps the event of a piece of Processor Trace. */
  private void keepTraced(Place place) {
    try (RecordCursor record = recording.cursor(recording.files().get(place.file()))) {
      record.open(place.buffer());
      while (record.next()) {
        Long traced = CutRecords.tracedEvent(recording, record);
        if (record.offset() == place.offset() && traced != null) {
          times.add(traced);
        }
      }
    }
  }

  /** Returns the number of threads that go over stretches; with one it does so in order. */
  private int threads(Stretches stretches, int cores) {
    boolean needsTurns = every > 1 && filter.needsOwners();
    return Math.min(stretches.threads(cores), needsTurns ? 1 : cores);
  }

  /** Adds what a stretch tells to what those before it have told. */
  private void take(PairSteps steps, PairedRecords pairs) {
    hasStackRecords |= steps.hasStackRecords;
    hasStackKeys |= steps.hasStackKeys;
    last = steps.last == null ? last : steps.last;
    for (int i = 0; i < steps.times.size(); i++) {
      times.add(steps.times.get(i));
    }
    // The record that turned out to be the first of its type; its other steps follow.
    @Nullable Place first = null;
    for (int step = 0; step < steps.count(); step++) {
      switch (steps.step(step)) {
        case PairSteps.BEGIN -> {
          if (isBefore) {
            isBefore = false;
            pairs.begin(steps.place(step).key());
          }
        }
        case PairSteps.SETTLE -> {
          if (isWithin) {
            isWithin = false;
            pairs.settle();
          }
        }
        case PairSteps.FIRST -> {
          if (isFirst(steps.first(step))) {
            first = steps.place(step);
            keep(first, steps.first(step));
          }
        }
        case PairSteps.RUNS -> pairs.keepSwitchOf(steps.file(step), steps.cpu(step));
        case PairSteps.FIRST_RUNS -> {
          if (steps.isAt(step, first)) {
            pairs.keepSwitch(steps.file(step), steps.cpu(step));
          }
        }
        default -> {
          Place place = steps.place(step);
          pairs.visit(steps, step, steps.isAt(step, first) ? place.kept() : place);
        }
      }
    }
  }

  private boolean isFirst(PairSteps.First may) {
    return CutWalk.isFirst(may.type(), may.isInRange(), types, typesInRange);
  }

  private void keep(Place place, PairSteps.First first) {
    kept.add(place.file(), place.buffer(), place.offset());
    times.add(place.key());
    if (every > 1) {
      firsts.add(CutRecords.mixed(place.key(), first.thread()));
      if (first.out() != RecordCursor.NO_ID) {
        firsts.add(CutRecords.mixed(place.key(), first.out()));
      }
    }
    Long named = first.named();
    if (named != null) {
      times.add(named);
    }
  }

  /** Something that is done with each record, in any order, by several threads. */
  @FunctionalInterface
  private interface Visitor {
    void visit(int file, RecordCursor record);
  }

  private void each(int cores, Visitor visitor) {
    List<EtlFile> files = recording.files();
    recording.scan(
        cores,
        () -> visitor,
        (its, record) -> {
          int file = files.indexOf(record.file());
          while (record.next()) {
            its.visit(file, record);
          }
        },
        (one, _) -> one);
    recording.reading().mustGoOn();
  }

  /** Returns true for a sample that would pass if not fewer were to be kept. */
  private boolean isLeftOut(int file, RecordCursor record) {
    if (every == 1 || !CutRecords.isSample(record)) {
      return false;
    }
    if (!filter.passesAll()) {
      return thinned.contains(file, record);
    }
    long nanos = recording.nanos(record.file(), record.ticks());
    return nanos >= fromNanos && nanos < toNanos && !kept.contains(file, record);
  }

  /** Notes a sample that is left out at the time of a kept record of another thread. */
  private void findCoincident(int file, RecordCursor record) {
    if (isLeftOut(file, record)) {
      long key = recording.key(record.file(), record.ticks());
      long sample = CutRecords.mixed(key, CutRecords.sampledThread(record));
      if (times.mayContain(key) && !covered.contains(file, record) && !firsts.contains(sample)) {
        addCoincident(sample);
      }
    }
  }

  private synchronized void addCoincident(long sample) {
    isTooManyCoincident |= coincident.size() >= MOST_COINCIDENT;
    if (!isTooManyCoincident) {
      coincident.add(sample);
    }
  }

  /**
   * Returns true if a sample of a thread was left out at a time, and nothing else is kept of it.
   */
  private boolean isThinned(long key, int thread) {
    // With too many, which of them are known depends on the threads that looked for them.
    return coincident.size() > 0
        && !isTooManyCoincident
        && coincident.contains(CutRecords.mixed(key, thread));
  }

  /** Returns true for a stack record of a kept event. */
  private boolean isKeptReference(int file, RecordCursor record) {
    if (kept.contains(file, record)) {
      return true;
    }
    long named = CutRecords.named(recording, record);
    return times.mayContain(named)
        && !isThinned(named, record.bytes().i32(record.payloadOffset() + Stack.THREAD_ID));
  }

  /** Notes which definitions the stacks of kept events need. */
  private void findStackKeys(int file, RecordCursor record) {
    if (StackRecords.isReference(record)) {
      if (!CutRecords.isWhole(record) && isKeptReference(file, record)) {
        stackKeys.add(CutRecords.stackKey(record));
      }
    } else if (record.kind().isEvent() && record.hasExtendedItems() && isKept(file, record)) {
      for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
        if (CutRecords.hasStackKey(record, item)) {
          stackKeys.add(CutRecords.stackKey(record, item));
        }
      }
    }
  }

  private boolean isKept(int file, RecordCursor record) {
    if (kept.contains(file, record) || context.isOne(record)) {
      return true;
    }
    if (!hasStackRecords) {
      return false;
    }
    long key = recording.key(record.file(), record.ticks());
    if (times.mayContain(key)
        && !(every > 1
            && CutRecords.isSample(record)
            && isThinned(key, CutRecords.sampledThread(record)))) {
      return true;
    }
    Long traced = CutRecords.tracedEvent(recording, record);
    return traced != null && times.mayContain(traced);
  }

  /** Returns true if a record defines a stack key that a kept record means. */
  private boolean isNeeded(RecordCursor record) {
    int pointer = record.pointerBytes();
    return record.payloadLength() < pointer
        || stackKeys.mayContain(record.bytes().pointer(record.payloadOffset(), pointer));
  }

  @Override
  public boolean isAll() {
    return false;
  }

  /** Returns true for a sample that has to be left out where all else is kept. */
  private boolean isThinnedOut(int file, RecordCursor record) {
    if (!CutRecords.isSample(record)
        || !thinned.contains(file, record)
        || kept.contains(file, record)) {
      return false;
    }
    // The stack of another record of its time and thread could be taken for its own.
    long key = recording.key(record.file(), record.ticks());
    return !hasStackRecords
        || !covered.contains(file, record)
            && !firsts.contains(CutRecords.mixed(key, CutRecords.sampledThread(record)));
  }

  @Override
  public int of(int file, RecordCursor record) {
    if (isOnlyThinned) {
      return isThinnedOut(file, record) ? SAMPLE : KEPT;
    }
    boolean isKept =
        StackRecords.isDefinition(record)
            ? kept.contains(file, record) || isNeeded(record)
            : StackRecords.isReference(record)
                ? isKeptReference(file, record)
                : isKept(file, record);
    if (isKept) {
      return KEPT;
    }
    long nanos = recording.nanos(record.file(), record.ticks());
    if (nanos < fromNanos || nanos >= toNanos) {
      return TIME;
    }
    return isLeftOut(file, record) ? SAMPLE : FILTER;
  }
}
