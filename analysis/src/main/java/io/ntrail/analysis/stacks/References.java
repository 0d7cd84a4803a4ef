package io.ntrail.analysis.stacks;

import io.ntrail.analysis.recording.IndexSort;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;

/** The stack records of a stretch of time by the events that they name, with their frames. */
final class References {
  /** Frames that are kept at once, 8 bytes each. */
  private static final int MOST_FRAMES = 1 << 22;

  private static final int MOST = 1 << 21;

  private int size;
  private long[] times = new long[1 << 10];
  private long[] written = new long[1 << 10];
  private long[] parts = new long[1 << 10];
  private int[] threads = new int[1 << 10];
  private int[] cpus = new int[1 << 10];
  private int[] order = {};
  private long[] frames = new long[1 << 12];
  private int frameCount;
  private long leftOut;
  private long undefined;

  References() {}

  void clear() {
    size = 0;
    frameCount = 0;
  }

  /**
   * Adds a stack record.
   *
   * @param named time of the event that it names
   * @param time its own time
   */
  void add(RecordCursor record, long named, long time, StackKeys keys) {
    int at = record.payloadOffset() + 16;
    int pointer = record.pointerBytes();
    long part;
    if (StackTargets.stackHook(record) == StackTargets.STACK_WALK) {
      int count = (record.payloadLength() - 16) / pointer;
      if (size >= MOST || frameCount + count > MOST_FRAMES) {
        leftOut++;
        return;
      }
      if (frameCount + count > frames.length) {
        frames = Arrays.copyOf(frames, Math.max(frameCount + count, 2 * frames.length));
      }
      part = (long) frameCount << 32 | count;
      for (int i = 0; i < count; i++) {
        frames[frameCount++] = record.bytes().pointer(at + i * pointer, pointer);
      }
    } else {
      if (size >= MOST || record.payloadLength() < 16 + pointer) {
        leftOut++;
        return;
      }
      int stack = keys.stack(record.bytes().pointer(at, pointer), time);
      if (stack < 0) {
        undefined++;
      }
      // Also one that nothing defines says that there was a stack.
      part = ~(long) Math.max(0, stack);
    }
    if (size == times.length) {
      int capacity = 2 * size;
      times = Arrays.copyOf(times, capacity);
      written = Arrays.copyOf(written, capacity);
      parts = Arrays.copyOf(parts, capacity);
      threads = Arrays.copyOf(threads, capacity);
      cpus = Arrays.copyOf(cpus, capacity);
    }
    times[size] = named;
    written[size] = time;
    parts[size] = part;
    threads[size] = record.bytes().i32(record.payloadOffset() + 12);
    cpus[size] = record.cpu();
    size++;
  }

  /** Puts them in order: by event, of each the parts as they were recorded. */
  void settle() {
    order =
        IndexSort.by(
            size,
            (a, b) -> {
              if (times[a] != times[b]) {
                return times[a] < times[b] ? -1 : 1;
              }
              if (threads[a] != threads[b]) {
                return threads[a] < threads[b] ? -1 : 1;
              }
              // The idle thread has one number, but runs on every CPU.
              if (threads[a] == 0 && cpus[a] != cpus[b]) {
                return cpus[a] < cpus[b] ? -1 : 1;
              }
              return Long.compare(written[a], written[b]);
            });
  }

  /** Number of stack records. */
  int count() {
    return size;
  }

  /** Time of the event that stack record {@code i}, in order, names. */
  long time(int i) {
    return times[order[i]];
  }

  int thread(int i) {
    return threads[order[i]];
  }

  int cpu(int i) {
    return cpus[order[i]];
  }

  /** The first one after {@code i} with another time or thread; idle ones also with another CPU. */
  int afterThread(int i) {
    int next = i + 1;
    while (next < size
        && time(next) == time(i)
        && thread(next) == thread(i)
        && (thread(i) != 0 || cpu(next) == cpu(i))) {
      next++;
    }
    return next;
  }

  /** Appends the frames of a stack record. */
  void copy(int i, StackKeys keys, Frames into) {
    long part = parts[order[i]];
    if (part < 0) {
      keys.copy((int) ~part, into);
    } else {
      into.add(frames, (int) (part >>> 32), (int) part);
    }
  }

  /** Stack records that were left out for want of memory. */
  long leftOut() {
    return leftOut;
  }

  /** References to keys that nothing defines. */
  long undefined() {
    return undefined;
  }
}
