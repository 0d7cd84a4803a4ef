package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.IndexSort;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.SampleInterval;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of the events of a recording that profiles can be made of, and sampling intervals. */
public final class MetricInventory implements SurveyPart<MetricInventory> {
  private static final List<CountedEvents> COUNTED = WeightSources.counted();

  /**
   * Notes about intervals that are kept: somebody may set them all the time, but not that often.
   */
  private static final int MOST = 1 << 16;

  private final EtwRecording recording;
  private final KernelEvents kernel;
  private final long[] hooks = new long[1 << 16];
  private final long[] pmcSources = new long[1 << 16];
  private final Map<Integer, String> sourceNames = new TreeMap<>();
  private final long[] counted = new long[COUNTED.size()];
  private int notes;
  private int[] noteSources = new int[16];
  private long[] noteKeys = new long[16];
  private long[] noteIntervals = new long[16];

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

  /** Notes an event of the kernel. */
  void visit(RecordCursor record, int hook) {
    hooks[hook]++;
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
    if (notes == MOST) {
      return;
    }
    if (notes == noteSources.length) {
      noteSources = Arrays.copyOf(noteSources, 2 * notes);
      noteKeys = Arrays.copyOf(noteKeys, 2 * notes);
      noteIntervals = Arrays.copyOf(noteIntervals, 2 * notes);
    }
    noteSources[notes] = source;
    noteKeys[notes] = key;
    noteIntervals[notes] = interval;
    notes++;
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
    for (int i = 0; i < other.notes; i++) {
      note(other.noteSources[i], other.noteKeys[i], other.noteIntervals[i]);
    }
    return this;
  }

  @Override
  public void settle() {
    int[] order =
        IndexSort.by(
            notes,
            (a, b) -> {
              int bySource = Integer.compare(noteSources[a], noteSources[b]);
              int byKey = bySource != 0 ? bySource : Long.compare(noteKeys[a], noteKeys[b]);
              return byKey != 0 ? byKey : Long.compare(noteIntervals[a], noteIntervals[b]);
            });
    int[] sources = new int[notes];
    long[] keys = new long[notes];
    long[] intervals = new long[notes];
    for (int i = 0; i < notes; i++) {
      sources[i] = noteSources[order[i]];
      keys[i] = noteKeys[order[i]];
      intervals[i] = noteIntervals[order[i]];
    }
    noteSources = sources;
    noteKeys = keys;
    noteIntervals = intervals;
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
   * Returns the interval of a profile source that was in force at a time: what the last note before
   * tells, or else the first one after it.
   *
   * @return in 100 ns for the timer, else in events; -1 if nothing tells it
   */
  public long interval(int source, long key) {
    int low = 0;
    int high = notes;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (noteSources[middle] < source
          || noteSources[middle] == source && noteKeys[middle] <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > 0 && noteSources[low - 1] == source) {
      return noteIntervals[low - 1];
    }
    return low < notes && noteSources[low] == source ? noteIntervals[low] : -1;
  }

  /**
   * Returns the interval of a profile source if it was the same all the time.
   *
   * @return in 100 ns for the timer, else in events; -1 if it changed or nothing tells it
   */
  public long onlyInterval(int source) {
    long only = -1;
    for (int i = 0; i < notes; i++) {
      if (noteSources[i] == source) {
        if (only >= 0 && only != noteIntervals[i]) {
          return -1;
        }
        only = noteIntervals[i];
      }
    }
    return only;
  }
}
