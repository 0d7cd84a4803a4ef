package io.ntrail.analysis.etw.stacks;

import java.util.Arrays;

/**
 * Filter of the times that stack records name: tells of a time that no other stack record names it,
 * or nothing. Two bits for a stretch of time; 16 bits a stack record or more. Used again for other
 * times.
 */
final class LoneTimes {
  /** Bits for each time: with 8, some 6 % of those that are alone are not known to be. */
  private static final int BITS_EACH = 8;

  private long[] named = {};
  private long[] again = {};
  private int mask;
  private int shift;

  LoneTimes() {}

  /**
   * Forgets all times; of those that come now none is named yet.
   *
   * @param first about the first time
   * @param last about the last one
   * @param count about how many there are
   */
  void clear(long first, long last, long count) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.clamp(count, 8, 1 << 21));
    mask = (BITS_EACH << bits) - 1;
    shift = Math.max(0, Long.numberOfLeadingZeros(mask) - Long.numberOfLeadingZeros(last - first));
    int words = mask / Long.SIZE + 1;
    if (words > named.length) {
      named = new long[words];
      again = new long[words];
    } else {
      Arrays.fill(named, 0, words, 0);
      Arrays.fill(again, 0, words, 0);
    }
  }

  /** Notes that a stack record names a time. */
  void name(long time) {
    int at = at(time);
    long bit = 1L << at;
    int word = at >>> 6;
    again[word] |= named[word] & bit;
    named[word] |= bit;
  }

  /** Notes a time that is not to count as named by one alone. */
  void nameAgain(long time) {
    int at = at(time);
    again[at >>> 6] |= 1L << at;
  }

  /** Returns true if it is certain that one stack record alone names a time. */
  boolean isLone(long time) {
    int at = at(time);
    return (again[at >>> 6] >>> at & 1) == 0;
  }

  private int at(long time) {
    return (int) (time >>> shift) & mask;
  }
}
