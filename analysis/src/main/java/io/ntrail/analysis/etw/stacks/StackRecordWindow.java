package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.LongSort;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;

/** The stack records of a stretch of time by the events that they name, with their frames. */
final class StackRecordWindow {

  /** Stack records that are kept beyond their stretch, or as many words of frames. */
  private static final int MOST_AHEAD = 1 << 18;

  private static final int FRAMES_AHEAD = 1 << 20;

  /** Stack records that are kept at once. */
  private static final int MOST = (1 << 21) + MOST_AHEAD;

  /** Frames that are kept at once, 8 bytes each. */
  private static final int MOST_FRAMES = (1 << 22) + FRAMES_AHEAD;

  /**
   * Cost of stack records of one stretch, counted as {@link StackRecords} does, at which nothing is
   * left out whatever is kept for later stretches: with up to 16 words of frames each.
   */
  static final long MOST_IN_ANY_ORDER = (MOST_FRAMES - FRAMES_AHEAD) / 16;

  /** Part of a stack whose key nothing defines. */
  private static final long UNDEFINED = -1;

  private final Columns records = new Columns(1 << 10, MOST);
  private final LongColumn times = records.longs();
  private final LongColumn written = records.longs();
  private final LongColumn parts = records.longs();

  /** Number of the buffer, and place in it. */
  private final LongColumn origins = records.longs();

  private final IntColumn threads = records.ints();
  private final IntColumn cpus = records.ints();

  /** Entries whose keys were not looked up yet: hash of the key, and place. */
  private final LongList unknown = new LongList();

  private int count;
  private int[] order = {};
  private final LongList frames = new LongList();
  private long leftOut;
  private long undefined;

  StackRecordWindow() {}

  /** Forgets those that name a time before one. */
  void begin(long from) {
    int kept = 0;
    long[] before = frames.array();
    frames.clear();
    for (int i = 0; i < records.rows(); i++) {
      if (times.get(i) >= from) {
        long part = parts.get(i);
        if (part >= 0) {
          // Behind what is kept already, or in its place.
          int at = frames.size();
          frames.addAll(before, (int) (part >>> 32), (int) part);
          part = (long) at << 32 | (int) part;
        }
        times.set(kept, times.get(i));
        written.set(kept, written.get(i));
        parts.set(kept, part);
        origins.set(kept, origins.get(i));
        threads.set(kept, threads.get(i));
        cpus.set(kept, cpus.get(i));
        kept++;
      }
    }
    records.truncate(kept);
    count = 0;
  }

  /**
   * Returns true if all stack records of a buffer can be kept, also those of later stretches.
   *
   * @param records how many there are at most
   * @param words how many words of frames they have at most
   */
  boolean hasRoomAhead(long records, long words) {
    return this.records.rows() + records <= MOST_AHEAD && frames.size() + words <= FRAMES_AHEAD;
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
      if (records.isFull() || frames.size() + count > MOST_FRAMES) {
        leftOut++;
        return;
      }
      part = (long) frames.size() << 32 | count;
      for (int i = 0; i < count; i++) {
        frames.add(record.bytes().pointer(at + i * pointer, pointer));
      }
    } else {
      if (record.payloadLength() < Stack.FRAMES + pointer) {
        // Told as damaged when the records were surveyed.
        return;
      }
      if (records.isFull()) {
        leftOut++;
        return;
      }
      // Looked up later, all together.
      part = record.bytes().pointer(at, pointer);
      unknown.add((long) StackKeys.hash(part) << 32 | records.rows());
    }
    int row = records.add();
    times.set(row, named);
    written.set(row, time);
    parts.set(row, part);
    origins.set(row, (long) buffer << 32 | record.offset());
    threads.set(row, record.bytes().i32(record.payloadOffset() + Stack.THREAD_ID));
    cpus.set(row, record.cpu());
  }

  /** Looks up the keys of those that were added. */
  void define(StackKeys keys) {
    LongSort.sort(unknown.array(), unknown.size(), Integer.SIZE);
    int ofHash = 0;
    for (int i = 0; i < unknown.size(); i++) {
      int place = (int) unknown.get(i);
      int hash = (int) (unknown.get(i) >>> 32);
      long key = parts.get(place);
      if (i == 0 || hash != (int) (unknown.get(i - 1) >>> 32)) {
        ofHash = keys.firstOfHash(ofHash, hash);
      }
      int at = keys.firstNotBefore(ofHash, key, written.get(place));
      if (keys.defines(at, key)) {
        parts.set(place, Long.MIN_VALUE | keys.defined(at));
      } else {
        // There was a stack, though nothing tells which.
        parts.set(place, UNDEFINED);
      }
    }
    unknown.clear();
  }

  /**
   * Puts those that name a time before {@code end}, or all, in order: by event, of each the parts
   * as they were recorded.
   */
  void settle(long end, boolean all) {
    if (order.length < records.rows()) {
      order = new int[records.capacity()];
    }
    count = 0;
    for (int i = 0; i < records.rows(); i++) {
      if (all || times.get(i) < end) {
        order[count++] = i;
        undefined += parts.get(i) == UNDEFINED ? 1 : 0;
      }
    }
    RowSort.sort(order, count, times, this::compare);
  }

  /** Compares stack records that name the same time. */
  private int compare(int a, int b) {
    if (threads.get(a) != threads.get(b)) {
      return threads.get(a) < threads.get(b) ? -1 : 1;
    }
    // The idle thread has one number, but runs on every CPU.
    if (threads.get(a) == 0 && cpus.get(a) != cpus.get(b)) {
      return cpus.get(a) < cpus.get(b) ? -1 : 1;
    }
    return written.get(a) != written.get(b)
        ? Long.compare(written.get(a), written.get(b))
        : Long.compare(origins.get(a), origins.get(b));
  }

  /** Number of stack records of the stretch. */
  int count() {
    return count;
  }

  /** Time of the event that stack record {@code i}, in order, names. */
  long time(int i) {
    return times.get(order[i]);
  }

  int thread(int i) {
    return threads.get(order[i]);
  }

  int cpu(int i) {
    return cpus.get(order[i]);
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
    long part = parts.get(order[i]);
    if (part >= 0) {
      into.add(frames.array(), (int) (part >>> 32), (int) part);
    } else if (part != UNDEFINED) {
      keys.copy(definition(part), into);
    }
  }

  /**
   * The definition of the key that a stack record names, in the upper half, and its {@link
   * StackKeys#defined innermost frame}; 0 in the lower half if it names no key, or nothing defines
   * it.
   */
  long keyed(int i) {
    long part = parts.get(order[i]);
    return part >= 0 || part == UNDEFINED ? 0 : part & Long.MAX_VALUE;
  }

  private static int definition(long part) {
    return (int) (part >>> 32) & Integer.MAX_VALUE;
  }

  /** Stack records that were skipped at the memory limit. */
  long leftOut() {
    return leftOut;
  }

  /** References to keys that nothing defines, of all stretches so far. */
  long undefined() {
    return undefined;
  }
}
