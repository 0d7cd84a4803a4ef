package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.x86.CodeReader.ReturnAddress;

/**
 * Searches words of a stack for return addresses. The words that it looks at in one walk are
 * limited, so that no stack takes long. Not for several threads.
 */
final class ReturnAddressSearch {
  /** Result where nothing was found. */
  static final long NOT_FOUND = -1;

  /** Words at which a return address is looked for near the place where it should be. */
  private static final int NEAR = 64;

  /** Of these, the first ones that may hold one whose call is not at hand: an aligned stack. */
  private static final int NEAR_UNPROVED = 4;

  /** Words of a scan that may hold one whose call is not at hand. */
  private static final int UNPROVED = 40;

  /** Words of the scan of the first frame, of which nothing is known to be right but registers. */
  private static final int UNPROVED_FIRST = 160;

  /** Words of a scan. */
  private static final int FAR = 1024;

  /** Words of one walk. */
  private static final int MOST = 1 << 20;

  private final CodeReader code;
  private final Words words;
  private final StackLimits limits;
  private int looked;

  ReturnAddressSearch(CodeReader code, Words words, StackLimits limits) {
    this.code = code;
    this.words = words;
    this.limits = limits;
  }

  /**
   * Returns the address of the first word from a place on that holds a return address, where one
   * should be at the place itself; {@link #NOT_FOUND} if none of the next ones does.
   */
  long near(long place) {
    return search(place, NEAR, NEAR_UNPROVED);
  }

  /** Returns the address of the first word of a stack that holds what may be a return address. */
  long scan(long stackPointer, boolean isFirst) {
    return search(stackPointer, FAR, isFirst ? UNPROVED_FIRST : UNPROVED);
  }

  private long search(long start, int most, int unproved) {
    for (int i = 0; i < most && looked < MOST; i++) {
      long place = start + 4L * i;
      long word = limits.holds(place, 4) ? words.at(place) : Words.MISSING;
      if (word == Words.MISSING) {
        return NOT_FOUND;
      }
      looked++;
      ReturnAddress verdict = code.judge(word);
      if (verdict == ReturnAddress.AFTER_CALL
          || verdict == ReturnAddress.POSSIBLE && i < unproved) {
        return place;
      }
    }
    return NOT_FOUND;
  }
}
