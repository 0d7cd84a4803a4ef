package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Stretches;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Numbers of samples that a filter lets through, by stretch and by CPU of a file: with them each
 * stretch knows whose turn it is when one of several samples is kept. For filters that do not ask
 * who owns an event.
 */
final class SampleTurns {
  /** Samples of the buffers that one thread has seen. */
  private static final class Counted {
    final EventFilter filter;
    final Function<RecordCursor, EventType> types;
    final List<Map<Integer, Long>> stretches = new ArrayList<>();

    Counted(EventFilter filter, Function<RecordCursor, EventType> types, int count) {
      this.filter = filter;
      this.types = types;
      for (int i = 0; i < count; i++) {
        stretches.add(new HashMap<>());
      }
    }

    void add(int stretch, int slot, long samples) {
      if (samples > 0) {
        stretches.get(stretch).merge(slot, samples, Long::sum);
      }
    }

    Counted merge(Counted other) {
      for (int i = 0; i < stretches.size(); i++) {
        for (Map.Entry<Integer, Long> its : other.stretches.get(i).entrySet()) {
          add(i, its.getKey(), its.getValue());
        }
      }
      return this;
    }
  }

  private final List<Map<Integer, Long>> stretches;

  private SampleTurns(List<Map<Integer, Long>> stretches) {
    this.stretches = stretches;
  }

  /** Knows of no samples: for one thread that goes over all stretches and counts itself. */
  static SampleTurns none() {
    return new SampleTurns(List.of());
  }

  /** Counts the samples of a recording that pass, on several cores. */
  static SampleTurns of(Events events, CutWalk.Choice choice, Stretches stretches) {
    EtwRecording recording = events.recording();
    SampleTurns turns =
        new SampleTurns(
            recording.scan(
                    events.cores(),
                    () -> new Counted(choice.filter().copy(), events.types(), stretches.count()),
                    (counted, record) -> count(recording, choice, stretches, counted, record),
                    Counted::merge)
                .stretches);
    recording.reading().mustGoOn();
    return turns;
  }

  private static void count(
      EtwRecording recording,
      CutWalk.Choice choice,
      Stretches stretches,
      Counted counted,
      RecordCursor record) {
    int slot = slot(recording.files().indexOf(record.file()), record);
    int stretch = 0;
    long samples = 0;
    while (record.next()) {
      if (CutRecords.isSample(record)
          && isInRange(recording, choice, record)
          && counted.filter.mayPass(counted.types.apply(record), record.cpu())) {
        long key = recording.key(record.file(), record.ticks());
        if (!stretches.contains(stretch, key)) {
          counted.add(stretch, slot, samples);
          samples = 0;
          stretch = stretches.at(key);
        }
        samples++;
      }
    }
    counted.add(stretch, slot, samples);
  }

  private static boolean isInRange(
      EtwRecording recording, CutWalk.Choice choice, RecordCursor record) {
    long nanos = recording.nanos(record.file(), record.ticks());
    return nanos >= choice.fromNanos() && nanos < choice.toNanos();
  }

  /** Returns a number of the CPU of a record, of those of all files. */
  static int slot(int file, RecordCursor record) {
    return file << 16 | record.cpu();
  }

  /**
   * Adds the samples of stretches.
   *
   * @param samples numbers by {@link #slot}
   * @param from the first stretch
   * @param to the one before which it ends
   */
  void addTo(Map<Integer, Long> samples, int from, int to) {
    for (int stretch = from; stretch < Math.min(to, stretches.size()); stretch++) {
      stretches.get(stretch).forEach((slot, more) -> samples.merge(slot, more, Long::sum));
    }
  }
}
