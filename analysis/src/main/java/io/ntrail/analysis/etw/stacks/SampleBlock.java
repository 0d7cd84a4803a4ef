package io.ntrail.analysis.etw.stacks;

import io.ntrail.formats.etl.BufferIndex;

/**
 * Samples of one buffer, and other events in it that have stacks, in the order of their records: a
 * part of an array that holds those of many. Of each {@value #ENTRY} words: how much later than the
 * base and the thread; the instruction pointer; how much later the two stack records were written,
 * the number of samples, flags; the keys of the stack records, and when they are joined what they
 * mean ({@link StackKeys#defined}).
 */
final class SampleBlock {
  /** Words of a sample. */
  static final int ENTRY = 5;

  static final int ADDRESS = 1;
  static final int ABOUT = 2;
  static final int FIRST_KEY = 3;

  /** In the place of a key that nothing defines. */
  static final long UNDEFINED = -1;

  /** Keys that there is room for. */
  static final int MOST_KEYS = 2;

  /** Flags: not idle; not a sample; an event before it at its time may have its stack as well. */
  static final int BUSY = 1;

  static final int OTHER = 1 << 1;
  static final int NOT_FIRST = 1 << 2;

  /** And from this bit on the number of keys. */
  static final int KEYS_SHIFT = 3;

  static final int KEYS = 3;

  /** Places of the other parts in the word. */
  static final int COUNT_SHIFT = 8;

  static final int LATER_SHIFT = 24;
  static final int LATER_BITS = 20;
  static final int LATEST = (1 << LATER_BITS) - 1;

  final int file;
  final int buffer;
  final int cpu;
  final long sequence;

  /** Number among the blocks of its buffer. */
  final int part;

  final long base;
  final long[] words;
  final int from;
  final int size;

  /** Time of the last entry. */
  final long last;

  /** Latest time of the buffer of its CPU before. */
  long before = Long.MIN_VALUE;

  SampleBlock(
      int file,
      int buffer,
      BufferIndex index,
      int part,
      long base,
      long[] words,
      int from,
      int size) {
    this.file = file;
    this.buffer = buffer;
    this.cpu = index.cpu(buffer);
    this.sequence = index.sequence(buffer);
    this.part = part;
    this.base = base;
    this.words = words;
    this.from = from;
    this.size = size;
    this.last = time(size - 1);
  }

  /** The place of an entry in the words. */
  int at(int entry) {
    return from + ENTRY * entry;
  }

  long time(int entry) {
    return base + (words[at(entry)] >>> 32);
  }

  int thread(int entry) {
    return (int) words[at(entry)];
  }

  long about(int entry) {
    return words[at(entry) + ABOUT];
  }

  static int keys(long about) {
    return (int) about >>> KEYS_SHIFT & KEYS;
  }

  static int samples(long about) {
    return (int) (about >>> COUNT_SHIFT) & 0xFFFF;
  }

  /** Ticks from its time until one of its stack records was written. */
  static long later(long about, int key) {
    return about >>> LATER_SHIFT + LATER_BITS * key & LATEST;
  }

  /** The first entry at or after a time. */
  int ceiling(long time) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = low + high >>> 1;
      if (time(middle) < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The order of records of one time stamp, as a walk in order of time has it. */
  static int byTies(SampleBlock a, SampleBlock b) {
    int order = Integer.compare(a.cpu, b.cpu);
    order = order != 0 ? order : Long.compare(a.sequence, b.sequence);
    order = order != 0 ? order : Integer.compare(a.file, b.file);
    order = order != 0 ? order : Integer.compare(a.buffer, b.buffer);
    return order != 0 ? order : Integer.compare(a.part, b.part);
  }
}
