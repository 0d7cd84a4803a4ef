package io.ntrail.analysis.merge;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Set of numbers that takes the same memory whatever is put into it: it has all that was added, and
 * may seem to have others, the more the fuller it is. For choices where one record too many does no
 * harm, and one that is missing does. Safe for several threads that add numbers.
 */
final class NumberFilter {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;
  private static final int LEAST_SHIFT = 23;
  private static final int MOST_SHIFT = 31;

  /** Share of the heap that one takes at most, as a shift. */
  private static final int SHARE_SHIFT = 5;

  private static final int WORD_SHIFT = 6;

  private final int shift;
  private final long[] words;

  /** Makes an empty one, sized by the memory of the JVM: 1 to 256 MiB. */
  NumberFilter() {
    long bytes = Runtime.getRuntime().maxMemory() >> SHARE_SHIFT;
    int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, bytes));
    this(Math.clamp(log + 3, LEAST_SHIFT, MOST_SHIFT));
  }

  /**
   * Makes an empty one.
   *
   * @param bits logarithm of the number of its bits, to the base of 2: 6 to 31
   */
  NumberFilter(int bits) {
    this.shift = Long.SIZE - bits;
    this.words = new long[1 << bits - WORD_SHIFT];
  }

  /** Adds a number. */
  void add(long number) {
    long bit = number * FIBONACCI >>> shift;
    int word = (int) (bit >> WORD_SHIFT);
    if ((words[word] >> bit & 1) == 0) {
      long _ = (long) WORDS.getAndBitwiseOr(words, word, 1L << bit);
    }
  }

  /** Returns false if a number was not added; true if it was, or shares its bit with another. */
  boolean mayContain(long number) {
    long bit = number * FIBONACCI >>> shift;
    return (words[(int) (bit >> WORD_SHIFT)] >> bit & 1) != 0;
  }
}
