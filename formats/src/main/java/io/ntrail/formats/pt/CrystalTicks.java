package io.ntrail.formats.pt;

/** Arithmetic of the crystal clock's counter, of which packets carry some bits. */
final class CrystalTicks {
  /** Bits of the counter in an MTC. */
  static final int MTC_BITS = 8;

  /** Bits of the counter in a TMA. */
  static final int TMA_BITS = 16;

  private CrystalTicks() {}

  /** Returns the mask of the bits that an MTC completes. */
  static long mask(ClockSettings settings) {
    return (1L << settings.mtcFrequency() + MTC_BITS) - 1;
  }

  /** Returns the ticks from one value to a later one, which may have wrapped once. */
  static long between(long from, long to, ClockSettings settings) {
    return to - from & mask(settings);
  }

  /**
   * Returns the counter at a TMA with the bits that it does not have, taken from the MTC after it.
   *
   * @param low the bits that the TMA has
   * @param mtc the bits that the MTC has
   */
  static long complete(long low, long mtc, ClockSettings settings) {
    long high = mtc & -1L << TMA_BITS;
    if ((mtc & 0xFFFF) < low) {
      high = high - (1L << TMA_BITS) & 0xFFL << settings.mtcFrequency();
    }
    return low | high;
  }
}
