package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of the events of a recording that profiles can be made of, and sampling intervals. */
public final class MetricInventory implements SurveyPart<MetricInventory> {
  private static final List<CountedEvents> COUNTED = WeightSources.counted();

  private static final int PMC_SAMPLE = 0x0F2F;
  private static final int INTERVAL_SET = 0x0F48;
  private static final int INTERVAL_START = 0x0F49;
  private static final int INTERVAL_END = 0x0F4A;

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

  /** Notes an event of the kernel. */
  void visit(RecordCursor record, int hook) {
    hooks[hook]++;
    if (hook >>> 8 == 0x0F) {
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
      case PMC_SAMPLE -> {
        int pointer = record.pointerBytes();
        if (length >= pointer + 6) {
          pmcSources[record.bytes().u16(at + pointer + 4)]++;
        }
      }
      case INTERVAL_SET, INTERVAL_START, INTERVAL_END -> {
        if (length >= 8) {
          int source = record.bytes().i32(at);
          note(source, recording.key(record.file(), record.ticks()), record.bytes().u32(at + 4));
          if (length > 12 && sourceNames.size() < MOST) {
            sourceNames.put(source, record.bytes().utf16z(at + 12, at + length));
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
   * Returns the interval of a profile source that was in force at a time: what the last note before
   * tells, or else the first one after it.
   *
   * @return in 100 ns for the timer, else in events; -1 if nothing tells it
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
   * @return in 100 ns for the timer, else in events; -1 if it changed or nothing tells it
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
