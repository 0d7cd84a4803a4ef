package io.ntrail.programs.patchability;

/**
 * Gives functions without padding of their own the padding of others.
 *
 * <p>Each run of padding is divided into slots for a jump from its lower end on, except for the
 * bytes that the function after it needs. Functions take, in the order of their addresses, the
 * lowest free slot in reach: since each reaches as far as the others, no other choice serves more.
 */
final class PaddingAllocator {
  /** Reach of a short jump of two bytes, from its address. */
  static final int BACK = -126;

  static final int FORTH = 129;

  private final CodeSweep.Gaps gaps;

  /** The gap the next place is taken from, and the place. */
  private int gap;

  private long place;

  PaddingAllocator(CodeSweep.Gaps gaps) {
    this.gaps = gaps;
    this.place = gaps.count() == 0 ? 0 : gaps.begin(0);
  }

  /** Supplies the number of bytes at the end of a gap that the function after it needs. */
  interface Needs {
    /** Bytes that have to be left in front of an address. */
    int before(long end);
  }

  /**
   * Returns a slot for the jump of a function, or -1. Functions must be passed in the order of
   * their addresses.
   */
  long take(long function, Needs needs) {
    while (gap < gaps.count()) {
      place = Math.max(place, gaps.begin(gap));
      long left = gaps.end(gap) - needs.before(gaps.end(gap)) - place;
      if (left < FunctionPadding.JUMP) {
        gap++;
      } else if (place < function + BACK) {
        // Too far back for this one, and for all that follow.
        place = Math.min(function + BACK, gaps.end(gap));
      } else {
        break;
      }
    }
    if (gap >= gaps.count() || place > function + FORTH) {
      return -1;
    }
    long taken = place;
    place += FunctionPadding.JUMP;
    return taken;
  }
}
