package io.ntrail.testkit.etl;

/**
 * Random numbers by xorshift64*: good enough for recordings, and far cheaper than the library's.
 */
final class XorShift64 {
  private long state;

  XorShift64(long seed) {
    state = mix(seed) | 1;
  }

  long next() {
    state ^= state >>> 12;
    state ^= state << 25;
    state ^= state >>> 27;
    return state * 0x2545_F491_4F6C_DD1DL;
  }

  /** A number from 0 to {@code bound - 1}. */
  int below(int bound) {
    return (int) ((next() >>> 33) * bound >>> 31);
  }

  /** Spreads a number over all 64 bits, different numbers to different ones (splitmix64). */
  static long mix(long value) {
    long z = value + 0x9E37_79B9_7F4A_7C15L;
    z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
    return z ^ z >>> 31;
  }
}
