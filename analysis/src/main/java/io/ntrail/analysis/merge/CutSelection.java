package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.merge.PairedRecords.Place;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
  /** Types of events whose first one is looked for: self-describing ones have no end. */
  private static final int MOST_TYPES = 1 << 14;

  private static final int MOST_COINCIDENT = 1 << 20;
  private static final int LEAST_BITS = 6;

  /** Memory for times, if the heap is small. */
  private static final long LEAST_TIMES = 8 << 20;

  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;

  private final EtwRecording recording;
  private final long fromNanos;
  private final long toNanos;
  private final EventFilter filter;
  private final int every;
  private final ContextRecords context;
  private final KernelEvents kernel;
  private final RecordSet kept;
  private final RecordSet thinned;

  /** Times of kept records, as keys, or of the events that kept stack records name. */
  private final TimeSet times;

  /** Keys of the stacks of kept records. */
  private NumberFilter stackKeys = new NumberFilter(LEAST_BITS);

  /** True if stacks find their events by time: else no record needs others of its time. */
  private boolean hasStackRecords;

  /** True if records refer to stacks by keys. */
  private boolean hasStackKeys;

  private final Set<EventType> types = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Types of events within the time that is kept. */
  private final Set<EventType> typesInRange = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Map<Integer, Long> samples = new HashMap<>();

  /** Times and threads of kept records, of recordings whose samples become fewer. */
  private final NumberFilter keptThreads;

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
    this.recording = events.recording();
    this.fromNanos = fromNanos;
    this.toNanos = toNanos;
    this.filter = filter;
    this.every = every;
    this.kernel = events.kernel();
    this.context = new ContextRecords(kernel);
    List<EtlFile> files = recording.files();
    this.kept = new RecordSet(files);
    this.thinned = new RecordSet(files);
    long sets = (every > 1 ? 2 : 1) * RecordSet.mostBytes(files);
    this.times = new TimeSet(Math.max(LEAST_TIMES, (Runtime.getRuntime().maxMemory() - sets) / 2));
    this.keptThreads = every > 1 ? new NumberFilter() : new NumberFilter(LEAST_BITS);
    walk(events);
    if (every > 1) {
      each(events.cores(), this::findCoincident);
    }
    if (hasStackKeys) {
      stackKeys = new NumberFilter();
      each(events.cores(), this::findStackKeys);
    }
  }

  private void walk(Events events) {
    PairedRecords pairs =
        new PairedRecords(
            kernel,
            place -> {
              kept.add(place.file(), place.buffer(), place.offset());
              times.add(place.key());
            });
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      boolean isFirst = true;
      Place last = null;
      boolean isWithin = true;
      while (walk.next()) {
        if (isWithin && walk.event().nanos() >= toNanos) {
          isWithin = false;
          pairs.settle();
        }
        last = visit(walk.event(), pairs, isFirst);
        isFirst = false;
      }
      pairs.settle();
      if (last != null) {
        // How long it was recorded is a fact about the recording.
        kept.add(last.file(), last.buffer(), last.offset());
      }
    }
    recording.reading().mustGoOn();
    filter.finished();
  }

  private Place visit(EventReader event, PairedRecords pairs, boolean isFirst) {
    RecordCursor record = event.record();
    int file = event.fileNumber();
    long nanos = event.nanos();
    boolean isReference = StackRecords.isReference(record);
    hasStackRecords |= isReference;
    hasStackKeys = hasStackKeys || (isReference ? !isWhole(record) : hasItemOfKey(record));
    boolean isInRange = nanos >= fromNanos && nanos < toNanos;
    boolean passes = isInRange && filter.passes(event);
    if (passes && every > 1 && isSample(record) && !isNth(file, record)) {
      passes = false;
      thinned.add(file, record);
    }
    boolean isKept =
        passes
            || isFirst
            || isNew(event.type(), types)
            || isInRange && isNew(event.type(), typesInRange);
    if (isKept) {
      kept.add(file, record);
      times.add(event.key());
      noteThreads(event);
      if (isReference) {
        times.add(named(record));
      }
    }
    Place place = new Place(file, record.buffer(), record.offset(), event.key(), isKept);
    pairs.visit(record, place);
    return place;
  }

  /** Notes whose stacks a kept record may have. */
  private void noteThreads(EventReader event) {
    if (every > 1) {
      keptThreads.add(mixed(event.key(), event.threadId()));
      RecordCursor record = event.record();
      boolean isSwitch = record.kind().isHook() && record.hookId() == KernelEvent.THREAD_CSWITCH;
      if (isSwitch && record.payloadLength() >= CSwitch.OLD_THREAD_ID + 4) {
        int out = record.bytes().i32(record.payloadOffset() + CSwitch.OLD_THREAD_ID);
        keptThreads.add(mixed(event.key(), out));
      }
    }
  }

  private static boolean isNew(EventType type, Set<EventType> known) {
    return known.size() < MOST_TYPES && known.add(type);
  }

  private static boolean isSample(RecordCursor record) {
    if (!record.kind().isHook()) {
      return false;
    }
    return switch (record.hookId()) {
      case KernelEvent.PERFINFO_SAMPLEPROF,
          KernelEvent.PERFINFO_PMCCOUNTERPROF,
          KernelEvent.PERFINFO_SAMPLEDPROFILENMI ->
          true;
      default -> false;
    };
  }

  /** Counts the samples of each processor: those of all may come at the same moment. */
  private boolean isNth(int file, RecordCursor record) {
    int slot = file << 16 | record.cpu();
    long before = samples.getOrDefault(slot, 0L);
    samples.put(slot, before + 1);
    return before % every == 0;
  }

  private long named(RecordCursor record) {
    return recording.key(
        record.file(), record.bytes().i64(record.payloadOffset() + Stack.EVENT_TIME_STAMP));
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

  /** Notes a sample that is left out at the time of a kept record of another thread. */
  private void findCoincident(int file, RecordCursor record) {
    if (isSample(record) && thinned.contains(file, record)) {
      long key = recording.key(record.file(), record.ticks());
      long sample = mixed(key, sampledThread(record));
      if (times.mayContain(key) && !keptThreads.mayContain(sample)) {
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

  private static int sampledThread(RecordCursor record) {
    int at = Sample.threadId(record.pointerBytes());
    return record.payloadLength() >= at + 4
        ? record.bytes().i32(record.payloadOffset() + at)
        : RecordCursor.NO_ID;
  }

  /** Returns a number that stands for a time and a thread. */
  private static long mixed(long key, int thread) {
    return key * FIBONACCI + thread;
  }

  /**
   * Returns true if a sample of a thread was left out at a time, and nothing else is kept of it.
   */
  private boolean isThinned(long key, int thread) {
    // With too many, which of them are known depends on the threads that looked for them.
    return coincident.size() > 0 && !isTooManyCoincident && coincident.contains(mixed(key, thread));
  }

  /** Returns true for a stack record of a kept event. */
  private boolean isKeptReference(int file, RecordCursor record) {
    if (kept.contains(file, record)) {
      return true;
    }
    long named = named(record);
    return times.mayContain(named)
        && !isThinned(named, record.bytes().i32(record.payloadOffset() + Stack.THREAD_ID));
  }

  /** Notes which definitions the stacks of kept events need. */
  private void findStackKeys(int file, RecordCursor record) {
    if (StackRecords.isReference(record)) {
      if (!isWhole(record) && isKeptReference(file, record)) {
        stackKeys.add(
            record.bytes().pointer(record.payloadOffset() + Stack.FRAMES, record.pointerBytes()));
      }
    } else if (record.kind().isEvent() && record.hasExtendedItems() && isKept(file, record)) {
      for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
        int at = record.itemData(item) + Long.BYTES;
        if (isKey(record, item, ExtendedItem.STACK_KEY32, 12)) {
          stackKeys.add(record.bytes().u32(at));
        } else if (isKey(record, item, ExtendedItem.STACK_KEY64, 16)) {
          stackKeys.add(record.bytes().i64(at));
        }
      }
    }
  }

  private static boolean isKey(RecordCursor record, int item, ExtendedItem type, int length) {
    return record.itemType(item) == type.number() && record.itemLength(item) >= length;
  }

  private static boolean hasItemOfKey(RecordCursor record) {
    if (record.hasExtendedItems()) {
      for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
        if (isKey(record, item, ExtendedItem.STACK_KEY32, 12)
            || isKey(record, item, ExtendedItem.STACK_KEY64, 16)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns true if a stack record has its frames itself, and no key. */
  private static boolean isWhole(RecordCursor record) {
    int opcode = record.kind().isHook() ? KernelEvent.type(record.hookId()) : record.opcode();
    return opcode == KernelEvent.type(KernelEvent.STACKWALK_STACK)
        || record.payloadLength() < Stack.FRAMES + record.pointerBytes();
  }

  private boolean isKept(int file, RecordCursor record) {
    if (kept.contains(file, record) || context.isOne(record)) {
      return true;
    }
    long key = recording.key(record.file(), record.ticks());
    return hasStackRecords
        && times.mayContain(key)
        && !(every > 1 && isSample(record) && isThinned(key, sampledThread(record)));
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

  @Override
  public int of(int file, RecordCursor record) {
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
    return thinned.contains(file, record) ? SAMPLE : FILTER;
  }
}
