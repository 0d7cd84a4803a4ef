package io.ntrail.analysis.recording;

/** A set of 64-bit values that does not shrink; 16 bytes a value at most. */
final class LongSet {
  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;

  private long[] slots = new long[1024];
  private int size;
  private boolean hasZero;

  void add(long value) {
    if (value == 0) {
      hasZero = true;
      return;
    }
    int at = find(slots, value);
    if (slots[at] == 0) {
      slots[at] = value;
      if (++size * 4L > slots.length * 3L) {
        grow();
      }
    }
  }

  boolean contains(long value) {
    return value == 0 ? hasZero : slots[find(slots, value)] != 0;
  }

  /** Number of values, but for zero. */
  int size() {
    return size;
  }

  private void grow() {
    long[] larger = new long[2 * slots.length];
    for (long value : slots) {
      if (value != 0) {
        larger[find(larger, value)] = value;
      }
    }
    slots = larger;
  }

  private static int find(long[] slots, long value) {
    int shift = Long.numberOfLeadingZeros(slots.length) + 1;
    int at = (int) (value * FIBONACCI >>> shift);
    int mask = slots.length - 1;
    while (slots[at] != 0 && slots[at] != value) {
      at = at + 1 & mask;
    }
    return at;
  }
}
