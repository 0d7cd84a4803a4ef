package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.SampleInterval;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of the events of a recording that profiles can be made of, and sampling intervals. */
public final class MetricInventory implements SurveyPart<MetricInventory> {
  private static final List<CountedEvents> COUNTED = WeightSources.counted();

  /** Notes about intervals that are kept: a tool may set them repeatedly, but not that often. */
  private static final int MOST = 1 << 16;

  private final EtwRecording recording;
  private final KernelEvents kernel;
  private final long[] hooks = new long[1 << 16];
  private final long[] pmcSources = new long[1 << 16];
  private final Map<Integer, String> sourceNames = new TreeMap<>();
  private final long[] counted = new long[COUNTED.size()];
  private final Columns notes = new Columns(16, MOST);
  private final IntColumn noteSources = notes.ints();
  private final LongColumn noteKeys = notes.longs();
  private final LongColumn noteIntervals = notes.longs();

  /** Creates counts of 0, to be filled by a survey. */
  public MetricInventory(EtwRecording recording, KernelEvents kernel) {
    this.recording = recording;
    this.kernel = kernel;
  }

  @Override
  public void visit(int fileNumber, RecordCursor record) {
    if (record.kind().isHook()) {
      visit(record, record.hookId());
    } else if (record.kind().isEvent()) {
      countMore(record, CountedEvents.PROVIDER);
    } else if (record.kind().isClassic()) {
      int hook = kernel.hookId(record.provider(), record.opcode());
      if (hook >= 0) {
        visit(record, hook);
      }
    }
  }

  /** Asks for the events of the kernel that it wants to {@link #learn} from. */
  void ask(RowsByUse rows) {
    rows.ask(rows.facts(), KernelEvent.PERFINFO_PMCCOUNTERPROF);
    rows.ask(rows.facts(), KernelEvent.PERFINFO_SETINTERVAL);
    rows.ask(rows.facts(), KernelEvent.PERFINFO_COLLECTIONSTART);
    rows.ask(rows.facts(), KernelEvent.PERFINFO_COLLECTIONEND);
    for (CountedEvents events : COUNTED) {
      if (events.hook() != CountedEvents.PROVIDER) {
        rows.ask(rows.facts(), events.hook());
      }
    }
  }

  /** Counts the events of the kernel that were listed, which {@link #learn} does not. */
  void count(RowsByUse listed) {
    listed.forEach((_, kind, hook, _, count, _) -> {
      if (RecordKind.values()[kind].isHook()) {
        hooks[hook] += count;
      }
    });
  }

  /** Notes an event of the kernel. */
  void visit(RecordCursor record, int hook) {
    hooks[hook]++;
    learn(record, hook);
  }

  /** Notes an event of the kernel that is counted already. */
  void learn(RecordCursor record, int hook) {
    if (hook >>> 8 == KernelEvent.Group.PERFINFO) {
      perfInfo(record, hook);
    }
    countMore(record, hook);
  }

  private void countMore(RecordCursor record, int hook) {
    for (int i = 0; i < counted.length; i++) {
      CountedEvents events = COUNTED.get(i);
      if (events.hook() == hook && events.test().test(record)) {
        counted[i]++;
      }
    }
  }

  private void perfInfo(RecordCursor record, int hook) {
    int at = record.payloadOffset();
    int length = record.payloadLength();
    switch (hook) {
      case KernelEvent.PERFINFO_PMCCOUNTERPROF -> {
        int source = Sample.profileSource(record.pointerBytes());
        if (length >= source + 2) {
          pmcSources[record.bytes().u16(at + source)]++;
        }
      }
      case KernelEvent.PERFINFO_SETINTERVAL,
          KernelEvent.PERFINFO_COLLECTIONSTART,
          KernelEvent.PERFINFO_COLLECTIONEND -> {
        if (length >= SampleInterval.NEW_INTERVAL + 4) {
          int source = record.bytes().i32(at + SampleInterval.SOURCE);
          note(
              source,
              recording.key(record.file(), record.ticks()),
              record.bytes().u32(at + SampleInterval.NEW_INTERVAL));
          int name = SampleInterval.SOURCE_NAME;
          if (length > name && sourceNames.size() < MOST) {
            sourceNames.put(source, record.bytes().utf16z(at + name, at + length));
          }
        }
      }
      default -> {
        // Counted.
      }
    }
  }

  private void note(int source, long key, long interval) {
    if (notes.isFull()) {
      return;
    }
    int row = notes.add();
    noteSources.set(row, source);
    noteKeys.set(row, key);
    noteIntervals.set(row, interval);
  }

  @Override
  public MetricInventory merge(MetricInventory other) {
    for (int i = 0; i < hooks.length; i++) {
      hooks[i] += other.hooks[i];
      pmcSources[i] += other.pmcSources[i];
    }
    for (int i = 0; i < counted.length; i++) {
      counted[i] += other.counted[i];
    }
    sourceNames.putAll(other.sourceNames);
    for (int i = 0; i < other.notes.rows(); i++) {
      note(other.noteSources.get(i), other.noteKeys.get(i), other.noteIntervals.get(i));
    }
    return this;
  }

  @Override
  public void settle() {
    notes.sort((a, b) -> {
      int bySource = Integer.compare(noteSources.get(a), noteSources.get(b));
      int byKey = bySource != 0 ? bySource : Long.compare(noteKeys.get(a), noteKeys.get(b));
      return byKey != 0 ? byKey : Long.compare(noteIntervals.get(a), noteIntervals.get(b));
    });
  }

  /** Returns how many events of a hook id there are. */
  public long count(int hook) {
    return hooks[hook];
  }

  /** Returns how many events there are that a source wants counted. */
  long count(CountedEvents events) {
    return counted[COUNTED.indexOf(events)];
  }

  /** Returns the sources of the PMC samples with their numbers of samples, by source. */
  public Map<Integer, Long> pmcSources() {
    Map<Integer, Long> found = new TreeMap<>();
    for (int i = 0; i < pmcSources.length; i++) {
      if (pmcSources[i] > 0) {
        found.put(i, pmcSources[i]);
      }
    }
    return found;
  }

  /** Returns the name that the recording gives a profile source; null if it gives none. */
  public @Nullable String sourceName(int source) {
    String name = sourceNames.get(source);
    return name == null || name.isEmpty() ? null : name;
  }

  /**
   * Returns the interval of a profile source that was in force at a time: that of the last note
   * before it, or else of the first one after it.
   *
   * @return in 100 ns for the timer, else in events; -1 if unknown
   */
  public long interval(int source, long key) {
    int next = Search.first(0, notes.rows(), i -> isAfter(i, source, key));
    if (next > 0 && noteSources.get(next - 1) == source) {
      return noteIntervals.get(next - 1);
    }
    return next < notes.rows() && noteSources.get(next) == source ? noteIntervals.get(next) : -1;
  }

  private boolean isAfter(int note, int source, long key) {
    int other = noteSources.get(note);
    return other > source || other == source && noteKeys.get(note) > key;
  }

  /**
   * Returns the interval of a profile source if it was the same all the time.
   *
   * @return in 100 ns for the timer, else in events; -1 if it changed or is unknown
   */
  public long onlyInterval(int source) {
    long only = -1;
    for (int i = 0; i < notes.rows(); i++) {
      if (noteSources.get(i) == source) {
        if (only >= 0 && only != noteIntervals.get(i)) {
          return -1;
        }
        only = noteIntervals.get(i);
      }
    }
    return only;
  }
}
