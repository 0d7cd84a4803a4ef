package io.ntrail.analysis.etw.stacks;

/**
 * Filter of the times that stack records name: tells of a time that no other stack record names it,
 * or nothing. Two bits for a stretch of time; 16 bits a stack record or more.
 */
final class LoneTimes {
  /** Bits for each time: with 8, some 6 % of those that are alone are not known to be. */
  private static final int BITS_EACH = 8;

  private final long[] named;
  private final long[] again;
  private final int mask;
  private final int shift;

  /**
   * No time is named yet.
   *
   * @param first about the first time
   * @param last about the last one
   * @param count about how many there are
   */
  LoneTimes(long first, long last, long count) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.clamp(count, 8, 1 << 21));
    mask = (BITS_EACH << bits) - 1;
    shift = Math.max(0, Long.numberOfLeadingZeros(mask) - Long.numberOfLeadingZeros(last - first));
    named = new long[mask / Long.SIZE + 1];
    again = new long[named.length];
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
