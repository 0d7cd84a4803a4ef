package io.ntrail.formats.collections;

/** The lengths to which arrays grow. */
public final class Growth {
  /** The longest array that every JVM can make. */
  public static final int MOST = Integer.MAX_VALUE - 8;

  private static final int LEAST = 16;
  private static final int SMALL = 1 << 16;

  private Growth() {}

  /**
   * Returns a length for an array that has become too short: twice the length while it is small,
   * then half as much again; at least what is needed.
   *
   * @param length of the array at hand
   * @param needed elements that it must hold, more than {@code length}; an overflowed sum is
   *     negative
   * @throws OutOfMemoryError if no array is that long
   */
  public static int length(int length, int needed) {
    if (needed < 0 || needed > MOST) {
      throw new OutOfMemoryError("an array of more than " + MOST + " elements");
    }
    long grown = (long) length + (length < SMALL ? length : length >> 1);
    return (int) Math.max(Math.max(LEAST, needed), Math.min(grown, MOST));
  }
}
