package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Survey;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last context switch of each buffer: with them the thread that runs on each CPU at any time is
 * found without going over all records before it. Filled by a survey, by several threads that have
 * different buffers; read only afterwards. 13 bytes a buffer.
 */
public final class LastSwitches {
  /** Number of the CPU of a file, the same for CPUs whose switches are those of one. */
  @FunctionalInterface
  interface Slot {
    /** Returns the number. */
    int of(int cpu, int file);
  }

  /** Last switches of the buffers of a file. */
  private static final class OfFile {
    final boolean[] known;
    final long[] keys;
    final int[] threads;

    OfFile(int buffers) {
      known = new boolean[buffers];
      keys = new long[buffers];
      threads = new int[buffers];
    }
  }

  /** A switch in the order of all records. */
  private record Switch(long key, long sequence, int file, int buffer, int thread) {
    boolean isAfter(@Nullable Switch other) {
      return other == null
          || (key != other.key
              ? key > other.key
              : sequence != other.sequence
                  ? sequence > other.sequence
                  : file != other.file ? file > other.file : buffer >= other.buffer);
    }
  }

  private final EtwRecording recording;
  private final SwitchRecords switches;
  private final List<OfFile> files;

  /** Knows no switches yet. */
  public LastSwitches(EtwRecording recording, KernelEvents kernel) {
    this.recording = recording;
    this.switches = new SwitchRecords(kernel);
    this.files =
        recording.files().stream().map(file -> new OfFile(file.buffers().count())).toList();
  }

  /**
   * Learns from a record; those of one buffer come one after the other.
   *
   * @param fileNumber number of the record's file
   */
  public void visit(int fileNumber, RecordCursor record) {
    if (switches.isOne(record)) {
      OfFile file = files.get(fileNumber);
      int buffer = record.buffer();
      long key = recording.key(record.file(), record.ticks());
      if (!file.known[buffer] || key >= file.keys[buffer]) {
        file.known[buffer] = true;
        file.keys[buffer] = key;
        file.threads[buffer] = SwitchRecords.newThread(record);
      }
    }
  }

  /** Returns the threads that run before the first record of a time, by slots, where known. */
  Map<Integer, Integer> before(long key, Slot slots) {
    Survey survey = recording.survey(1);
    Map<Integer, Switch> last = new HashMap<>();
    for (int file = 0; file < files.size(); file++) {
      OfFile its = files.get(file);
      EtlFile etl = recording.files().get(file);
      try (RecordCursor cursor = recording.cursor(etl)) {
        for (int buffer = 0; buffer < its.known.length; buffer++) {
          Switch found = null;
          if (its.known[buffer] && its.keys[buffer] < key) {
            found = found(file, buffer, its.keys[buffer], its.threads[buffer]);
          } else if (its.known[buffer] && recording.key(etl, survey.earliest(file, buffer)) < key) {
            cursor.open(buffer);
            found = lastOf(file, cursor, key);
          }
          if (found != null) {
            int slot = slots.of(etl.buffers().cpu(buffer), file);
            if (found.isAfter(last.get(slot))) {
              last.put(slot, found);
            }
          }
        }
      }
    }
    Map<Integer, Integer> threads = new HashMap<>();
    last.forEach((slot, its) -> threads.put(slot, its.thread));
    return threads;
  }

  private Switch found(int file, int buffer, long key, int thread) {
    long sequence = recording.files().get(file).buffers().sequence(buffer);
    return new Switch(key, sequence, file, buffer, thread);
  }

  /** Returns the last switch before a time of the buffer of a cursor; null if it has none. */
  private @Nullable Switch lastOf(int file, RecordCursor cursor, long before) {
    boolean isFound = false;
    long last = 0;
    int thread = 0;
    while (cursor.next()) {
      long key = recording.key(cursor.file(), cursor.ticks());
      if (key < before && (!isFound || key >= last) && switches.isOne(cursor)) {
        isFound = true;
        last = key;
        thread = SwitchRecords.newThread(cursor);
      }
    }
    return isFound ? found(file, cursor.buffer(), last, thread) : null;
  }
}
