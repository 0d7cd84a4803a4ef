package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;

/**
 * Times and threads that stack records name, and of the records that were offered for each the one
 * that fits best, of several the first in time order. About 60 bytes for each. Used again for other
 * times.
 *
 * <p>Bare arrays and a table of its own, at most a quarter full: every record of the kernel logger
 * is looked up, and most are not found. The table is in the order of time as far as times are
 * spread evenly, so that the records of a buffer are looked up in a part of it that the cache
 * holds.
 */
final class StackMatches {
  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;

  /** Fit of a record that is known to be the best one. */
  private static final int CERTAIN = 4;

  /** Fit of a record of the same thread and CPU: of several the first one is meant. */
  private static final int BEST = 3;

  /** Comparisons of records and threads of one and the same time. */
  private static final long MOST_TRIES = 1L << 27;

  /** Places that are looked at in vain for each entry before times are taken to lie in clusters. */
  private static final int MOST_PROBES = 4;

  /** And so many at the start. */
  private static final int FREE_PROBES = 1 << 12;

  /** By time: the number, plus 1, of the last one that has it. */
  private int[] heads = {};

  /** Bits of a time that do not count for its place in the table; negative if all are mixed. */
  private int shift;

  private long probes;

  /** Entries that there is room for at first. */
  private static final int FIRST_ROOM = 1 << 10;

  private int size;

  /** Entries before they are settled; the arrays may be longer, from times that were forgotten. */
  private int room = FIRST_ROOM;

  private long[] times = new long[FIRST_ROOM];
  private int[] threads = new int[FIRST_ROOM];
  private int[] cpus = new int[FIRST_ROOM];
  private long[] written = new long[FIRST_ROOM];
  private int[] next = new int[FIRST_ROOM];

  private byte[] fits = new byte[FIRST_ROOM];
  private long[] subjects = new long[FIRST_ROOM];
  private int[] buffers = new int[FIRST_ROOM];
  private int[] offsets = new int[FIRST_ROOM];

  private final Columns openedBuffers = new Columns();
  private final IntColumn bufferNumbers = openedBuffers.ints();
  private final IntColumn bufferCpus = openedBuffers.ints();
  private final LongColumn bufferSequences = openedBuffers.longs();
  private int opened;
  private long tries;

  StackMatches() {}

  /** Forgets all times and records. */
  void clear() {
    size = 0;
    room = FIRST_ROOM;
    tries = 0;
    openedBuffers.clear();
  }

  /**
   * Adds what a stack record names. Those of one time of writing must come in the recording's
   * order.
   */
  void add(long time, int thread, int cpu, long writtenAt) {
    if (size == room) {
      settle();
      if (size > room / 2) {
        grow();
      }
    }
    times[size] = time;
    threads[size] = thread;
    cpus[size] = cpu;
    fits[size] = -1;
    written[size++] = writtenAt;
  }

  /**
   * Adds what a stack record names together with the event that it belongs to.
   *
   * @param buffer number of the buffer of that event
   */
  void add(long time, int thread, int cpu, int buffer, long event) {
    add(time, thread, cpu, time + NotedEvent.later(event));
    int i = size - 1;
    fits[i] = CERTAIN;
    buffers[i] = buffer;
    offsets[i] = NotedEvent.offset(event);
    subjects[i] = StackNotes.subject(event);
  }

  /** Makes what was added ready to be found, each time and thread once. */
  void settle() {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < size; i++) {
      first = Math.min(first, times[i]);
      last = Math.max(last, times[i]);
    }
    int bits = Math.clamp(Integer.SIZE - Integer.numberOfLeadingZeros(size) + 2L, 8, 30);
    if (heads.length == 1 << bits) {
      Arrays.fill(heads, 0);
    } else {
      heads = new int[1 << bits];
    }
    shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(last - first) - bits);
    probes = 0;
    int added = size;
    size = 0;
    for (int i = 0; i < added; i++) {
      place(i);
    }
  }

  /** Moves an entry behind those that are placed, unless it is one of them. */
  private void place(int i) {
    long time = times[i];
    int slot = slot(time);
    int head = heads[slot] - 1;
    for (int same = head; same >= 0 && tries++ < MOST_TRIES; same = next[same]) {
      // The idle thread has one number, but runs on every CPU.
      if (threads[same] == threads[i] && (threads[i] != 0 || cpus[same] == cpus[i])) {
        // The CPU is that of the earliest part.
        if (written[i] < written[same]) {
          written[same] = written[i];
          cpus[same] = cpus[i];
          copyMatch(i, same);
        }
        return;
      }
    }
    times[size] = time;
    threads[size] = threads[i];
    cpus[size] = cpus[i];
    written[size] = written[i];
    copyMatch(i, size);
    next[size] = head;
    heads[slot] = ++size;
    probes += slot - firstSlot(time) & heads.length - 1;
    if (probes > (long) MOST_PROBES * size + FREE_PROBES && shift >= 0) {
      spread();
    }
  }

  private void copyMatch(int from, int to) {
    fits[to] = fits[from];
    buffers[to] = buffers[from];
    offsets[to] = offsets[from];
    subjects[to] = subjects[from];
  }

  /** Gives up the order of time where times lie in clusters. */
  private void spread() {
    int[] before = heads;
    heads = new int[before.length];
    shift = -1;
    for (int head : before) {
      if (head != 0) {
        heads[slot(times[head - 1])] = head;
      }
    }
  }

  private void grow() {
    room = Growth.length(size, size + 1);
    if (room <= times.length) {
      return;
    }
    int capacity = room;
    times = Arrays.copyOf(times, capacity);
    threads = Arrays.copyOf(threads, capacity);
    cpus = Arrays.copyOf(cpus, capacity);
    written = Arrays.copyOf(written, capacity);
    next = Arrays.copyOf(next, capacity);
    fits = Arrays.copyOf(fits, capacity);
    subjects = Arrays.copyOf(subjects, capacity);
    buffers = Arrays.copyOf(buffers, capacity);
    offsets = Arrays.copyOf(offsets, capacity);
  }

  private int slot(long time) {
    int mask = heads.length - 1;
    int at = firstSlot(time);
    while (heads[at] != 0 && times[heads[at] - 1] != time) {
      at = at + 1 & mask;
    }
    return at;
  }

  private int firstSlot(long time) {
    int mask = heads.length - 1;
    return shift < 0
        ? (int) (time * FIBONACCI >>> Long.numberOfLeadingZeros(mask))
        : (int) (time >>> shift) & mask;
  }

  /** The records that are offered now come from another buffer. */
  void open(int number, int cpu, long sequence) {
    opened = openedBuffers.add();
    bufferNumbers.set(opened, number);
    bufferCpus.set(opened, cpu);
    bufferSequences.set(opened, sequence);
  }

  /** Returns the entry that names a time, to offer records of that time to; -1 if there is none. */
  int find(long time) {
    return heads[slot(time)] - 1;
  }

  /** Offers a record to what {@link #find} found for its time. */
  void offer(
      StackMatchRules targets,
      int first,
      RecordCursor record,
      ToLongFunction<RecordCursor> subject) {
    for (int i = first; i >= 0 && tries++ < MOST_TRIES; i = next[i]) {
      int ofThread = targets.isOf(record, threads[i]);
      int fit =
          ofThread == StackMatchRules.NO ? -1 : 2 * ofThread + (record.cpu() == cpus[i] ? 1 : 0);
      if (fit > fits[i] || fit >= 0 && fit == fits[i] && isBefore(record.offset(), i)) {
        fits[i] = (byte) fit;
        subjects[i] = subject.applyAsLong(record);
        buffers[i] = opened;
        offsets[i] = record.offset();
      }
    }
  }

  /** Returns true if a record of the open buffer comes before the one that fits so far. */
  private boolean isBefore(int offset, int i) {
    int other = buffers[i];
    if (bufferCpus.get(opened) != bufferCpus.get(other)) {
      return bufferCpus.get(opened) < bufferCpus.get(other);
    }
    if (bufferSequences.get(opened) != bufferSequences.get(other)) {
      return bufferSequences.get(opened) < bufferSequences.get(other);
    }
    // Buffers are opened in the order of files and of their place there.
    return opened == other && offset < offsets[i];
  }

  /** Number of entries. */
  int size() {
    return size;
  }

  /** The time that an entry names. */
  long time(int i) {
    return times[i];
  }

  /** The CPU of an entry's earliest stack record. */
  int cpu(int i) {
    return cpus[i];
  }

  /** Returns true if an entry has a record of its thread and CPU. */
  boolean isBest(int i) {
    return fits[i] >= BEST;
  }

  /** Returns how many entries have no record of their thread and CPU yet. */
  int open() {
    int open = 0;
    for (int i = 0; i < size; i++) {
      open += isBest(i) ? 0 : 1;
    }
    return open;
  }

  /** Returns the times of those entries, ascending. */
  long[] openTimes() {
    long[] open = new long[open()];
    int n = 0;
    for (int i = 0; i < size; i++) {
      if (!isBest(i)) {
        open[n++] = times[i];
      }
    }
    Arrays.sort(open);
    return open;
  }

  /** Gives out the subject of every record that was taken once, also with stacks of two threads. */
  void forEach(LongConsumer found) {
    for (int i = 0; i < size; i++) {
      if (fits[i] >= 0 && !isAgain(i)) {
        found.accept(subjects[i]);
      }
    }
  }

  private boolean isAgain(int i) {
    for (int other = next[i]; other >= 0 && tries++ < MOST_TRIES; other = next[other]) {
      if (fits[other] >= 0 && number(other) == number(i) && offsets[other] == offsets[i]) {
        return true;
      }
    }
    return false;
  }

  /** Number of the buffer of an entry's record. */
  private int number(int i) {
    return fits[i] == CERTAIN ? buffers[i] : bufferNumbers.get(buffers[i]);
  }

  /** Returns true if so many records have one time that not all were looked at. */
  boolean isIncomplete() {
    return tries >= MOST_TRIES;
  }
}
