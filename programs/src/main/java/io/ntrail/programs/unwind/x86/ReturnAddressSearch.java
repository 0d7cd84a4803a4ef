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

  private static final int SLOT = 4;

  /** Bytes above the place of a return address where it is looked for. */
  private static final int NEAR = 64 * SLOT;

  /** Of these, the first ones that may hold one whose call is not at hand: an aligned stack. */
  private static final int NEAR_UNPROVED = 4 * SLOT;

  /** Bytes of parameters that are believed: larger ones are memory of their own. */
  private static final int MOST_PARAMETERS = 1024;

  /** Bytes of a scan that may hold one whose call is not at hand. */
  private static final int UNPROVED = 40 * SLOT;

  /** Bytes of the scan of the first frame, of which nothing is known to be right but registers. */
  private static final int UNPROVED_FIRST = 160 * SLOT;

  /** Bytes of a scan. */
  private static final int FAR = 1024 * SLOT;

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
   * Returns the place of a return address near the one where sizes say that it is; {@link
   * #NOT_FOUND} if it is nowhere near.
   *
   * <p>Sizes lead too low in the middle of a call whose parameters are being pushed and in frames
   * that were aligned, and too high where a compiler counts the room for the parameters of calls
   * among the variables, as clang does.
   *
   * @param parameters bytes of parameters of the function that was called, which the place is above
   * @param function first address of the function that the return address was pushed for, or {@link
   *     CodeReader#UNKNOWN_FUNCTION}
   */
  long near(long place, int parameters, long function) {
    ReturnAddress exact = verdict(place, function);
    if (exact == ReturnAddress.CALLS_IT || exact == ReturnAddress.AFTER_CALL) {
      return place;
    }
    long lowest = place - Math.min(parameters, MOST_PARAMETERS);
    if (function != CodeReader.UNKNOWN_FUNCTION) {
      long caller = first(lowest, place + NEAR, function, ReturnAddress.CALLS_IT);
      if (caller != NOT_FOUND) {
        return caller;
      }
    }
    if (exact != ReturnAddress.NO) {
      return place;
    }
    if (verdict(lowest, function).isAfterCall()) {
      return lowest;
    }
    long proved = first(place, place + NEAR, function, ReturnAddress.CALLS_OTHER);
    return proved != NOT_FOUND
        ? proved
        : first(place, place + NEAR_UNPROVED, function, ReturnAddress.POSSIBLE);
  }

  /**
   * Returns the place of the first word of a stack that may be a return address.
   *
   * @param isFirst true if the stack pointer is that of the thread
   * @param function as for {@link #near}
   */
  long scan(long stackPointer, boolean isFirst, long function) {
    if (function != CodeReader.UNKNOWN_FUNCTION) {
      long caller = first(stackPointer, stackPointer + FAR, function, ReturnAddress.CALLS_IT);
      if (caller != NOT_FOUND) {
        return caller;
      }
    }
    long unproved = stackPointer + (isFirst ? UNPROVED_FIRST : UNPROVED);
    long possible = first(stackPointer, unproved, function, ReturnAddress.POSSIBLE);
    return possible != NOT_FOUND
        ? possible
        : first(unproved, stackPointer + FAR, function, ReturnAddress.CALLS_OTHER);
  }

  /** Returns the first place in a range whose word is behind a call for sure. */
  long proved(long from, long to) {
    long end = Math.min(to, from + FAR);
    return first(from, end, CodeReader.UNKNOWN_FUNCTION, ReturnAddress.AFTER_CALL);
  }

  /** Returns the first place in a range whose word is judged at least so well. */
  private long first(long from, long to, long function, ReturnAddress least) {
    for (long place = from; place < to && looked < MOST; place += SLOT) {
      if (!isThere(place)) {
        return NOT_FOUND;
      }
      if (verdict(place, function).compareTo(least) >= 0) {
        return place;
      }
    }
    return NOT_FOUND;
  }

  private boolean isThere(long place) {
    return limits.holds(place, SLOT) && words.at(place) != Words.MISSING;
  }

  private ReturnAddress verdict(long place, long function) {
    looked++;
    return isThere(place) ? code.judge(words.at(place), function) : ReturnAddress.NO;
  }
}
