package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.IndexSort;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;

/** The stack records of a stretch of time by the events that they name, with their frames. */
final class StackRecordWindow {

  /** Stack records that are kept beyond their stretch, or as many words of frames. */
  private static final int MOST_AHEAD = 1 << 18;

  private static final int FRAMES_AHEAD = 1 << 20;

  /** Stack records that are kept at once. */
  private static final int MOST = (1 << 21) + MOST_AHEAD;

  /** Frames that are kept at once, 8 bytes each. */
  private static final int MOST_FRAMES = (1 << 22) + FRAMES_AHEAD;

  /** Bits for the place of a stack record where it is sorted together with its time. */
  private static final int PLACE_BITS = 22;

  /** Part of a stack whose key nothing defines. */
  private static final long UNDEFINED = -1;

  private int size;
  private long[] times = new long[1 << 10];
  private long[] written = new long[1 << 10];
  private long[] parts = new long[1 << 10];

  /** Number of the buffer, and place in it. */
  private long[] origins = new long[1 << 10];

  private int[] threads = new int[1 << 10];
  private int[] cpus = new int[1 << 10];

  /** Entries whose keys were not looked up yet: hash of the key, and place. */
  private long[] unknown = new long[1 << 10];

  private int unknownCount;
  private int count;
  private int[] order = {};
  private long[] frames = new long[1 << 12];
  private int frameCount;
  private long leftOut;
  private long undefined;

  StackRecordWindow() {}

  /** Forgets those that name a time before one. */
  void begin(long from) {
    int kept = 0;
    int keptFrames = 0;
    for (int i = 0; i < size; i++) {
      if (times[i] >= from) {
        long part = parts[i];
        if (part >= 0) {
          System.arraycopy(frames, (int) (part >>> 32), frames, keptFrames, (int) part);
          part = (long) keptFrames << 32 | (int) part;
          keptFrames += (int) part;
        }
        times[kept] = times[i];
        written[kept] = written[i];
        parts[kept] = part;
        origins[kept] = origins[i];
        threads[kept] = threads[i];
        cpus[kept] = cpus[i];
        kept++;
      }
    }
    size = kept;
    frameCount = keptFrames;
    count = 0;
  }

  /**
   * Returns true if all stack records of a buffer can be kept, also those of later stretches.
   *
   * @param records how many there are at most
   * @param words how many words of frames they have at most
   */
  boolean hasRoomAhead(long records, long words) {
    return size + records <= MOST_AHEAD && frameCount + words <= FRAMES_AHEAD;
  }

  /**
   * Adds a stack record.
   *
   * @param named time of the event that it names
   * @param time its own time
   * @param buffer number of its buffer among those of all files
   */
  void add(RecordCursor record, long named, long time, int buffer) {
    int at = record.payloadOffset() + Stack.FRAMES;
    int pointer = record.pointerBytes();
    long part;
    if (StackMatchRules.stackHook(record) == KernelEvent.STACKWALK_STACK) {
      int count = (record.payloadLength() - Stack.FRAMES) / pointer;
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
      if (size >= MOST || record.payloadLength() < Stack.FRAMES + pointer) {
        leftOut++;
        return;
      }
      // Looked up later, all together.
      part = record.bytes().pointer(at, pointer);
      if (unknownCount == unknown.length) {
        unknown = Arrays.copyOf(unknown, 2 * unknownCount);
      }
      unknown[unknownCount++] = (long) StackKeys.hash(part) << 32 | size;
    }
    if (size == times.length) {
      int capacity = 2 * size;
      times = Arrays.copyOf(times, capacity);
      written = Arrays.copyOf(written, capacity);
      parts = Arrays.copyOf(parts, capacity);
      origins = Arrays.copyOf(origins, capacity);
      threads = Arrays.copyOf(threads, capacity);
      cpus = Arrays.copyOf(cpus, capacity);
    }
    times[size] = named;
    written[size] = time;
    parts[size] = part;
    origins[size] = (long) buffer << 32 | record.offset();
    threads[size] = record.bytes().i32(record.payloadOffset() + Stack.THREAD_ID);
    cpus[size] = record.cpu();
    size++;
  }

  /** Looks up the keys of those that were added. */
  void define(StackKeys keys) {
    Arrays.sort(unknown, 0, unknownCount);
    int ofHash = 0;
    for (int i = 0; i < unknownCount; i++) {
      int place = (int) unknown[i];
      long key = parts[place];
      if (i == 0 || unknown[i] >>> 32 != unknown[i - 1] >>> 32) {
        ofHash = keys.firstOfHash(ofHash, (int) (unknown[i] >>> 32));
      }
      int at = keys.firstNotBefore(ofHash, key, written[place]);
      if (keys.defines(at, key)) {
        parts[place] = Long.MIN_VALUE | (long) at << 32 | keys.innermost(at) & 0xFFFF_FFFFL;
      } else {
        // Also one that nothing defines says that there was a stack.
        parts[place] = UNDEFINED;
      }
    }
    unknownCount = 0;
  }

  /**
   * Puts those that name a time before {@code end}, or all, in order: by event, of each the parts
   * as they were recorded.
   */
  void settle(long end, boolean all) {
    if (order.length < size) {
      order = new int[times.length];
    }
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    count = 0;
    for (int i = 0; i < size; i++) {
      if (all || times[i] < end) {
        order[count++] = i;
        undefined += parts[i] == UNDEFINED ? 1 : 0;
        first = Math.min(first, times[i]);
        last = Math.max(last, times[i]);
      }
    }
    long span = last - first;
    if (span < 0 || span >= 1L << 62 - PLACE_BITS) {
      int[] places = order;
      int[] sorted = IndexSort.by(count, (a, b) -> compare(places[a], places[b]));
      order = Arrays.stream(sorted).map(i -> places[i]).toArray();
      return;
    }
    long[] packed = new long[count];
    for (int i = 0; i < count; i++) {
      packed[i] = times[order[i]] - first << PLACE_BITS | order[i];
    }
    Arrays.sort(packed);
    for (int i = 0; i < count; i++) {
      order[i] = (int) packed[i] & (1 << PLACE_BITS) - 1;
    }
    sortWithinTimes();
  }

  private void sortWithinTimes() {
    for (int start = 0; start < count; ) {
      int end = start + 1;
      while (end < count && times[order[end]] == times[order[start]]) {
        end++;
      }
      if (end - start > 1) {
        int[] group = Arrays.copyOfRange(order, start, end);
        int[] sorted = IndexSort.by(group.length, (a, b) -> compare(group[a], group[b]));
        for (int i = 0; i < group.length; i++) {
          order[start + i] = group[sorted[i]];
        }
      }
      start = end;
    }
  }

  private int compare(int a, int b) {
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
    return written[a] != written[b]
        ? Long.compare(written[a], written[b])
        : Long.compare(origins[a], origins[b]);
  }

  /** Number of stack records of the stretch. */
  int count() {
    return count;
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
    while (next < count
        && time(next) == time(i)
        && thread(next) == thread(i)
        && (thread(i) != 0 || cpu(next) == cpu(i))) {
      next++;
    }
    return next;
  }

  /** Appends the frames of a stack record. */
  void copy(int i, StackKeys keys, StackAddresses into) {
    long part = parts[order[i]];
    if (part >= 0) {
      into.add(frames, (int) (part >>> 32), (int) part);
    } else if (part != UNDEFINED) {
      keys.copy(definition(part), into);
    }
  }

  /**
   * The definition of the key that a stack record names, in the upper half, and what {@link
   * StackKeys#innermost} tells of it; 0 in the lower half if it names no key, or nothing defines
   * it.
   */
  long keyed(int i) {
    long part = parts[order[i]];
    return part >= 0 || part == UNDEFINED ? 0 : part & Long.MAX_VALUE;
  }

  private static int definition(long part) {
    return (int) (part >>> 32) & Integer.MAX_VALUE;
  }

  /** Stack records that were left out for want of memory. */
  long leftOut() {
    return leftOut;
  }

  /** References to keys that nothing defines, of all stretches so far. */
  long undefined() {
    return undefined;
  }
}
