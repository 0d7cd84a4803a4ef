package io.ntrail.formats.collections;

import io.ntrail.testkit.Property.Gen;

/**
 * Keys with hashes that the generator chose. The factors of {@link Hashing} differ from run to run;
 * where the keys lie in a table must not, so that a failure can be repeated.
 */
final class ChosenKeys {
  private ChosenKeys() {}

  /** Returns the key that has a hash. */
  static long withHash(long hash) {
    long sum = hash * inverse(Hashing.LAST);
    return (sum ^ sum >>> 32) * inverse(Hashing.FIRST);
  }

  /** The number that makes 1 of a factor, by Newton's method: each step doubles the right bits. */
  private static long inverse(long factor) {
    long inverse = factor;
    for (int bits = 3; bits < Long.SIZE; bits *= 2) {
      inverse *= 2 - factor * inverse;
    }
    return inverse;
  }

  /** Returns a key out of few or of many, spread over the table or all in one of its slots. */
  static long draw(Gen g, int kinds, boolean crowded) {
    long which = g.below(kinds);
    return withHash(crowded ? which : which * 0x9E37_79B9_7F4A_7C15L);
  }
}
