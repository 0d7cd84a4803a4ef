package io.ntrail.formats.collections;

/**
 * Hashes of keys of one to three 64-bit words, for {@link RowIndex}: a sum of products that is
 * mixed once more, so that keys in steps do not meet. The factors are drawn when the program
 * starts: the author of a file cannot know which of its keys would. The upper bits are the good
 * ones.
 */
public final class Hashing {
  static final long FIRST;
  static final long LAST;
  private static final long SECOND;
  private static final long THIRD;

  static {
    long seed = System.nanoTime() ^ (long) System.identityHashCode(new Object()) << 32;
    FIRST = factor(seed + 0x9E37_79B9_7F4A_7C15L);
    SECOND = factor(seed + 0x3C6E_F372_FE94_F82AL);
    THIRD = factor(seed - 0x255A_9234_8220_8BC1L);
    LAST = factor(seed + 0x78DD_E6E5_FD29_F054L);
  }

  private Hashing() {}

  /** An odd number that depends on every bit of a seed (the finalizer of SplitMix64). */
  private static long factor(long seed) {
    long mixed = (seed ^ seed >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ mixed >>> 31 | 1;
  }

  private static long mixed(long sum) {
    return (sum ^ sum >>> 32) * LAST;
  }

  /** Returns the hash of a key of one word. */
  public static long hash(long key) {
    return mixed(key * FIRST);
  }

  /** Returns the hash of a key of two words. */
  public static long hash(long first, long second) {
    return mixed(first * FIRST + second * SECOND);
  }

  /** Returns the hash of a key of three words. */
  public static long hash(long first, long second, long third) {
    return mixed(first * FIRST + second * SECOND + third * THIRD);
  }
}
