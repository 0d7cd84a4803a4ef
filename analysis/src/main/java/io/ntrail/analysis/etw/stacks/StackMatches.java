package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Times and threads that stack records name, and of the records that were offered for each the one
 * that fits best, of several the first in time order. About 60 bytes for each.
 *
 * <p>Bare arrays and a table of its own, at most a quarter full: every record of the kernel logger
 * is looked up, and most are not found.
 */
final class StackMatches {
  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;

  /** Comparisons of records and threads of one and the same time. */
  private static final long MOST_TRIES = 1L << 27;

  /** By time: the number, plus 1, of the last one that has it. */
  private int[] heads = new int[1 << 12];

  private int distinct;
  private int size;
  private long[] times = new long[1 << 10];
  private int[] threads = new int[1 << 10];
  private int[] cpus = new int[1 << 10];
  private long[] written = new long[1 << 10];
  private int[] next = new int[1 << 10];

  private byte[] fits = new byte[1 << 10];
  private int[] rows = new int[1 << 10];
  private int[] buffers = new int[1 << 10];
  private int[] offsets = new int[1 << 10];

  private final Columns openedBuffers = new Columns();
  private final IntColumn bufferCpus = openedBuffers.ints();
  private final LongColumn bufferSequences = openedBuffers.longs();
  private int opened;
  private long tries;

  StackMatches() {}

  /**
   * Adds what a stack record names. Those of one time of writing must come in the recording's
   * order.
   */
  void add(long time, int thread, int cpu, long writtenAt) {
    int slot = slot(heads, time);
    int head = heads[slot] - 1;
    for (int i = head; i >= 0 && tries++ < MOST_TRIES; i = next[i]) {
      // The idle thread has one number, but runs on every CPU.
      if (threads[i] == thread && (thread != 0 || cpus[i] == cpu)) {
        // The CPU is that of the earliest part.
        if (writtenAt < written[i]) {
          written[i] = writtenAt;
          cpus[i] = cpu;
        }
        return;
      }
    }
    if (size == times.length) {
      grow();
    }
    times[size] = time;
    threads[size] = thread;
    cpus[size] = cpu;
    written[size] = writtenAt;
    next[size] = head;
    fits[size] = -1;
    heads[slot] = ++size;
    if (head < 0 && ++distinct * 4L > heads.length) {
      rehash();
    }
  }

  private void grow() {
    int capacity = Growth.length(size, size + 1);
    times = Arrays.copyOf(times, capacity);
    threads = Arrays.copyOf(threads, capacity);
    cpus = Arrays.copyOf(cpus, capacity);
    written = Arrays.copyOf(written, capacity);
    next = Arrays.copyOf(next, capacity);
    fits = Arrays.copyOf(fits, capacity);
    rows = Arrays.copyOf(rows, capacity);
    buffers = Arrays.copyOf(buffers, capacity);
    offsets = Arrays.copyOf(offsets, capacity);
  }

  private void rehash() {
    int[] larger = new int[2 * heads.length];
    for (int head : heads) {
      if (head != 0) {
        larger[slot(larger, times[head - 1])] = head;
      }
    }
    heads = larger;
  }

  private int slot(int[] table, long time) {
    int mask = table.length - 1;
    int at = (int) (time * FIBONACCI >>> Long.numberOfLeadingZeros(mask));
    while (table[at] != 0 && times[table[at] - 1] != time) {
      at = at + 1 & mask;
    }
    return at;
  }

  /** The records that are offered now come from another buffer. */
  void open(int cpu, long sequence) {
    opened = openedBuffers.add();
    bufferCpus.set(opened, cpu);
    bufferSequences.set(opened, sequence);
  }

  /** Returns the entry that names a time, to offer records of that time to; -1 if there is none. */
  int find(long time) {
    return heads[slot(heads, time)] - 1;
  }

  /** Offers a record to what {@link #find} found for its time. */
  void offer(StackMatchRules targets, int first, RecordCursor record, int row) {
    for (int i = first; i >= 0 && tries++ < MOST_TRIES; i = next[i]) {
      int ofThread = targets.isOf(record, threads[i]);
      int fit =
          ofThread == StackMatchRules.NO ? -1 : 2 * ofThread + (record.cpu() == cpus[i] ? 1 : 0);
      if (fit > fits[i] || fit >= 0 && fit == fits[i] && isBefore(record.offset(), i)) {
        fits[i] = (byte) fit;
        rows[i] = row;
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

  /** Gives out the row of every record that was taken, also if it has stacks of two threads. */
  void forEach(IntConsumer found) {
    for (int i = 0; i < size; i++) {
      if (fits[i] >= 0 && !isAgain(i)) {
        found.accept(rows[i]);
      }
    }
  }

  private boolean isAgain(int i) {
    for (int other = next[i]; other >= 0 && tries++ < MOST_TRIES; other = next[other]) {
      if (fits[other] >= 0 && buffers[other] == buffers[i] && offsets[other] == offsets[i]) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if so many records have one time that not all were looked at. */
  boolean isIncomplete() {
    return tries >= MOST_TRIES;
  }
}
